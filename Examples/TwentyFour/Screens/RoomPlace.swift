/// A room's name on the network, and its port.
public struct RoomPlace: Hashable, Sendable {
  let name: String
  let port: UInt16

  public init(name: String, port: UInt16) {
    self.name = name
    self.port = port
  }
}
