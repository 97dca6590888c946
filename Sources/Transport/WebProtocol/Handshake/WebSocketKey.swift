import _BonjourishBase

/// The key of a handshake, and the answer that proves that the server has read it (RFC 6455, section 4.2.2).
package enum WebSocketKey {
  /// The version of the protocol, which both sides must name.
  package static let version = "13"

  private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The value of `Sec-WebSocket-Accept` for a key.
  package static func accept(_ key: String) -> String { Base64.text(of: SHA1.digest(Array((key + identifier).utf8))) }

  /// Whether text is the base64 of 16 bytes, as a key must be.
  static func isValid(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 24, bytes[22...].allSatisfy({ $0 == UInt8(ascii: "=") }) else { return false }
    let digits = bytes[..<22].compactMap { Base64.digits.firstIndex(of: $0) }
    // Four bits of the last digit stand for nothing.
    return digits.count == 22 && digits[21] & 15 == 0
  }
}
