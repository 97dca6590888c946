extension StringProtocol {
  /// The text in a form that is safe for a terminal, a log or a label.
  ///
  /// Show names and texts from the network in this form only. Characters that move the cursor, ring the bell, or reorder or hide
  /// text are escaped, such as `\n`, `\t` or `\u{1B}`: control characters, format characters (bidirectional controls, zero-width
  /// characters), line separators, private-use and unassigned characters, the empty Braille pattern, which looks like a space, and
  /// from the fifth mark on a letter on, marks that would reach into other lines. Variation selectors and joiners inside emoji stay.
  public var escapedForDisplay: String {
    guard !utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return String(self) }
    var result = ""
    var previous: Unicode.Scalar?
    var marks = 0
    var scalars = unicodeScalars.makeIterator()
    var next = scalars.next()
    while let scalar = next {
      next = scalars.next()
      marks = scalar.isMark ? marks + 1 : 0
      if (scalar.isSafeToDisplay && marks <= maximumMarkCount) || scalar.holdsEmojiTogether(between: previous, and: next) {
        result.unicodeScalars.append(scalar)
      } else {
        result += scalar.escape
      }
      previous = scalar
    }
    return result
  }
}

extension Sequence<UInt8> {
  /// The bytes as text that is safe for a terminal: valid UTF-8 is escaped like a string, any other byte becomes `\x` and two
  /// hexadecimal digits.
  public var escapedForDisplay: String {
    var result = ""
    var text = ""
    var pending = Array(self)[...]
    parsing: while true {
      var bytes = pending.makeIterator()
      var parser = Unicode.UTF8.ForwardParser()
      switch parser.parseScalar(from: &bytes) {
      case .valid(let encoded):
        text.unicodeScalars.append(Unicode.UTF8.decode(encoded))
        pending = pending.dropFirst(encoded.count)
      case .error(let length):
        result += text.escapedForDisplay
        text = ""
        for byte in pending.prefix(length) { result += "\\x\(byte.hexadecimal.uppercased())" }
        pending = pending.dropFirst(length)
      case .emptyInput:
        break parsing
      }
    }
    return result + text.escapedForDisplay
  }
}

/// The most marks on one letter (UTS 39, section 5.4).
private let maximumMarkCount = 4

extension Unicode.Scalar {
  /// Whether it is a mark on the letter before it.
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: value > 0xFE0F || value < 0xFE00
    default: false
    }
  }

  /// Whether a terminal shows the character, and shows it in its place.
  package var isSafeToDisplay: Bool {
    if (0x20...0x7E).contains(value) { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      return false
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark,
      .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
      .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
      .modifierSymbol, .otherSymbol, .spaceSeparator:
      return !properties.isDefaultIgnorableCodePoint && value != 0x2800
    @unknown default:
      return false
    }
  }

  fileprivate var escape: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }

  /// Whether this is a variation selector after an emoji, or a zero-width joiner between two emoji.
  fileprivate func holdsEmojiTogether(between previous: Unicode.Scalar?, and next: Unicode.Scalar?) -> Bool {
    switch value {
    case 0xFE0E, 0xFE0F: previous?.isPictograph ?? false
    case 0x200D: (previous.map { $0.isPictograph || $0.value == 0xFE0F } ?? false) && (next?.isPictograph ?? false)
    default: false
    }
  }

  /// Whether this is an emoji. Unicode counts digits and # as emoji too; this does not.
  private var isPictograph: Bool { properties.isEmoji && value > 0xFF }
}
