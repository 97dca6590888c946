import CFramedOpenSSL

/// An error that the TLS library has noted: what is behind a transport error.
package struct OpenSSLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The library's number, in which the part and the reason are packed; 0 if it gives none.
  package let code: UInt

  init(_ code: UInt) {
    self.code = code
  }

  /// Reads the oldest error that the library has noted on this thread, and removes all.
  static func take() -> OpenSSLError {
    defer { ERR_clear_error() }
    return OpenSSLError(ERR_get_error())
  }

  /// The library's words for the reason.
  package var reason: String {
    ERR_reason_error_string(code).map { String(cString: $0) } ?? "the TLS library gives no reason"
  }

  /// The number, as `openssl errstr` takes it, and the reason.
  package var description: String { "OpenSSL error \(String(code, radix: 16, uppercase: true)): \(reason)" }
}
