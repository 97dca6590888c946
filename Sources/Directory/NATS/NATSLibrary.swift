import CLinux

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

  /// `OPENSSL_INIT_NO_ATEXIT`.
  private static let leaveOutAtExit: UInt64 = 0x0008_0000
}
