import CFramedSodium

/// SHA-512 and HMAC-SHA-512, fed piece by piece, so that secrets need not be put together in memory that is not wiped.
struct Digest: ~Copyable {
  private var state = crypto_hash_sha512_state()

  init() { crypto_hash_sha512_init(&state) }

  deinit {
    var state = state
    sodium_memzero(&state, MemoryLayout<crypto_hash_sha512_state>.size)
  }

  mutating func add(_ bytes: [UInt8]) {
    crypto_hash_sha512_update(&state, bytes, UInt64(bytes.count))
  }

  mutating func add(_ bytes: SecretBytes) {
    bytes.withBytes { _ = crypto_hash_sha512_update(&state, $0, UInt64(bytes.count)) }
  }

  /// Adds the length of the bytes, then the bytes (`prepend_len` of the CPace draft).
  mutating func addWithLength(_ bytes: [UInt8]) {
    add(CPace.encodedLength(bytes.count))
    add(bytes)
  }

  mutating func addWithLength(_ bytes: SecretBytes) {
    add(CPace.encodedLength(bytes.count))
    add(bytes)
  }

  /// The hash of everything that was added: 64 bytes. Called once.
  mutating func finish() -> SecretBytes {
    SecretBytes(count: 64) { crypto_hash_sha512_final(&state, $0) }
  }

  /// The authentication code of bytes under a key: HMAC-SHA-512 (RFC 2104, RFC 4231), 64 bytes.
  static func authenticationCode(of bytes: [UInt8], key: SecretBytes) -> SecretBytes {
    var state = crypto_auth_hmacsha512_state()
    defer { sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha512_state>.size) }
    key.withBytes { _ = crypto_auth_hmacsha512_init(&state, $0, key.count) }
    crypto_auth_hmacsha512_update(&state, bytes, UInt64(bytes.count))
    return SecretBytes(count: 64) { crypto_auth_hmacsha512_final(&state, $0) }
  }
}
