import _BonjourishDiscovery

/// Text as one token of a NATS subject.
///
/// A token must not contain dots, spaces and wildcards, and a key of a bucket only letters, digits and `-/_=`. So lower-case ASCII
/// letters, digits and hyphens stand for themselves, and every other byte is `=` and two hexadecimal digits. Different texts have
/// different tokens, except for the case of ASCII letters, which names do not distinguish either.
package enum KeyToken {
  /// The token of a text; empty for an empty text.
  package static func make(_ text: String) -> String {
    var token: [UInt8] = []
    token.reserveCapacity(3 * text.utf8.count)
    for byte in text.asciiLowercased().utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): token.append(byte)
      default:
        token.append(UInt8(ascii: "="))
        token.append(digit(byte >> 4))
        token.append(digit(byte & 15))
      }
    }
    return String(decoding: token, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
