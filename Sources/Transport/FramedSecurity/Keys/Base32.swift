/// Base 32 without padding (RFC 4648, section 6), in lower case: no letter can be taken for a digit.
enum Base32 {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    var (bits, count) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.unicodeScalars.append(Unicode.Scalar(alphabet[bits >> count & 31]))
      }
      bits &= 1 << count - 1
    }
    if count > 0 { text.unicodeScalars.append(Unicode.Scalar(alphabet[bits << (5 - count) & 31])) }
    return text
  }

  /// The bytes of a text in either case; hyphens and spaces do not count.
  ///
  /// - Returns: `nil` if the text has other characters, or is not what `encode` writes.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    for character in text.utf8 where character != UInt8(ascii: "-") && character != UInt8(ascii: " ") {
      let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
      guard let value = alphabet.firstIndex(of: isCapital ? character | 0x20 : character) else { return nil }
      bits = bits << 5 | value
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count))
      bits &= 1 << count - 1
    }
    return count < 5 && bits == 0 ? bytes : nil
  }
}
