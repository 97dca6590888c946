import FoundationEssentials
import FramedSecurity

/// The secret of a ``RoomLink``, on the host: whoever proves it needs no passcode.
public struct Invitation: Hashable, Codable, Sendable {
  /// The text of an `AccessToken`.
  let token: String

  /// Makes one that nobody can guess.
  public static func random() -> Invitation { Invitation(token: AccessToken.random().text) }

  init(token: String) {
    self.token = token
  }

  /// The proof of it over a connection.
  func proof(over binding: [UInt8]) -> Data { Data(ChannelProof.proof(of: key, over: binding)) }

  /// Whether this is the proof of it over a connection.
  func isProved(by proof: Data, over binding: [UInt8]) -> Bool {
    ChannelProof.isValid(Array(proof), of: key, over: binding)
  }

  private var key: [UInt8] { Array("invitation \(token)".utf8) }
}
