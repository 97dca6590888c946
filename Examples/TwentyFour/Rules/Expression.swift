/// A calculation with digits: a player's answer.
///
/// `Expression("8/(3-8/3)")` reads text; ``description`` writes it with the fewest parentheses that keep the calculation.
public indirect enum Expression: Hashable, Sendable {
  case digit(Digit)
  case binary(Operation, Expression, Expression)

  /// The four basic operations, with their signs.
  public enum Operation: Character, CaseIterable, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
  }

  /// The exact result.
  ///
  /// Throws ``ArithmeticError`` for a division by zero, or if an intermediate number does not fit into an `Int`.
  public var value: Rational {
    get throws(ArithmeticError) {
      switch self {
      case .digit(let digit): Rational(digit.rawValue)
      case .binary(.plus, let left, let right): try left.value.adding(right.value)
      case .binary(.minus, let left, let right): try left.value.subtracting(right.value)
      case .binary(.times, let left, let right): try left.value.multiplied(by: right.value)
      case .binary(.over, let left, let right): try left.value.divided(by: right.value)
      }
    }
  }

  /// The digits used, from left to right.
  public var digits: [Digit] {
    switch self {
    case .digit(let digit): [digit]
    case .binary(_, let left, let right): left.digits + right.digits
    }
  }
}

extension Expression.Operation {
  /// Whether it is `*` or `/`, which bind more tightly than `+` and `-`.
  var isMultiplicative: Bool {
    switch self {
    case .plus, .minus: false
    case .times, .over: true
    }
  }

  /// Whether the operation inverts its right side: `-` and `/`.
  var isInverse: Bool {
    switch self {
    case .plus, .times: false
    case .minus, .over: true
    }
  }
}

extension Expression: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.checked { (text: String) in try Expression(text) } }

  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension Expression: CustomStringConvertible {
  /// The calculation in ASCII signs without spaces; parsing the text gives an equal expression.
  public var description: String {
    switch self {
    case .digit(let digit):
      return digit.description
    case .binary(let operation, let left, let right):
      // Chains are parsed from the left, so only the right side of an equally strong sign needs parentheses.
      let leftText = left.isWeaker(than: operation) ? "(\(left))" : "\(left)"
      let rightText = right.isStronger(than: operation) ? "\(right)" : "(\(right))"
      return "\(leftText)\(operation.rawValue)\(rightText)"
    }
  }

  private func isWeaker(than operation: Operation) -> Bool {
    switch self {
    case .digit: false
    case .binary(let own, _, _): !own.isMultiplicative && operation.isMultiplicative
    }
  }

  private func isStronger(than operation: Operation) -> Bool {
    switch self {
    case .digit: true
    case .binary(let own, _, _): own.isMultiplicative && !operation.isMultiplicative
    }
  }
}
