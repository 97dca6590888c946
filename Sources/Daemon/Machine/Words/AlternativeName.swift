/// The names to try next when another has a name: `h1` and `h1-2`, `Printer` and `Printer #2`.
enum AlternativeName {
  /// The longest name in bytes.
  private static let maximumBytes = 63

  static func host(after name: String) -> String { next(name, separator: "-") }

  static func service(after name: String) -> String { next(name, separator: " #") }

  private static func next(_ name: String, separator: String) -> String {
    var stem = Array(name.utf8)
    var number: UInt32 = 2
    let mark = Array(separator.utf8)
    if let place = stem.indices.last(where: { stem[$0...].starts(with: mark) }) {
      let digits = stem[(place + mark.count)...]
      if !digits.isEmpty, digits.first != UInt8(ascii: "0"), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
        let former = UInt32(String(decoding: digits, as: UTF8.self)), former < .max
      {
        number = former + 1
        stem.removeSubrange(place...)
      }
    }
    let suffix = separator + String(number)
    var end = min(stem.count, maximumBytes - suffix.utf8.count)
    // Do not cut inside a UTF-8 character.
    while end < stem.count, end > 0, stem[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: stem[..<end], as: UTF8.self) + suffix
  }
}
