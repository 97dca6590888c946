/// A name that is safe to show to all players: short, visible, on one line, and unable to reorder the text around it.
public struct PlayerName: Hashable, Sendable {
  /// The longest name, in characters as people see them.
  public static let maximumCharacterCount = 32

  /// The longest name, in bytes of UTF-8: the size of a DNS label.
  public static let maximumByteCount = 63

  /// The most marks on one letter (UTS 39, section 5.4).
  public static let maximumMarkCount = 4

  /// What the game writes behind names. No name contains one of them.
  public static let reserved = ["(you)", "(host)"]

  /// The name, with single spaces inside and none around it.
  public let text: String

  /// Checks a name; makes one space of each white space inside, and removes that around it.
  ///
  /// Joiners and variation selectors stay inside emoji, and are dropped elsewhere.
  ///
  /// - Throws: ``Invalid`` if nothing visible is left, the name is too long or reserved, has a letter with too many marks, or
  ///   contains a control, bidirectional, blank or invisible character.
  public init(_ text: String) throws(Invalid) {
    // Checked before the text is processed: it may come from the network.
    guard text.utf8.count <= 4 * PlayerName.maximumByteCount else { throw .tooLong }
    let trimmed = PlayerName.collapsed(text)
    guard trimmed.utf8.count <= PlayerName.maximumByteCount, trimmed.count <= PlayerName.maximumCharacterCount else {
      throw .tooLong
    }
    for scalar in trimmed.unicodeScalars where !scalar.isHarmless { throw .forbiddenCharacter(scalar) }
    guard trimmed.unicodeScalars.contains(where: \.isVisible) else { throw .empty }
    try PlayerName.checkMarks(of: trimmed)
    let lowercased = trimmed.lowercased()
    for mark in PlayerName.reserved where lowercased.contains(mark) { throw .reserved(mark) }
    self.text = trimmed
  }

  /// A mark that is there twice, or too many of them, hide what they are on, and reach into other lines.
  private static func checkMarks(of text: String) throws(Invalid) {
    for character in text {
      let marks = character.unicodeScalars.filter(\.isMark)
      guard marks.count <= maximumMarkCount, Set(marks).count == marks.count else { throw .tooManyMarks }
    }
  }

  private init(unchecked text: String) {
    self.text = text
  }

  /// The name itself, or the first of `Bob 2`, `Bob 3`, … that is not in `taken`, ignoring case.
  public func distinct(from taken: [PlayerName]) -> PlayerName {
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

  /// Makes one space of each white space but line ends, drops that around the text, and joiners and variation selectors that hold no
  /// emoji together.
  private static func collapsed(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    var scalars = text.unicodeScalars[...]
    while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
    while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
    var rest = scalars.makeIterator()
    var next = rest.next()
    while let scalar = next {
      next = rest.next()
      if scalar.properties.generalCategory == .spaceSeparator {
        if kept.last != " " { kept.append(" ") }
      } else if !scalar.isJoiner || scalar.holdsEmoji(between: kept.last, and: next) {
        kept.append(scalar)
      }
    }
    return String(kept)
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
    /// A letter with more than ``PlayerName/maximumMarkCount`` marks, or with one mark twice.
    case tooManyMarks
    /// One of ``PlayerName/reserved``.
    case reserved(String)
  }
}

extension Unicode.Scalar {
  /// Whether the character is allowed in a name: it does not change the display of the text around it.
  fileprivate var isHarmless: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    case .format: isJoiner
    default: isJoiner || (!properties.isDefaultIgnorableCodePoint && !isBlank)
    }
  }

  /// Whether it is seen as a blank, although it is no white space: the empty pattern of Braille, and the null notehead.
  private var isBlank: Bool { value == 0x2800 || value == 0x1D159 }

  /// Whether it is a joiner or a variation selector.
  fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D || (0xFE00...0xFE0F).contains(value) }

  /// Whether it is a mark on the letter before it.
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: !isJoiner
    default: false
    }
  }

  /// Whether this joiner or variation selector makes one emoji of several characters.
  fileprivate func holdsEmoji(between previous: Unicode.Scalar?, and next: Unicode.Scalar?) -> Bool {
    switch value {
    case 0xFE0E, 0xFE0F: previous?.isPictograph ?? false
    case 0x200D: (previous.map { $0.isPictograph || $0.value == 0xFE0F } ?? false) && (next?.isPictograph ?? false)
    default: false
    }
  }

  /// Whether it is an emoji. Unicode counts digits and # as emoji too; this does not.
  private var isPictograph: Bool { properties.isEmoji && value > 0xFF }

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
    case .tooManyMarks:
      "A letter of the name has more than \(PlayerName.maximumMarkCount) marks, or one twice; write it with fewer."
    case .reserved(let mark): "\"\(mark)\" is what the game writes behind names; leave it out."
    case .forbiddenCharacter(let scalar):
      "The name holds the invisible character U+\(String(scalar.value, radix: 16, uppercase: true)); remove it."
    }
  }
}
