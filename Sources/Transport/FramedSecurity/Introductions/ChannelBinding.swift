/// The secret that both ends of one TLS connection share, and nobody between them (RFC 8446, section 7.5; RFC 9266).
///
/// Someone who terminates the connection in between has two channels with two such secrets.
package struct ChannelBinding: Sendable {
  /// The number of bytes to export.
  static let byteCount = 64

  private let secret: SecretBytes

  package init(_ secret: SecretBytes) {
    self.secret = secret
  }

  /// A value for one purpose, 64 bytes, which reveals nothing of the values for other purposes.
  func value(for purpose: String, _ context: [UInt8] = []) -> SecretBytes {
    Digest.authenticationCode(of: CPace.joined(Array(purpose.utf8), context), key: secret)
  }
}
