/// Deals hands that can be solved, each set of numbers once; when all have been dealt, it begins anew.
struct Deck: Sendable {
  /// The count of different sets of four numbers, whether they can be solved or not.
  private static let setCount = 495

  /// The sets of numbers that are not dealt any more: they were dealt, cannot be solved, or are of another difficulty.
  private var used: Set<[Digit]> = []
  /// The dealt sets since the last new beginning, latest last.
  private(set) var dealt: [[Digit]] = []

  init() {}

  /// Makes a deck from which these were dealt.
  init(dealt hands: [Hand]) {
    for hand in hands { note(hand.sorted) }
  }

  private mutating func note(_ numbers: [Digit]) {
    if used.insert(numbers).inserted { dealt.append(numbers) }
  }

  /// Deals a hand of a difficulty, if any, with its solution.
  ///
  /// Draws until a hand fits: five draws in six can be solved, and the rarest, hard hands, are a fifth of those.
  mutating func deal(
    difficulty: Hand.Difficulty?, using generator: inout some RandomNumberGenerator
  ) -> (hand: Hand, solution: Expression) {
    while true {
      if used.count == Self.setCount { begin() }
      let hand = Hand(drawnWith: &generator)
      let numbers = hand.sorted
      guard !used.contains(numbers) else { continue }
      guard let solution = Solver.firstSolution(of: hand), difficulty == nil || hand.difficulty == difficulty else {
        used.insert(numbers)
        continue
      }
      note(numbers)
      return (hand, solution)
    }
  }

  /// Begins anew, but not with the hand that was dealt last.
  private mutating func begin() {
    let last = dealt.last
    (used, dealt) = ([], [])
    if let last { note(last) }
  }
}
