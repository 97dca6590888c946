/// Base64 with padding (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(of bytes: [UInt8]) -> String {
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        let isPadding = place > group.count
        let character = isPadding ? UInt8(ascii: "=") : alphabet[Int(number >> UInt32(18 - 6 * place) & 63)]
        text.unicodeScalars.append(Unicode.Scalar(character))
      }
    }
    return text
  }

  /// Whether text is the base64 of 16 bytes, as the key of a handshake must be.
  package static func isOf16Bytes(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 24, bytes[22...].allSatisfy({ $0 == UInt8(ascii: "=") }),
      let last = alphabet.firstIndex(of: bytes[21]), last & 15 == 0
    else { return false }
    return bytes[..<22].allSatisfy { alphabet.contains($0) }
  }
}
