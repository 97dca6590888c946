import FoundationEssentials
import Rooms
import TwentyFour

/// A connection between a person, or somebody who pretends, and the room.
struct Wire {
  /// Who the room sees at the other end.
  let peer: Peer
  /// What the person has said that has not arrived yet.
  var toRoom: [Parcel] = []
  /// What the room has said that has not arrived yet.
  var toPerson: [RoomMessage] = []
  /// Whether the room has the connection.
  var isOpenAtRoom = true
  /// The hello that the room has received.
  var hello: Parcel?
  /// Whose seat it is.
  var player: PlayerID?
  /// Whether the room counts it among those that it tells of events.
  var isAdmitted = false

  /// Nobody knows it but both ends; the room's other connections have others.
  static func binding(_ number: Int) -> [UInt8] { Array("wire \(number)".utf8) }
}

/// A message on its way to the room.
struct Parcel {
  var message: RoomMessage
  /// What the person who has written it could prove; it is for one connection.
  let proof: Proof?

  struct Proof {
    let wire: Int
    /// The seat whose secret the person has, and the proof of it.
    let seat: (player: PlayerID, secret: String)?
    let seatProof: SeatProof?
    /// The proof of an invitation.
    let invitation: Data?
  }

  init(_ message: RoomMessage, _ proof: Proof? = nil) {
    self.message = message
    self.proof = proof
  }

  private var hello: RoomMessage.Hello? { if case .hello(let hello) = message { hello } else { nil } }

  /// The seat that the message proves, over a connection.
  func provenSeat(over wire: Int) -> (player: PlayerID, secret: String)? {
    guard let proof, proof.wire == wire, let seatProof = proof.seatProof, hello?.seat == seatProof else { return nil }
    return proof.seat
  }

  /// Whether the message proves an invitation, over a connection.
  func provesInvitation(over wire: Int) -> Bool {
    guard let proof, proof.wire == wire, let invitation = proof.invitation else { return false }
    return hello?.invitation == invitation
  }
}
