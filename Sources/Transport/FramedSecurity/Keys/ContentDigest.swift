import CFramedOpenSSL

/// The SHA-256 hash (FIPS 180-4) of data that comes piece by piece, such as a file.
///
/// ```swift
/// var digest = ContentDigest()
/// while let piece = try nextPiece() { digest.add(piece) }
/// let hash = digest.finish()
/// ```
public struct ContentDigest: ~Copyable {
  /// The number of bytes of a hash.
  public static let byteCount = 32

  private let context: OpaquePointer

  /// Creates the hash of no data.
  public init() {
    precondition(TLSLibrary.isReady, "OpenSSL must be usable")
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("there must be memory for a hash") }
    self.context = context
    start()
  }

  deinit { EVP_MD_CTX_free(context) }

  private func start() {
    // Fails only if the library is without SHA-256, as none is.
    precondition(EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, "OpenSSL must have SHA-256")
  }

  /// Adds data behind what was added before.
  public mutating func add(_ bytes: [UInt8]) {
    precondition(EVP_DigestUpdate(context, bytes, bytes.count) == 1, "OpenSSL must hash what it has begun")
  }

  /// Returns the hash of everything that was added, ``byteCount`` bytes, and begins anew.
  public mutating func finish() -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.byteCount)
    precondition(EVP_DigestFinal_ex(context, &hash, nil) == 1, "OpenSSL must hash what it has begun")
    start()
    return hash
  }
}
