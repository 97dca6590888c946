import CFramedSodium

/// The fingerprint of a public key: the SHA-256 hash of its SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7).
///
/// Two fingerprints are the same only if the keys are. It is no secret: it may stand in a link, on a screen or in a TXT record.
public struct KeyFingerprint: Hashable, Sendable {
  /// The number of bytes.
  public static let byteCount = 32

  /// The hash, 32 bytes.
  public let bytes: [UInt8]

  /// Creates a fingerprint from its bytes.
  ///
  /// - Returns: `nil` if there are not 32.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Reads a fingerprint's ``description``, in any case, with or without hyphens and spaces.
  ///
  /// - Returns: `nil` if the text is no fingerprint.
  public init?(_ text: String) {
    guard let bytes = Base32.decode(text) else { return nil }
    self.init(bytes)
  }

  /// Hashes an encoded public key (SubjectPublicKeyInfo, DER).
  init(ofKey encoded: [UInt8]) {
    var hash = [UInt8](repeating: 0, count: Self.byteCount)
    crypto_hash_sha256(&hash, encoded, UInt64(encoded.count))
    bytes = hash
  }

  /// The first 80 bits, for a hint where there is little room, such as `mfzw-64tz-onua-o3tp`. It proves nothing.
  public var short: String { String(description.prefix(19)) }
}

extension KeyFingerprint: CustomStringConvertible {
  /// The fingerprint in base 32: 52 letters and digits in groups of four.
  public var description: String {
    let text = Array(Base32.encode(bytes))
    return stride(from: 0, to: text.count, by: 4).map { String(text[$0..<min($0 + 4, text.count)]) }.joined(separator: "-")
  }
}
