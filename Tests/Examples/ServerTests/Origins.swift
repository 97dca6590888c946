import Rooms
import TwentyFour

extension Origin {
  /// The address of a connection that shares it with no other.
  init(of id: ConnectionID) {
    self.init(rawValue: "host \(id.rawValue)")
  }
}

extension HostEvent {
  /// A connection from an address that no other has.
  static func connected(_ id: ConnectionID) -> HostEvent { .connected(id, from: Origin(of: id)) }

  /// A connection from an address, without a key.
  static func connected(_ id: ConnectionID, from address: Origin) -> HostEvent { .connected(id, Peer(address: address)) }
}

extension RoomMessage.Welcome {
  /// The proof of the seat, over a connection that is not encrypted.
  var seatProof: SeatProof? { seatProof(over: []) }

  func seatProof(over binding: [UInt8]) -> SeatProof? {
    guard let player, let secret else { return nil }
    return SeatProof(room: room, player: player.id, secret: secret, over: binding)
  }
}
