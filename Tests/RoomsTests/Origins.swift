import Rooms

extension Origin {
  /// The address of a connection that shares it with no other.
  init(of id: ConnectionID) {
    self.init(rawValue: "host \(id.rawValue)")
  }
}

extension HostEvent {
  /// A connection from an address that no other has.
  static func connected(_ id: ConnectionID) -> HostEvent { .connected(id, from: Origin(of: id)) }
}
