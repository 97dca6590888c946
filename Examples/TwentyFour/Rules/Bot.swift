/// A player program: thinks for a while, then answers with any solution, or gives up.
///
/// A bot only decides; its caller waits and sends. It plays fair: it knows the hand and the time left, as a person does, and
/// needs longer for a harder hand. The same seed makes the same decisions.
public struct Bot: Sendable {
  /// The strength of a bot.
  public enum Strength: String, CaseIterable, Sendable {
    case beginner, average, expert
  }

  public let strength: Strength
  private var generator: SeededGenerator

  /// Makes a bot whose decisions come from `generator`.
  public init(strength: Strength = .average, generator: SeededGenerator) {
    self.strength = strength
    self.generator = generator
  }

  /// A bot's move in a round.
  public struct Move: Hashable, Sendable {
    /// The thinking time before the move.
    public let thinkingTime: Duration
    public let choice: Choice

    public enum Choice: Hashable, Sendable {
      case answer(Expression)
      case giveUp
    }
  }

  /// Decides on a move for a hand, when `remaining` is left of the round.
  ///
  /// The bot thinks for a part of the time that depends on its strength and on the hand. It gives up now and then, and always
  /// when there is no solution.
  public mutating func move(for hand: Hand, remaining: Duration) -> Move {
    let solutions = Solver.solutions(of: hand)
    let habit = strength.habit(with: Hand.Difficulty(of: solutions) ?? .hard)
    let thinkingTime = remaining * Int.random(in: habit.thousandths, using: &generator) / 1000
    let isStumped = Int.random(in: 1...100, using: &generator) <= habit.surrenders
    guard !isStumped, let solution = solutions.randomElement(using: &generator) else {
      return Move(thinkingTime: thinkingTime, choice: .giveUp)
    }
    return Move(thinkingTime: thinkingTime, choice: .answer(solution))
  }
}

extension Bot.Strength {
  /// The thousandths of the time that the bot takes, and the percentage of hands that it gives up.
  fileprivate func habit(with difficulty: Hand.Difficulty) -> (thousandths: ClosedRange<Int>, surrenders: Int) {
    switch (self, difficulty) {
    case (.beginner, .easy): (250...700, 15)
    case (.beginner, .medium): (350...850, 30)
    case (.beginner, .hard): (500...950, 55)
    case (.average, .easy): (100...450, 5)
    case (.average, .medium): (150...550, 10)
    case (.average, .hard): (200...700, 20)
    case (.expert, .easy): (30...150, 0)
    case (.expert, .medium): (50...250, 2)
    case (.expert, .hard): (80...400, 5)
    }
  }
}
