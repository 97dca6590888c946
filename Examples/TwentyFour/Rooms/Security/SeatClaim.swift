import FoundationEssentials
import SecureTransport
public import TwentyFour

/// The claim of a player who comes back: which seat it is, and the proof of its secret.
///
/// The proof is worth nothing over another connection.
public struct SeatClaim: Hashable, Codable, Sendable {
  /// The room of the seat; a host of many rooms finds it by that.
  public let room: RoomID
  public let player: PlayerID
  /// The ``ChannelProof`` of the secret.
  let proof: Data

  /// Makes the claim of a seat.
  ///
  /// - Parameters:
  ///   - secret: The secret of the latest welcome.
  ///   - binding: The binding of the connection over which the claim is sent, ``Peer/binding``.
  public init(room: RoomID, player: PlayerID, secret: String, over binding: [UInt8]) {
    self.room = room
    self.player = player
    proof = Data(ChannelProof.proof(of: Self.key(secret), over: binding))
  }

  static func isValid(_ proof: Data, of secret: String, over binding: [UInt8]) -> Bool {
    ChannelProof.isValid(Array(proof), of: key(secret), over: binding)
  }

  private static func key(_ secret: String) -> [UInt8] { Array("seat \(secret)".utf8) }
}
