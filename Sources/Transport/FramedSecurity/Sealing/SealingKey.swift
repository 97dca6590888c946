import CFramedSodium
public import FramedTransport

/// A key that encrypts and authenticates what programs with the same ``Identity`` store and read later.
///
/// It is for files, databases and buckets that others can read or write: they learn the length and nothing else, and what they change is
/// not opened. Programs with the same identity and the same purpose have the same key.
///
/// ```swift
/// let key = try SealingKey(of: identity, for: "states of matches")
/// let sealed = key.seal(state, as: Array("match 12".utf8))
/// let state = key.open(sealed, as: Array("match 12".utf8))
/// ```
///
/// What was sealed is opened only in the same context. So something sealed cannot be passed off as something else, but an older one can
/// be passed off as a newer one of the same context: put a number into what is sealed, and compare it with the last one seen.
///
/// XChaCha20-Poly1305 with a random nonce of 192 bits; the key is the HMAC-SHA-512 of the purpose under the private key, cut to 256 bits.
public struct SealingKey: Sendable {
  /// How much longer something sealed is.
  public static let overhead = 1 + nonceLength + tagLength

  private static let version: UInt8 = 1
  private static let nonceLength = Int(crypto_aead_xchacha20poly1305_IETF_NPUBBYTES)
  private static let tagLength = Int(crypto_aead_xchacha20poly1305_IETF_ABYTES)
  private static let keyLength = Int(crypto_aead_xchacha20poly1305_IETF_KEYBYTES)

  private let key: SecretBytes

  /// Derives the key of an identity for one purpose.
  ///
  /// - Parameters:
  ///   - identity: The identity, whose private key stays secret even from those who learn the derived key.
  ///   - purpose: What the key is for. Keys for different purposes are independent.
  /// - Throws: `unusableKey` if the private key is of a kind from which nothing can be derived: it is not in memory.
  public init(of identity: Identity, for purpose: String) throws(TransportError) {
    guard let secret = identity.key.secret else {
      throw TransportError(.unusableKey, "No key for \"\(purpose)\" can be derived: the private key is not in memory")
    }
    let label = CPace.joined(Self.label, Array(purpose.utf8))
    let code = Digest.authenticationCode(of: label, key: secret)
    key = SecretBytes(count: Self.keyLength) { target in
      code.withBytes { target.update(from: $0, count: Self.keyLength) }
    }
  }

  private static let label = Array("bonjourish sealing key 1".utf8)

  /// Encrypts and authenticates bytes.
  ///
  /// - Parameters:
  ///   - bytes: What to seal.
  ///   - context: What it is, such as the name under which it is stored. It is not part of the result.
  /// - Returns: The sealed bytes, ``overhead`` longer. No two results are the same.
  public func seal(_ bytes: [UInt8], as context: [UInt8]) -> [UInt8] {
    let nonce = SecretBytes.random(count: Self.nonceLength).exposed
    let head = [Self.version] + nonce
    let data = CPace.joined(head, context)
    let body = [UInt8](unsafeUninitializedCapacity: bytes.count + Self.tagLength) { target, count in
      var written: UInt64 = 0
      let result = key.withBytes { key in
        crypto_aead_xchacha20poly1305_ietf_encrypt(
          target.baseAddress!, &written, bytes, UInt64(bytes.count), data, UInt64(data.count), nil, nonce, key)
      }
      precondition(result == 0, "bytes must not be longer than 256 GiB")
      count = Int(written)
    }
    return head + body
  }

  /// Opens what was sealed with the same key in the same context.
  ///
  /// - Returns: The bytes; nil for anything else.
  public func open(_ sealed: [UInt8], as context: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.overhead, sealed[0] == Self.version else { return nil }
    let head = Array(sealed[..<(1 + Self.nonceLength)])
    let (nonce, body) = (Array(head[1...]), Array(sealed[(1 + Self.nonceLength)...]))
    let data = CPace.joined(head, context)
    var isOpened = false
    let bytes = [UInt8](unsafeUninitializedCapacity: max(body.count - Self.tagLength, 1)) { target, count in
      var written: UInt64 = 0
      let result = key.withBytes { key in
        crypto_aead_xchacha20poly1305_ietf_decrypt(
          target.baseAddress!, &written, nil, body, UInt64(body.count), data, UInt64(data.count), nonce, key)
      }
      isOpened = result == 0
      count = isOpened ? Int(written) : 0
    }
    return isOpened ? bytes : nil
  }
}

extension SealingKey: CustomStringConvertible, CustomReflectable {
  /// Says that it is a key, and not which.
  public var description: String { "a sealing key" }

  /// Shows nothing of the key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
