/// A checked expression: it uses the four numbers of a hand, each exactly once, and its value is 24.
public struct Answer: Hashable, Sendable {
  /// The value into which every hand is combined.
  public static let target = 24

  /// The hand.
  public let hand: Hand
  /// The expression.
  public let expression: Expression

  /// Parses and checks a player's text; any text is safe.
  ///
  /// - Throws: ``Rejection`` if the text is not an expression, or not an answer to `hand`.
  public init(_ text: String, to hand: Hand) throws(Rejection) {
    let expression: Expression
    do {
      expression = try Expression(text)
    } catch {
      throw .syntax(error)
    }
    try self.init(expression, to: hand)
  }

  /// Checks an expression.
  ///
  /// - Throws: ``Rejection`` if `expression` does not use exactly the numbers of `hand`, or its value is not 24.
  public init(_ expression: Expression, to hand: Hand) throws(Rejection) {
    var missing = hand.sorted
    var extra: [Digit] = []
    for digit in expression.digits {
      if let index = missing.firstIndex(of: digit) {
        missing.remove(at: index)
      } else {
        extra.append(digit)
      }
    }
    guard missing.isEmpty, extra.isEmpty else { throw .wrongDigits(missing: missing, extra: extra.sorted()) }
    let value: Rational
    do {
      value = try expression.value
    } catch {
      throw .arithmetic(error)
    }
    guard value == Rational(Answer.target) else { throw .wrongValue(value) }
    self.hand = hand
    self.expression = expression
  }
}

extension Answer {
  /// The reason why an expression is not an answer.
  public enum Rejection: Error, Hashable, Sendable {
    case syntax(SyntaxError)
    /// Numbers of the hand that are not used, and numbers used more often than the hand has them.
    case wrongDigits(missing: [Digit], extra: [Digit])
    /// The numbers are right, but the value is this.
    case wrongValue(Rational)
    case arithmetic(ArithmeticError)
  }
}

extension Answer.Rejection: CustomStringConvertible {
  /// One or two sentences for the person who answered.
  public var description: String {
    switch self {
    case .syntax(let error):
      return error.description
    case .wrongDigits(let missing, let extra):
      var clauses: [String] = []
      // Only a few are named, so that a long answer does not make a long sentence.
      if !extra.isEmpty { clauses.append("you used \(Self.list(extra.prefix(Hand.size))) too often") }
      if !missing.isEmpty { clauses.append("you did not use \(Self.list(missing[...]))") }
      return "Use each of the four numbers exactly once: \(clauses.joined(separator: ", and "))."
    case .wrongValue(let value):
      return "That is \(value), not \(Answer.target)."
    case .arithmetic(let error):
      return error.description
    }
  }

  private static func list(_ digits: ArraySlice<Digit>) -> String {
    digits.map(\.description).joined(separator: ", ")
  }
}
