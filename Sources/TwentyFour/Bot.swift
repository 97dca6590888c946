/// A player without a person: thinks for a while, then answers with any of the solutions, or gives up.
///
/// A bot decides and nothing else; whoever runs it waits and sends. The same seed makes the same decisions.
public struct Bot: Sendable {
  private var generator: SeededGenerator

  /// Makes a bot whose decisions come from `generator`.
  public init(generator: SeededGenerator) {
    self.generator = generator
  }

  /// What a bot does in a round.
  public struct Move: Hashable, Sendable {
    /// How long it thinks before it does it.
    public let thinkingTime: Duration
    public let choice: Choice

    public enum Choice: Hashable, Sendable {
      case answer(Expression)
      case giveUp
    }
  }

  /// Decides what to do with a hand when `remaining` is left of the round.
  ///
  /// It thinks for a tenth to six tenths of the time, and gives up one time in ten, or when there is no solution.
  public mutating func move(for hand: Hand, remaining: Duration) -> Move {
    let thinkingTime = remaining * Int.random(in: 100...600, using: &generator) / 1000
    let isStumped = Int.random(in: 1...10, using: &generator) == 1
    guard !isStumped, let solution = Solver.solutions(of: hand).randomElement(using: &generator) else {
      return Move(thinkingTime: thinkingTime, choice: .giveUp)
    }
    return Move(thinkingTime: thinkingTime, choice: .answer(solution))
  }
}
