import Discovery

/// Text as one token of a NATS subject.
///
/// A token must not contain dots, spaces and wildcards, and a key of a bucket only letters, digits and `-/_=`. So lower-case ASCII
/// letters, digits and hyphens stand for themselves, and every other byte is `=` and two hexadecimal digits. Different texts have
/// different tokens, except for the case of ASCII letters, which names do not distinguish either.
package enum KeyToken {
  /// The token of a text; empty for an empty text.
  package static func make(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var token: [UInt8] = []
    for byte in text.asciiLowercased().utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): token.append(byte)
      default: token += [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: token, as: UTF8.self)
  }
}
