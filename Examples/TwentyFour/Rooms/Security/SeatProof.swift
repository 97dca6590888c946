import FoundationEssentials
import FramedSecurity
public import TwentyFour

/// The proof of a player who comes back: which seat it is, and that the player has its secret.
///
/// Over a native connection the secret is proved, and the proof is worth nothing over another connection. A page that was loaded over HTTP
/// can prove nothing that somebody on the way could not change, so it sends the secret itself.
public struct SeatProof: Hashable, Sendable {
  /// The room of the seat; a host of many rooms finds it by that.
  public let room: RoomID
  public let player: PlayerID
  private let evidence: Evidence

  private enum Evidence: Hashable {
    /// The ``ChannelProof`` of the secret.
    case proof(Data)
    /// The secret itself, from a page.
    case secret(String)
  }

  /// Makes the proof of a seat that was won over a native connection.
  ///
  /// - Parameters:
  ///   - secret: The secret of the latest welcome.
  ///   - binding: The binding of the connection over which the proof is sent, ``Peer/binding``.
  public init(room: RoomID, player: PlayerID, secret: String, over binding: [UInt8]) {
    self.room = room
    self.player = player
    evidence = .proof(Data(ChannelProof.proof(of: Self.key(secret), over: binding)))
  }

  /// Makes the proof of a seat that was won over the web.
  ///
  /// - Parameter secret: The secret of the latest welcome.
  public init(room: RoomID, player: PlayerID, secretOverWeb secret: String) {
    self.room = room
    self.player = player
    evidence = .secret(secret)
  }

  /// Whether the proof shows a secret over a connection: a proof over a native one, the secret itself over the web, and never the
  /// other way round. Takes as long whether the secret differs early or late.
  func shows(_ secret: String, over peer: Peer) -> Bool {
    switch evidence {
    case .proof(let proof):
      return !peer.isWeb && ChannelProof.isValid(Array(proof), of: Self.key(secret), over: peer.binding)
    case .secret(let shown):
      let proof = ChannelProof.proof(of: Self.key(shown), over: [])
      return peer.isWeb && ChannelProof.isValid(proof, of: Self.key(secret), over: [])
    }
  }

  private static func key(_ secret: String) -> [UInt8] { Array("seat \(secret)".utf8) }
}

extension SeatProof: Codable {
  private enum Key: String, CodingKey {
    case room, player, proof, secret
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(room, forKey: .room)
    try fields.encode(player, forKey: .player)
    switch evidence {
    case .proof(let proof): try fields.encode(proof, forKey: .proof)
    case .secret(let secret): try fields.encode(secret, forKey: .secret)
    }
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    room = try fields.decode(RoomID.self, forKey: .room)
    player = try fields.decode(PlayerID.self, forKey: .player)
    if let secret = try fields.decodeIfPresent(String.self, forKey: .secret) {
      evidence = .secret(secret)
    } else {
      evidence = .proof(try fields.decode(Data.self, forKey: .proof))
    }
  }
}
