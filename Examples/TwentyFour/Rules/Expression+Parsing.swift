extension Expression {
  /// The longest accepted text, in bytes of UTF-8.
  public static let maximumByteCount = 256

  /// The deepest nesting of parentheses.
  public static let maximumDepth = 32

  /// Parses an expression: digits, `+ - * /` and parentheses; spaces may stand anywhere between them.
  ///
  /// People also type `x`, `×` or `·` for `*`, `÷` or `:` for `/`, `−` for `-`, brackets for parentheses, full-width characters
  /// of East Asian keyboards, and `= 24` at the end.
  ///
  /// `*` and `/` bind more tightly than `+` and `-`, and equally strong signs group from the left. Digits are not joined
  /// into longer numbers and there are no negative numbers. Any text is safe: length and depth are bounded.
  ///
  /// - Throws: ``SyntaxError`` with the column if the text is not an expression.
  public init(_ text: String) throws(SyntaxError) {
    guard text.utf8.count <= Expression.maximumByteCount else { throw SyntaxError(reason: .tooLong, column: 1) }
    var parser = ExpressionParser(text)
    self = try parser.expression()
  }
}

/// Parses one expression by recursive descent.
private struct ExpressionParser {
  private let characters: [Character]
  private var position = 0
  private var depth = 0

  init(_ text: String) {
    characters = text.map(\.typed)
    skipSpaces()
  }

  mutating func expression() throws(SyntaxError) -> Expression {
    guard current != nil else { throw SyntaxError(reason: .empty, column: 1) }
    let expression = try sum()
    guard let next = current, !endsWithTarget else { return expression }
    throw error(next == ")" ? .unopenedParenthesis : reasonNoSignStands(at: next))
  }

  /// Whether the rest says what the expression has to be.
  private var endsWithTarget: Bool {
    String(characters[position...].filter { !$0.isWhitespace }) == "=\(Answer.target)"
  }

  private mutating func sum() throws(SyntaxError) -> Expression {
    var whole = try product()
    while let operation = sign(isMultiplicative: false) {
      advance()
      whole = .binary(operation, whole, try product())
    }
    return whole
  }

  private mutating func product() throws(SyntaxError) -> Expression {
    var whole = try factor()
    while let operation = sign(isMultiplicative: true) {
      advance()
      whole = .binary(operation, whole, try factor())
    }
    return whole
  }

  private mutating func factor() throws(SyntaxError) -> Expression {
    guard let character = current else { throw error(.missingNumber) }
    if character == "(" { return try parenthesized() }
    if character.isASCIIDigit {
      if let number = joinedDigits() { throw error(.joinedDigits(number)) }
      guard let digit = character.wholeNumberValue.flatMap(Digit.init(rawValue:)) else { throw error(.zero) }
      advance()
      return .digit(digit)
    }
    switch Expression.Operation(sign: character) {
    case .minus: throw error(.negativeNumber)
    case .plus, .times, .over: throw error(.missingNumber)
    case nil: throw error(character == ")" ? .missingNumber : .unexpectedCharacter(character))
    }
  }

  private mutating func parenthesized() throws(SyntaxError) -> Expression {
    guard depth < Expression.maximumDepth else { throw error(.tooDeep) }
    let opening = error(.unclosedParenthesis)
    depth += 1
    advance()
    let inner = try sum()
    guard let next = current else { throw opening }
    guard next == ")" else { throw error(reasonNoSignStands(at: next)) }
    depth -= 1
    advance()
    return inner
  }

  /// The reason why `character` cannot follow a complete number or closing parenthesis.
  private func reasonNoSignStands(at character: Character) -> SyntaxError.Reason {
    character == "(" || character.isASCIIDigit ? .missingSign : .unexpectedCharacter(character)
  }

  /// The adjacent digits from here, if there are at least two.
  private func joinedDigits() -> String? {
    let run = characters[position...].prefix(while: \.isASCIIDigit)
    return run.count > 1 ? String(run) : nil
  }

  private func sign(isMultiplicative: Bool) -> Expression.Operation? {
    guard let operation = current.flatMap(Expression.Operation.init(sign:)) else { return nil }
    return operation.isMultiplicative == isMultiplicative ? operation : nil
  }

  private var current: Character? { position < characters.count ? characters[position] : nil }

  private mutating func advance() {
    position += 1
    skipSpaces()
  }

  private mutating func skipSpaces() {
    while current?.isWhitespace == true { position += 1 }
  }

  private func error(_ reason: SyntaxError.Reason) -> SyntaxError {
    SyntaxError(reason: reason, column: position + 1)
  }
}

extension Expression.Operation {
  /// The operation of a sign, in ASCII or in typographic form.
  fileprivate init?(sign: Character) {
    switch sign {
    case "+": self = .plus
    case "-", "−", "–": self = .minus
    case "*", "×", "·", "⋅", "x", "X": self = .times
    case "/", "÷", ":": self = .over
    default: return nil
    }
  }
}

extension Character {
  /// The character that somebody meant who typed this one: ASCII for a full-width one, and a parenthesis for a bracket.
  fileprivate var typed: Character {
    switch self {
    case "[", "［": return "("
    case "]", "］": return ")"
    default: break
    }
    guard unicodeScalars.count == 1, let scalar = unicodeScalars.first, 0xFF01...0xFF5E ~= scalar.value,
      let ascii = Unicode.Scalar(scalar.value - 0xFEE0)
    else { return self }
    return Character(ascii)
  }

  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
