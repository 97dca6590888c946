public import TwentyFour

/// Plays for a seat: thinks for a while in each round, then answers or gives up.
///
/// Hand it every event of the seat; it plays fair, with the time that a person would take.
public struct BotPlayer: Sendable {
  private var bot: Bot
  private var move: Task<Void, Never>?

  public init(strength: Bot.Strength = .average, generator: SeededGenerator) {
    bot = Bot(strength: strength, generator: generator)
  }

  /// Does what the event calls for; a move is made later, and not at all when the round ends before.
  public mutating func react(to event: RoomEvent, at seat: any Seat) {
    switch event {
    case .round(let deal):
      let decided = bot.move(for: deal.hand, remaining: deal.remaining)
      move?.cancel()
      move = Task {
        do { try await Task.sleep(for: decided.thinkingTime) } catch { return }
        switch decided.choice {
        case .answer(let expression): await seat.answer(expression.description)
        case .giveUp: await seat.giveUp()
        }
      }
    case .roundEnded, .reconnecting, .closed:
      move?.cancel()
    case .open, .joined, .left, .away, .back, .missing, .answer, .refused, .hint, .standings, .resumed:
      break
    }
  }
}
