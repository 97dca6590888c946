import CBonjourishLinux
import _BonjourishDirectoryProtocol

/// The C client of NATS as a whole.
enum NATSLibrary {
  /// Prepares the library; to be read before it is used first.
  ///
  /// Its threads run until the process has ended, and encrypt with OpenSSL, which frees what they need when `exit` is called: now and
  /// then a program that was done crashed. OpenSSL leaves that out if it is asked to before it is used first. It is looked up because the
  /// library alone is linked to it, if it was built with TLS.
  static let preparation: Void = {
    guard let symbol = dlsym(nil, "OPENSSL_init_crypto") else { return }
    // As openssl/crypto.h declares it.
    let initialize = unsafeBitCast(symbol, to: (@convention(c) (UInt64, UnsafeRawPointer?) -> CInt).self)
    _ = initialize(leaveOutAtExit, nil)
  }()

  /// The text of the public key of a seed, which the C library wants beside it.
  ///
  /// - Parameter symbol: Finds a function of OpenSSL in this process.
  /// - Throws: ``NATSFailure`` of the configuration if OpenSSL cannot be found, or does not know this kind of keys.
  static func publicKey(
    of seed: NKeySeed, symbol: (String) -> UnsafeMutableRawPointer? = { dlsym(nil, $0) }
  ) throws(NATSFailure) -> String {
    let remedy = "name the public key, too, or use a libnats that is built with TLS"
    guard let make = symbol("EVP_PKEY_new_raw_private_key"), let read = symbol("EVP_PKEY_get_raw_public_key"),
      let free = symbol("EVP_PKEY_free")
    else { throw .configuration("the public key of a seed needs OpenSSL, which this program has not loaded; \(remedy)") }
    // As openssl/evp.h declares them.
    typealias Make = @convention(c) (CInt, OpaquePointer?, UnsafePointer<UInt8>, Int) -> OpaquePointer?
    typealias Read = @convention(c) (OpaquePointer, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> CInt
    typealias Free = @convention(c) (OpaquePointer?) -> Void
    guard let key = unsafeBitCast(make, to: Make.self)(ed25519, nil, seed.bytes, seed.bytes.count) else {
      throw .configuration("OpenSSL does not know Ed25519, the keys of NKEYs; \(remedy)")
    }
    defer { unsafeBitCast(free, to: Free.self)(key) }
    var (bytes, size) = ([UInt8](repeating: 0, count: 32), 32)
    guard unsafeBitCast(read, to: Read.self)(key, &bytes, &size) == 1, size == 32 else {
      throw .configuration("OpenSSL does not tell the public key of an NKEY's seed; \(remedy)")
    }
    return NKeySeed.publicText(bytes)
  }

  /// `EVP_PKEY_ED25519`.
  private static let ed25519: CInt = 1_087
  /// `OPENSSL_INIT_NO_ATEXIT`.
  private static let leaveOutAtExit: UInt64 = 0x0008_0000
}
