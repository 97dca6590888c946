public import TwentyFour

/// Plays for a seat: thinks for a while in each round, then answers or gives up.
///
/// Pass it every event of the seat. It plays fair, and takes the time that a person would take.
public struct BotPlayer: Sendable {
  private var bot: Bot
  /// The time of a round by which it paces itself when there is no limit.
  private var pace = Match.Rules().roundDuration
  private var move: Task<Void, Never>?

  /// The time by which it paces itself in a round.
  func time(for deal: Match.Deal) -> Duration { deal.isLimited ? deal.remaining : pace }

  public init(strength: Bot.Strength = .average, generator: SeededGenerator) {
    bot = Bot(strength: strength, generator: generator)
  }

  /// Handles an event. A move is made later, unless the round ends before.
  public mutating func react(to event: RoomEvent, at seat: any Seat) {
    switch event {
    case .open(_, _, let rules): pace = rules.roundDuration
    case .round(let deal):
      let decided = bot.move(for: deal.hand, remaining: time(for: deal))
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
    default:
      break
    }
  }
}
