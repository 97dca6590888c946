extension Match {
  /// The rules of a match.
  public struct Rules: Hashable, Codable, Sendable {
    /// The largest number of players in any match.
    public static let playerLimit = 128

    /// The longest round without a limit, so that somebody who went away does not hold up the others for ever.
    public static let longestRound = Duration.seconds(3600)

    /// The length of a round, with the ``time`` that the players have; greater than zero. A round without a limit goes on after it,
    /// and points are counted by it.
    public let roundDuration: Duration
    /// The time after a round's end in which answers still in transit are accepted.
    public let grace: Duration
    /// The time between the end of a round and the start of the next.
    public let pause: Duration
    /// The time that the first round waits for other players; once one has joined, it starts within ``pause``.
    public let gathering: Duration
    /// Players who join while more than this is left of a round play it; others wait for the next. It grows with ``time``.
    public let lateJoinThreshold: Duration
    /// The number of rounds of the match; `nil` for no limit.
    public let rounds: Int?
    /// The number of players needed to start a round.
    public private(set) var minimumPlayers: Int
    /// The largest number of players; at most ``playerLimit``.
    public private(set) var maximumPlayers: Int
    /// The time for which the seat of a player whose connection broke is kept.
    public let returnLimit: Duration
    /// The points that a hint costs; a solver gets at least one point.
    public let hintCost: Int
    /// The difficulty of the hands; `nil` for any.
    public let difficulty: Hand.Difficulty?
    /// Nil for the usual time, which is all that earlier versions know.
    private let allowance: TimeAllowance?

    /// How much time the players have.
    public var time: TimeAllowance { allowance ?? .usual }

    /// The time after which a round ends by itself, without the grace period.
    var limit: Duration { time.isLimited ? roundDuration : max(roundDuration, Self.longestRound) }

    /// Makes rules; by default, those of the game.
    ///
    /// Impossible values are an error of the caller: check a person's input before.
    ///
    /// - Parameters:
    ///   - roundDuration: The usual length of a round; ``roundDuration`` is as much longer as `time` says.
    ///   - lateJoinThreshold: The usual one; it grows alike.
    ///   - time: How much time the players have.
    public init(
      roundDuration: Duration = .seconds(100), time: TimeAllowance = .usual, grace: Duration = .seconds(2),
      pause: Duration = .seconds(10),
      gathering: Duration = .zero, lateJoinThreshold: Duration = .seconds(20), rounds: Int? = nil, minimumPlayers: Int = 1,
      maximumPlayers: Int = 16, returnLimit: Duration = .seconds(60), hintCost: Int = 2, difficulty: Hand.Difficulty? = nil
    ) {
      self.roundDuration = time.scaled(roundDuration)
      self.grace = grace
      self.pause = pause
      self.gathering = gathering
      self.lateJoinThreshold = time.scaled(lateJoinThreshold)
      self.rounds = rounds
      self.minimumPlayers = minimumPlayers
      self.maximumPlayers = maximumPlayers
      self.returnLimit = returnLimit
      self.hintCost = hintCost
      self.difficulty = difficulty
      allowance = time == .usual ? nil : time
      if let flaw { preconditionFailure(flaw) }
    }

    /// The same rules for another number of players: 1 to ``playerLimit``.
    public func with(players: ClosedRange<Int>) -> Rules {
      var rules = self
      (rules.minimumPlayers, rules.maximumPlayers) = (players.lowerBound, players.upperBound)
      if let flaw = rules.flaw { preconditionFailure(flaw) }
      return rules
    }

    /// The reason why no match can be played by these rules; `nil` if one can.
    var flaw: String? {
      guard roundDuration > .zero else { return "roundDuration must be greater than zero" }
      guard [grace, pause, gathering, lateJoinThreshold, returnLimit].allSatisfy({ $0 >= .zero }) else {
        return "durations must not be negative"
      }
      guard rounds.map({ $0 > 0 }) ?? true else { return "rounds must be at least 1" }
      guard 1...max(maximumPlayers, 1) ~= minimumPlayers, 1...Rules.playerLimit ~= maximumPlayers else {
        return "maximumPlayers must be 1 to \(Rules.playerLimit), and minimumPlayers 1 to maximumPlayers"
      }
      return hintCost >= 0 ? nil : "hintCost must not be negative"
    }

    /// A solver's points: 10, plus one for every full tenth of the round's time that was left, minus the cost of hints.
    public func points(forSolvingAfter time: Duration, hints: Int) -> Int {
      let left = roundDuration - time
      let points = 10 + (1...10).count { left * 10 >= roundDuration * $0 }
      // Bounded before multiplication: the cost may be any number.
      return max(1, points - min(hintCost, points) * hints)
    }
  }
}
