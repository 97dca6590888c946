extension Hand {
  /// How hard it is to find a solution.
  ///
  /// It is judged by the number of solutions that are different whatever the order and grouping of their terms, and by whether
  /// there is one without fractions on the way. Of the 404 hands that can be solved 150 are easy, 159 medium and 95 hard.
  public enum Difficulty: String, CaseIterable, Codable, Sendable {
    /// There are four solutions or more, and not all of them need fractions.
    case easy
    /// There are two or three solutions, and not all of them need fractions.
    case medium
    /// There is one solution, or all of them need fractions, as that of 8 8 3 3 does.
    case hard
  }

  /// How hard the hand is; `nil` when it cannot be solved.
  public var difficulty: Difficulty? { Difficulty(of: Solver.solutions(of: self)) }

  /// Deals a hand that can be solved and, if that matters, is as hard as wanted.
  ///
  /// Draws until there is one: the rarest, hard ones, are a fifth of those that can be solved.
  public static func random(difficulty: Difficulty?, using generator: inout some RandomNumberGenerator) -> Hand {
    dealt(difficulty: difficulty, using: &generator).hand
  }

  /// Deals such a hand, and tells how it is solved.
  static func dealt(
    difficulty: Difficulty?, using generator: inout some RandomNumberGenerator
  ) -> (hand: Hand, solution: Expression) {
    while true {
      let dealt = dealt(using: &generator)
      if difficulty == nil || dealt.hand.difficulty == difficulty { return dealt }
    }
  }
}

extension Hand.Difficulty {
  /// The difficulty of a hand with all of these solutions; `nil` when there are none.
  init?(of solutions: [Expression]) {
    guard !solutions.isEmpty else { return nil }
    switch solutions.count {
    case 1: self = .hard
    case _ where solutions.allSatisfy(\.needsFractions): self = .hard
    case 2...3: self = .medium
    default: self = .easy
    }
  }
}

extension Expression {
  /// Whether something that is no whole number is added or taken away, so that no order of calculating avoids fractions.
  ///
  /// To be asked of an expression in its normal order. Chains of `*` and `/` can be calculated in an order that stays within
  /// whole numbers if that is what they give.
  fileprivate var needsFractions: Bool {
    switch self {
    case .digit:
      return false
    case .binary(let operation, let left, let right):
      if left.needsFractions || right.needsFractions { return true }
      return !operation.isMultiplicative && [left, right].contains { $0.isProduct && (try? $0.value)?.integer == nil }
    }
  }

  private var isProduct: Bool {
    switch self {
    case .digit: false
    case .binary(let operation, _, _): operation.isMultiplicative
    }
  }
}
