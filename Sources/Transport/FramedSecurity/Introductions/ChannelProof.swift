/// Proves over one connection that one knows a secret, and reveals nothing of it.
///
/// The proof is an HMAC-SHA-512 of a connection's ``SecurityDetails/channelBinding(for:)`` under the secret. Only the two ends of the
/// connection have that value, so the proof is worth nothing on another connection, and whoever gets hold of it cannot test guesses
/// at the secret without the connection's own keys. Still the secret should be random: the peer, if it is the wrong one, can test
/// guesses.
///
/// Both sides make the same proof of the same value. If both of them prove, use a binding for another purpose on each side, so that a
/// proof cannot be sent back to where it came from.
///
/// ```swift
/// let binding = details.channelBinding(for: "seat")
/// let proof = ChannelProof.proof(of: secret, over: binding)
/// // On the other side of the same connection:
/// ChannelProof.isValid(proof, of: secret, over: binding)
/// ```
public enum ChannelProof {
  /// The number of bytes of a proof.
  public static let byteCount = 32

  /// Makes the proof of a secret.
  ///
  /// - Parameters:
  ///   - secret: The secret, which should have 16 random bytes or more.
  ///   - binding: The connection's channel binding. On a connection that is not encrypted there is none: an empty one makes a proof
  ///     that whoever reads along can use again.
  public static func proof(of secret: [UInt8], over binding: [UInt8]) -> [UInt8] {
    // With its length, because HMAC fills a short key up with zeros.
    let text = CPace.joined(label, CPace.encodedLength(secret.count), binding)
    return Array(Digest.authenticationCode(of: text, key: SecretBytes(secret)).exposed.prefix(byteCount))
  }

  /// Whether this is the proof of a secret; takes as long whether it differs early or late.
  public static func isValid(_ proof: [UInt8], of secret: [UInt8], over binding: [UInt8]) -> Bool {
    SecretBytes(Self.proof(of: secret, over: binding)).equals(SecretBytes(proof))
  }

  private static let label = Array("bonjourish channel proof 1".utf8)
}
