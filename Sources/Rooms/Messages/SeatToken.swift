/// The secret by which a player who comes back is known: 16 random bytes, written in hexadecimal digits.
package struct SeatToken: Hashable, Codable, Sendable {
  /// The longest text that is taken for a token, in bytes.
  static let maximumByteCount = 64

  package let text: String

  package init(text: String) {
    self.text = text
  }

  /// A token that nobody can guess.
  package static func random() -> SeatToken {
    // The system's generator is one for secrets.
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<4).map { _ in String(UInt32.random(in: 0...UInt32.max, using: &generator), radix: 16) }
    return SeatToken(text: digits.map { String(repeating: "0", count: 8 - $0.utf8.count) + $0 }.joined())
  }

  /// Whether a text from the network is this token.
  ///
  /// Takes as long whatever the text is, so that the time does not tell how much of it was right.
  func matches(_ other: String) -> Bool {
    guard text.utf8.count == other.utf8.count else { return false }
    return zip(text.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
