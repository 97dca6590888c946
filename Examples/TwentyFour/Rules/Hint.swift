/// A hint to a hand. There are at most three; each reveals a little more.
///
/// Hints are values, not words: the program that shows them writes the words.
public enum Hint: Hashable, Sendable {
  /// The last operation: "the last thing to do is to multiply".
  case lastOperation(Expression.Operation)
  /// Two digits and a sign to begin with: "begin with 5-2".
  case firstStep(Expression)
  /// The last calculation: "the last step is 72/3".
  case lastStep(Rational, Expression.Operation, Rational)

  /// The number of hints to a hand.
  public static let limit = 3

  /// The number of the hint, 1 to ``limit``.
  public var step: Int {
    switch self {
    case .lastOperation: 1
    case .firstStep: 2
    case .lastStep: 3
    }
  }

  /// The hints to a hand, in the order in which they are given: the same for all players, about the solution that is shown at the
  /// end. A hand that cannot be solved has none.
  public static func hints(to hand: Hand) -> [Hint] {
    Solver.firstSolution(of: hand).map(hints(about:)) ?? []
  }

  static func hints(about solution: Expression) -> [Hint] {
    guard case .binary(let operation, let left, let right) = solution, let leftValue = try? left.value,
      let rightValue = try? right.value
    else { return [] }
    return [.lastOperation(operation), .firstStep(solution.firstStep), .lastStep(leftValue, operation, rightValue)]
  }
}

extension Expression {
  /// The deepest calculation of two digits, the leftmost among equally deep ones; maybe the expression itself.
  fileprivate var firstStep: Expression {
    switch self {
    case .binary(_, let left, let right) where left.depth >= right.depth && left.depth > 0: left.firstStep
    case .binary(_, _, let right) where right.depth > 0: right.firstStep
    case .binary, .digit: self
    }
  }

  /// The depth of nested calculations.
  private var depth: Int {
    switch self {
    case .digit: 0
    case .binary(_, let left, let right): 1 + max(left.depth, right.depth)
    }
  }
}
