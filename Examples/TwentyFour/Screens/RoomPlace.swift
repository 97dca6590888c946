import Rooms

/// A room's name on the network, and its port; for the host also what lets others in.
public struct RoomPlace: Hashable, Sendable {
  let name: String
  let port: UInt16
  /// Only for the host.
  var passcode: String?
  /// Only for the host of an encrypted room.
  var link: RoomLink?
  /// The addresses of the page for phones; only for a host that has one.
  var web: [String]?

  public init(name: String, port: UInt16) {
    self.name = name
    self.port = port
  }
}
