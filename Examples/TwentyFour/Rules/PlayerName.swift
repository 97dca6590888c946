/// A name that is safe to show to all players: short, visible, on one line, and unable to reorder the text around it.
public struct PlayerName: Hashable, Sendable {
  /// The longest name, in characters as people see them.
  public static let maximumCharacterCount = 32

  /// The longest name, in bytes of UTF-8: the size of a DNS label.
  public static let maximumByteCount = 63

  /// The name, without white space around it.
  public let text: String

  /// Checks a name as typed by a person; removes white space around it.
  ///
  /// - Throws: ``Invalid`` if nothing visible is left, the name is too long, or it contains a control, bidirectional or other
  ///   invisible formatting character (joiners are allowed inside emoji and scripts that need them).
  public init(_ text: String) throws(Invalid) {
    // Checked before the text is processed: it may come from the network.
    guard text.utf8.count <= 4 * PlayerName.maximumByteCount else { throw .tooLong }
    let trimmed = PlayerName.trimmed(text[...])
    guard trimmed.utf8.count <= PlayerName.maximumByteCount, trimmed.count <= PlayerName.maximumCharacterCount else {
      throw .tooLong
    }
    for scalar in trimmed.unicodeScalars where !scalar.isHarmless { throw .forbiddenCharacter(scalar) }
    guard trimmed.unicodeScalars.contains(where: \.isVisible) else { throw .empty }
    self.text = String(trimmed)
  }

  private init(unchecked text: String) {
    self.text = text
  }

  /// The name itself, or the first of `Bob 2`, `Bob 3`, … that is not in `taken`, ignoring case.
  func distinct(from taken: [PlayerName]) -> PlayerName {
    let keys = Set(taken.map(\.sortKey))
    var candidate = self
    var number = 2
    while keys.contains(candidate.sortKey) {
      candidate = numbered(number)
      number += 1
    }
    return candidate
  }

  /// The name in lower case, for ordering and comparison.
  var sortKey: String { text.lowercased() }

  private func numbered(_ number: Int) -> PlayerName {
    let suffix = " \(number)"
    var base = text[...]
    while base.count + suffix.count > PlayerName.maximumCharacterCount
      || base.utf8.count + suffix.utf8.count > PlayerName.maximumByteCount
    {
      base.removeLast()
    }
    return PlayerName(unchecked: base + suffix)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

extension PlayerName {
  /// The reason why a text is not a name.
  public enum Invalid: Error, Hashable, Sendable {
    /// No visible character.
    case empty
    /// More than ``PlayerName/maximumCharacterCount`` characters or ``PlayerName/maximumByteCount`` bytes.
    case tooLong
    case forbiddenCharacter(Unicode.Scalar)
  }
}

extension Unicode.Scalar {
  /// Whether the character is allowed in a name: it does not change the display of the text around it.
  fileprivate var isHarmless: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    case .format: self == "\u{200C}" || self == "\u{200D}"
    default: true
    }
  }

  fileprivate var isVisible: Bool {
    !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && !properties.isGraphemeExtend
  }
}

extension PlayerName: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.checked { (text: String) in try PlayerName(text) } }

  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension PlayerName: CustomStringConvertible {
  public var description: String { text }
}

extension PlayerName.Invalid: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty: "A name needs at least one visible character."
    case .tooLong:
      "The name is too long; at most \(PlayerName.maximumCharacterCount) characters and \(PlayerName.maximumByteCount) bytes fit."
    case .forbiddenCharacter(let scalar):
      "The name holds the invisible character U+\(String(scalar.value, radix: 16, uppercase: true)); remove it."
    }
  }
}
