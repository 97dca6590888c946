/// What a room is called on the network, and where it listens.
package struct RoomPlace: Hashable, Sendable {
  let name: String
  let port: UInt16

  package init(name: String, port: UInt16) {
    self.name = name
    self.port = port
  }
}
