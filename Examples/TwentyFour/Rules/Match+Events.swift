extension Match {
  /// An event of a match.
  public enum Event: Hashable, Sendable {
    /// A player wants to take part. A player must not join twice.
    case join(PlayerID, PlayerName)
    case leave(PlayerID)
    /// A player acts in the round with this number.
    case act(PlayerID, round: Int, Action)
    /// A player's connection broke. The seat is kept for ``Rules/returnLimit``, counted from now even if it is already kept; then
    /// `left` follows.
    case lost(PlayerID)
    /// A player who was away is back.
    case back(PlayerID)
    /// Time passed, without another event.
    case timePassed
    /// The first round is to begin now, without more players than ``Rules/minimumPlayers``. Later nothing happens.
    case start
    /// The running round is to end now; between rounds nothing happens.
    case endRound
    /// The running round is to be the last one; between rounds, the match ends at once. Before the first round nothing happens.
    case end
    /// Another match is to begin, after the end of one that stays open.
    case again
    /// The match is to end now, for good.
    case close
  }

  /// A player's action in a round.
  public enum Action: Hashable, Codable, Sendable {
    /// Answers with an expression; the match checks it.
    case answer(String)
    /// Sits out the rest of the round.
    case giveUp
    /// Asks for a hint, which costs points.
    case hint

    private enum AnswerCodingKeys: String, CodingKey {
      case _0 = "expression"
    }
  }

  /// An effect of an event; it is for all players unless it names a receiver.
  public enum Effect: Hashable, Sendable {
    case joined(Player)
    case joinRefused(PlayerID, JoinRefusal)
    case left(Player)
    /// A round started for all players who are present.
    case roundStarted(Deal)
    /// A player is away; the seat is kept.
    case away(Player)
    case back(Player)
    /// A player who came late, or came back, plays the running round.
    case dealt(Deal, to: PlayerID)
    /// A correct answer came, with the time since the start of the round.
    case solved(Player, after: Duration)
    /// The player's answer does not count, or there is no hint; a guessing player continues to guess.
    case refused(PlayerID, Refusal)
    case hinted(Hint, to: PlayerID)
    /// The standings after a change, except the change at the end of a round.
    case standings([Standing])
    case roundEnded(RoundResult)
    /// The last round was played; another match may begin.
    case ended
    /// Another match began: everyone has no points, and rounds are counted from 1.
    case began
    /// The match is over; the last effect.
    case over
  }

  /// The message to players when a round starts.
  public struct Deal: Hashable, Sendable {
    /// The number of the round, from 1.
    public let number: Int
    public let hand: Hand
    /// The time left to answer. In a round without a limit, the time after which it ends by itself, which nobody needs to see.
    public let remaining: Duration
    /// Whether the round has a limit.
    public let isLimited: Bool

    public init(number: Int, hand: Hand, remaining: Duration, isLimited: Bool = true) {
      self.number = number
      self.hand = hand
      self.remaining = remaining
      self.isLimited = isLimited
    }
  }

  /// The message to all players when a round has ended.
  public struct RoundResult: Hashable, Sendable {
    public let number: Int
    public let hand: Hand
    /// One way to solve the hand.
    public let solution: Expression
    public let standings: [Standing]
    /// The time until the next round; `nil` after the last round.
    public let pause: Duration?

    public init(number: Int, hand: Hand, solution: Expression, standings: [Standing], pause: Duration?) {
      self.number = number
      self.hand = hand
      self.solution = solution
      self.standings = standings
      self.pause = pause
    }
  }

  /// The reason why a player cannot take part.
  public enum JoinRefusal: Hashable, Sendable {
    case full(maximum: Int)
    case over
  }

  /// The reason why an answer does not count, or there is no hint.
  public enum Refusal: Error, Hashable, Sendable {
    case wrong(Answer.Rejection)
    /// The round is not running.
    case noSuchRound
    /// The player came too late for this round.
    case waiting
    case alreadySolved
    case gaveUp
    /// All hints to this hand were given.
    case noMoreHints
  }
}

extension Match.JoinRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .full(let maximum): "All \(maximum) places are taken; try again later or choose another room."
    case .over: "The match is over."
    }
  }
}

extension Match.Refusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .wrong(let rejection): rejection.description
    case .noSuchRound: "This round is not running; wait for the next one."
    case .waiting: "You came too late for this round; you play in the next one."
    case .alreadySolved: "You have solved this round already."
    case .gaveUp: "You gave up in this round; you play in the next one."
    case .noMoreHints: "You have had all \(Hint.limit) hints to this hand."
    }
  }
}
