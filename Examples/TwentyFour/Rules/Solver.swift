/// Finds the ways to combine a hand into 24.
///
/// Of the 495 multisets of four digits, 404 can be solved.
public enum Solver {
  /// A solution, found as quickly as possible, or `nil` if there is none; always the same for the same numbers.
  public static func firstSolution(of hand: Hand) -> Expression? {
    firstSolution(of: hand.sorted.map(Term.init))?.normalized
  }

  /// All solutions, simplest first; solutions that differ only by the order and grouping of terms count once.
  ///
  /// Two expressions count as one if their ``Expression/normalized`` forms are equal. The order is fixed: fewer parentheses
  /// first, then the order of the texts.
  public static func solutions(of hand: Hand) -> [Expression] {
    let all = (1 << Hand.size) - 1
    // The different terms that each subset of the digits can make; subsets are bit masks.
    var terms: [Set<Term>] = Array(repeating: [], count: all + 1)
    for (index, digit) in hand.sorted.enumerated() { terms[1 << index] = [Term(digit)] }
    for subset in 1...all {
      for part in 1..<subset where part & subset == part && part > subset ^ part {
        for left in terms[part] {
          for right in terms[subset ^ part] {
            let combinations = left.combinations(with: right)
            // Normalizing is slow, and only few of the final terms are wanted.
            terms[subset].formUnion((subset == all ? combinations.filter(\.isSolution) : combinations).map(\.normalized))
          }
        }
      }
    }
    return terms[all]
      .map { (expression: $0.expression, text: $0.expression.description) }
      .sorted { left, right in (left.text.parenthesisCount, left.text) < (right.text.parenthesisCount, right.text) }
      .map(\.expression)
  }

  /// Replaces two terms by each of their combinations until one term is left.
  private static func firstSolution(of terms: [Term]) -> Expression? {
    if terms.count == 1 { return terms[0].isSolution ? terms[0].expression : nil }
    for first in terms.indices {
      for second in terms.indices.dropFirst(first + 1) {
        var rest = terms
        rest.remove(at: second)
        rest.remove(at: first)
        for combination in terms[first].combinations(with: terms[second]) {
          if let solution = firstSolution(of: rest + [combination]) { return solution }
        }
      }
    }
    return nil
  }
}

/// An expression with its value, calculated once.
private struct Term: Hashable {
  let expression: Expression
  let value: Rational

  init(_ digit: Digit) {
    expression = .digit(digit)
    value = Rational(digit.rawValue)
  }

  init(expression: Expression, value: Rational) {
    self.expression = expression
    self.value = value
  }

  var isSolution: Bool { value == Rational(Answer.target) }

  var normalized: Term { Term(expression: expression.normalized, value: value) }

  /// The results of combining two terms: up to six, without divisions by zero.
  ///
  /// For ascending digits, whole results greater than zero come first: a solution with only such results is simpler.
  func combinations(with other: Term) -> [Term] {
    [
      combination(.plus, other), combination(.times, other),
      other.combination(.minus, self), combination(.minus, other),
      other.combination(.over, self), combination(.over, other),
    ].compactMap(\.self)
  }

  private func combination(_ operation: Expression.Operation, _ other: Term) -> Term? {
    let value: Rational? =
      switch operation {
      case .plus: try? self.value.adding(other.value)
      case .minus: try? self.value.subtracting(other.value)
      case .times: try? self.value.multiplied(by: other.value)
      case .over: try? self.value.divided(by: other.value)
      }
    return value.map { Term(expression: .binary(operation, expression, other.expression), value: $0) }
  }
}

extension String {
  fileprivate var parenthesisCount: Int { utf8.count { $0 == UInt8(ascii: "(") } }
}
