import CFramedOpenSSL

/// The TLS library as a whole.
enum TLSLibrary {
  /// Whether the library is ready. Asked before anything else of it is used, because it can be told only once how to end.
  static let isReady = openssl_start() == 1
}
