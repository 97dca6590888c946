/// The reason why a text is not an expression, and the column.
public struct SyntaxError: Error, Hashable, Sendable {
  public let reason: Reason
  /// The column, counted in characters from 1; one past the last character if something is missing at the end.
  public let column: Int

  public init(reason: Reason, column: Int) {
    self.reason = reason
    self.column = column
  }

  public enum Reason: Hashable, Sendable {
    /// The text is empty.
    case empty
    /// The text has more bytes than ``Expression/maximumByteCount``.
    case tooLong
    /// Parentheses are nested more than ``Expression/maximumDepth`` deep.
    case tooDeep
    /// A character that is not part of the notation.
    case unexpectedCharacter(Character)
    /// A zero, which no hand contains.
    case zero
    /// Digits next to each other, as in `25`; the text is the joined number.
    case joinedDigits(String)
    /// A minus sign where a number is expected.
    case negativeNumber
    /// A sign, a closing parenthesis or the end where a number or an opening parenthesis is expected.
    case missingNumber
    /// A number or an opening parenthesis where a sign is expected.
    case missingSign
    /// An opening parenthesis that is never closed.
    case unclosedParenthesis
    /// A closing parenthesis that closes nothing.
    case unopenedParenthesis
  }
}

extension SyntaxError: CustomStringConvertible {
  /// One sentence for the person who wrote the text.
  public var description: String {
    switch reason {
    case .empty: "Nothing to calculate: combine the four numbers with + - * / and parentheses."
    case .tooLong: "Too long: four numbers, three signs and a few parentheses are enough."
    case .tooDeep: "Column \(column): too many parentheses inside each other; two pairs are always enough."
    case .unexpectedCharacter(let character):
      "Column \(column): \(SyntaxError.visible(character)) cannot be used; write digits, + - * / and parentheses."
    case .zero: "Column \(column): 0 is never dealt; numbers go from 1 to 9."
    case .joinedDigits(let number): "Column \(column): digits cannot be joined into \(number); put a sign between them."
    case .negativeNumber: "Column \(column): there are no negative numbers; put the - between two numbers."
    case .missingNumber: "Column \(column): a number is missing here."
    case .missingSign: "Column \(column): a sign is missing here; put one of + - * / before it."
    case .unclosedParenthesis: "Column \(column): this parenthesis is never closed."
    case .unopenedParenthesis: "Column \(column): this parenthesis closes nothing; remove it or open one before."
    }
  }

  /// The character in quotes, or its number if printing the character could disturb the line.
  private static func visible(_ character: Character) -> String {
    let scalars = character.unicodeScalars
    let first = scalars[scalars.startIndex]
    if scalars.count == 1 {
      switch first.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber,
        .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
        .finalPunctuation, .otherPunctuation,
        .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
        return "“\(character)”"
      case .nonspacingMark, .spacingMark, .enclosingMark, .spaceSeparator, .lineSeparator, .paragraphSeparator,
        .control, .format, .surrogate, .privateUse, .unassigned:
        break
      @unknown default:
        break
      }
    }
    let digits = String(first.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
