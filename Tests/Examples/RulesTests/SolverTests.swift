import Testing
import TwentyFour

struct SolverTests {
  /// Every multiset of four digits, in ascending order.
  static let allHands: [Hand] = Digit.allCases.flatMap { first in
    Digit.allCases.filter { $0 >= first }.flatMap { second in
      Digit.allCases.filter { $0 >= second }.flatMap { third in
        Digit.allCases.filter { $0 >= third }.map { Hand(first, second, third, $0) }
      }
    }
  }

  @Test func `404 of the 495 hands can be solved, and every solution is an answer`() throws {
    #expect(Self.allHands.count == 495)
    var solvable = 0
    for hand in Self.allHands {
      guard let solution = Solver.firstSolution(of: hand) else { continue }
      solvable += 1
      #expect(try Answer(solution, to: hand).expression == solution)
    }
    #expect(solvable == 404)
  }

  @Test(arguments: [[8, 8, 3, 3], [8, 9, 2, 5], [2, 4, 6, 3], [1, 3, 4, 6], [1, 1, 1, 1], [4, 4, 4, 4], [1, 2, 3, 4]])
  func `finds each solution exactly once`(numbers: [Int]) throws {
    let hand = try Hand(numbers)
    let solutions = Solver.solutions(of: hand)
    #expect(Set(solutions) == Self.searched(hand))
    #expect(Set(solutions).count == solutions.count)
    #expect(solutions.allSatisfy { $0.normalized == $0 })
    if let first = Solver.firstSolution(of: hand) {
      #expect(solutions.contains(first))
    } else {
      #expect(solutions.isEmpty)
    }
  }

  @Test func `lists them always in the same order, the simplest first`() throws {
    #expect(Solver.solutions(of: Hand(.eight, .eight, .three, .three)).map(\.description) == ["8/(3-8/3)"])
    #expect(Solver.solutions(of: Hand(.one, .one, .one, .one)).isEmpty)
    let dealt = Solver.solutions(of: Hand(.four, .two, .three, .one))
    #expect(dealt == Solver.solutions(of: Hand(.one, .two, .three, .four)))
    #expect(
      Solver.firstSolution(of: Hand(.four, .two, .three, .one)) == Solver.firstSolution(of: Hand(.one, .two, .three, .four)))
    let texts = dealt.map(\.description)
    let keys = texts.map { text in (text.count { $0 == "(" }, text) }
    #expect(texts == keys.sorted { $0 < $1 }.map(\.1))
    #expect(texts.count { !$0.contains("(") } > 1 && texts.last?.contains("(") == true)
  }

  /// The solutions by brute force: every order of the digits, every shape of the tree, every choice of signs.
  private static func searched(_ hand: Hand) -> Set<Expression> {
    var found: Set<Expression> = []
    for digits in permutations(hand.digits) {
      for expression in trees(over: digits[...]) where (try? expression.value) == Rational(24) {
        found.insert(expression.normalized)
      }
    }
    return found
  }

  private static func permutations(_ digits: [Digit]) -> Set<[Digit]> {
    guard digits.count > 1 else { return [digits] }
    return digits.indices.reduce(into: []) { all, index in
      var rest = digits
      let first = rest.remove(at: index)
      all.formUnion(permutations(rest).map { [first] + $0 })
    }
  }

  private static func trees(over digits: ArraySlice<Digit>) -> [Expression] {
    guard digits.count > 1 else { return digits.map(Expression.digit) }
    return digits.indices.dropFirst().flatMap { split in
      trees(over: digits[..<split]).flatMap { left in
        trees(over: digits[split...]).flatMap { right in
          Expression.Operation.allCases.map { .binary($0, left, right) }
        }
      }
    }
  }
}
