/// What a player is told who asks for help: three hints at most, each of which gives away a little more.
///
/// They are values, not words: whoever shows them says them in the language of the person.
public enum Hint: Hashable, Sendable {
  /// What is done last: "the last thing that you do is to multiply".
  case lastOperation(Expression.Operation)
  /// Two digits and a sign to begin with: "begin with 5-2".
  case firstStep(Expression)
  /// What is to be calculated last: "at the end there is 72/3".
  case lastStep(Rational, Expression.Operation, Rational)

  /// How many hints there are to a hand.
  public static let limit = 3

  /// Which hint it is: 1 to ``limit``.
  public var step: Int {
    switch self {
    case .lastOperation: 1
    case .firstStep: 2
    case .lastStep: 3
    }
  }

  /// The hints to a hand, in the order of their giving: the same for everyone, and about the solution that is shown at the end.
  /// There are none to a hand that cannot be solved.
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
  /// The deepest calculation of two digits, the left one of those that are equally deep; the expression itself if it is one.
  fileprivate var firstStep: Expression {
    switch self {
    case .binary(_, let left, let right) where left.depth >= right.depth && left.depth > 0: left.firstStep
    case .binary(_, _, let right) where right.depth > 0: right.firstStep
    case .binary, .digit: self
    }
  }

  /// How many calculations stand in each other.
  private var depth: Int {
    switch self {
    case .digit: 0
    case .binary(_, let left, let right): 1 + max(left.depth, right.depth)
    }
  }
}
