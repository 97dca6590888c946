extension Hand {
  /// The difficulty of finding a solution.
  ///
  /// It depends on the number of solutions that differ by more than the order and grouping of their terms, and on whether one of
  /// them avoids fractions. Of the 404 hands that can be solved, 150 are easy, 159 medium and 95 hard.
  public enum Difficulty: String, CaseIterable, Codable, Sendable {
    /// There are four solutions or more, and not all of them need fractions.
    case easy
    /// There are two or three solutions, and not all of them need fractions.
    case medium
    /// There is one solution, or all solutions need fractions, as for 8 8 3 3.
    case hard
  }

  /// The hand's difficulty; `nil` if it cannot be solved.
  public var difficulty: Difficulty? { Difficulty(of: Solver.solutions(of: self)) }

  /// Deals a hand that can be solved, of the given difficulty, if any.
  ///
  /// Draws until a hand fits: the rarest, hard hands, are a fifth of those that can be solved.
  public static func random(difficulty: Difficulty?, using generator: inout some RandomNumberGenerator) -> Hand {
    var deck = Deck()
    return deck.deal(difficulty: difficulty, using: &generator).hand
  }
}

extension Hand.Difficulty {
  /// The difficulty of a hand with exactly these solutions; `nil` if there are none.
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
  /// Whether a fraction is added or subtracted, so that no order of calculation avoids fractions.
  ///
  /// The expression must be in normal order. Chains of `*` and `/` with a whole result can be calculated in an order that stays
  /// within whole numbers.
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
