extension Match {
  /// What can happen to a match.
  public enum Event: Hashable, Sendable {
    /// Someone wants to take part. Whoever takes part already must not join again.
    case join(PlayerID, PlayerName)
    case leave(PlayerID)
    /// What someone wrote as an answer to the round with this number.
    case answer(PlayerID, round: Int, String)
    case giveUp(PlayerID, round: Int)
    /// Someone wants a hint for the round with this number.
    case hint(PlayerID, round: Int)
    /// Someone's connection broke. The seat is kept for ``Rules/returnLimit``, from now on if it is kept already; then `left`
    /// follows.
    case lost(PlayerID)
    /// Someone who was away is there again.
    case back(PlayerID)
    /// Nothing but time passed.
    case timePassed
    /// The match is to end now.
    case close
  }

  /// What follows from an event; everyone is told unless a player is named as the receiver.
  public enum Effect: Hashable, Sendable {
    case joined(Player)
    case joinRefused(PlayerID, JoinRefusal)
    case left(Player)
    /// A round started for everyone who is there.
    case roundStarted(Deal)
    /// Someone is away, and his seat is kept.
    case away(Player)
    case back(Player)
    /// Someone who came late, or came back, plays the running round.
    case dealt(Deal, to: PlayerID)
    /// A correct answer came, so long after the start of the round.
    case solved(Player, after: Duration)
    /// Only for the one who answered, who goes on guessing if he was.
    case answerRefused(PlayerID, AnswerRefusal)
    case hinted(Hint, to: PlayerID)
    case hintRefused(PlayerID, HintRefusal)
    /// Follows each change of how someone stands, except the one that comes with the end of a round.
    case standings([Standing])
    case roundEnded(RoundResult)
    /// The match is over; nothing follows any more.
    case over
  }

  /// What players are told when a round starts.
  public struct Deal: Hashable, Sendable {
    /// The number of the round, from 1.
    public let number: Int
    public let hand: Hand
    /// The time left to answer.
    public let remaining: Duration

    public init(number: Int, hand: Hand, remaining: Duration) {
      self.number = number
      self.hand = hand
      self.remaining = remaining
    }
  }

  /// What everyone is told when a round has ended.
  public struct RoundResult: Hashable, Sendable {
    public let number: Int
    public let hand: Hand
    /// One way to solve the hand.
    public let solution: Expression
    public let standings: [Standing]
    /// How long until the next round; `nil` when this was the last.
    public let pause: Duration?

    package init(number: Int, hand: Hand, solution: Expression, standings: [Standing], pause: Duration?) {
      self.number = number
      self.hand = hand
      self.solution = solution
      self.standings = standings
      self.pause = pause
    }
  }

  /// Why someone cannot take part.
  public enum JoinRefusal: Hashable, Sendable {
    case full(maximum: Int)
    case over
  }

  /// Why an answer does not count.
  public enum AnswerRefusal: Error, Hashable, Sendable {
    case wrong(Answer.Rejection)
    /// The round that it answers is not running.
    case noSuchRound
    /// The player came too late for this round.
    case waiting
    case alreadySolved
    case gaveUp
  }

  /// Why there is no hint.
  public enum HintRefusal: Hashable, Sendable {
    /// The player is not guessing, and an answer would be refused for this reason.
    case notGuessing(AnswerRefusal)
    /// All hints to this hand were given.
    case noneLeft
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

extension Match.AnswerRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .wrong(let rejection): rejection.description
    case .noSuchRound: "This round is not running; wait for the next one."
    case .waiting: "You came too late for this round; you play in the next one."
    case .alreadySolved: "You have solved this round already."
    case .gaveUp: "You gave up in this round; you play in the next one."
    }
  }
}

extension Match.HintRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notGuessing(let refusal): refusal.description
    case .noneLeft: "There are \(Hint.limit) hints to a hand, and you have had them all."
    }
  }
}
