/// An expression that was checked: it uses the four numbers of a hand, each exactly once, and is 24.
public struct Answer: Hashable, Sendable {
  /// What every hand is to be combined into.
  public static let target = 24

  /// The hand that it answers.
  public let hand: Hand
  /// What was calculated.
  public let expression: Expression

  /// Reads and checks what a player wrote; any text is safe.
  ///
  /// - Throws: ``Rejection`` when the text is no expression, or not an answer to `hand`.
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
  /// - Throws: ``Rejection`` when `expression` does not use exactly the numbers of `hand`, or is not 24.
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
  /// Why an expression is not an answer.
  public enum Rejection: Error, Hashable, Sendable {
    case syntax(SyntaxError)
    /// Numbers of the hand that are not used, and numbers used that the hand does not have (or not so often).
    case wrongDigits(missing: [Digit], extra: [Digit])
    /// The numbers are right, but this is what they give.
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
      // Only a few are named: a long answer must not make a long sentence.
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
