import CFramedOpenSSL
import FramedTransport

/// Why the TLS library gave up.
package enum TLSFailure: Error, Equatable {
  /// The stream ended without the peer's `close_notify`.
  case truncated
  /// A record's authentication failed, or a record is malformed.
  case tampered
  /// One of the sides does not offer TLS 1.3.
  case version
  /// The bytes are no TLS.
  case notEncrypted
  /// The two sides have no application protocol in common, and one of them said so (RFC 7301).
  case noCommonProtocol
  /// The peer does not negotiate application protocols.
  case noProtocol
  /// This side did not accept the peer's certificate.
  case certificateRefused
  /// The peer sends records without data, such as requests for new keys, again and again.
  case excessive
  /// The peer sent an alert, or something else; the text is the library's.
  case other(String)

  /// Reads and removes what the library has noted on this thread.
  ///
  /// - Parameter noted: Is set to the error that matters.
  static func take(_ noted: inout OpenSSLError?) -> TLSFailure {
    var first = ERR_get_error()
    var reason = openssl_reason(first)
    // A certificate's own problem is noted before the one that matters.
    while reason == 0, ERR_peek_error() != 0 {
      first = ERR_get_error()
      reason = openssl_reason(first)
    }
    defer { ERR_clear_error() }
    let error = OpenSSLError(first)
    noted = error
    switch reason {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .truncated
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, SSL_R_BAD_RECORD_TYPE, SSL_R_ENCRYPTED_LENGTH_TOO_LONG,
      SSL_R_DATA_LENGTH_TOO_LONG, SSL_R_LENGTH_TOO_SHORT, SSL_R_UNEXPECTED_RECORD, SSL_R_SSLV3_ALERT_BAD_RECORD_MAC,
      SSL_R_DIGEST_CHECK_FAILED:
      return .tampered
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_NO_PROTOCOLS_AVAILABLE,
      SSL_R_VERSION_TOO_LOW, SSL_R_WRONG_SSL_VERSION, SSL_R_BAD_PROTOCOL_VERSION_NUMBER:
      return .version
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG,
      SSL_R_RECORD_LENGTH_MISMATCH:
      return .notEncrypted
    case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: return .noCommonProtocol
    case SSL_R_CERTIFICATE_VERIFY_FAILED: return .certificateRefused
    default: return .other(error.reason)
    }
  }
}
