extension Match {
  /// What can be agreed upon for a match.
  public struct Rules: Hashable, Codable, Sendable {
    /// The most players that any match can have.
    public static let playerLimit = 128

    /// How long a round lasts; greater than zero.
    public let roundDuration: Duration
    /// How long after a round's time an answer under way is waited for.
    public let grace: Duration
    /// The time between the end of a round and the start of the next.
    public let pause: Duration
    /// How long the first round waits for company; once there is some it starts within ``pause``.
    public let gathering: Duration
    /// Who comes while more than this is left of a round plays it; others wait for the next.
    public let lateJoinThreshold: Duration
    /// After how many rounds the match is over; `nil` for no end.
    public let rounds: Int?
    /// How many must be there before a round starts.
    public let minimumPlayers: Int
    /// How many may be there; at most ``playerLimit``.
    public let maximumPlayers: Int
    /// How long the seat of a player whose connection broke is kept for him.
    public let returnLimit: Duration
    /// How many points a hint takes off what the round brings; a solver gets one point at least.
    public let hintCost: Int
    /// How hard the hands are; `nil` for any.
    public let difficulty: Hand.Difficulty?

    /// Makes rules; those of the game unless said otherwise.
    ///
    /// Values that no match can be played by are a mistake of the caller: check what a person typed before.
    public init(
      roundDuration: Duration = .seconds(100), grace: Duration = .seconds(2), pause: Duration = .seconds(10),
      gathering: Duration = .zero, lateJoinThreshold: Duration = .seconds(20), rounds: Int? = nil, minimumPlayers: Int = 1,
      maximumPlayers: Int = 16, returnLimit: Duration = .seconds(60), hintCost: Int = 2, difficulty: Hand.Difficulty? = nil
    ) {
      self.roundDuration = roundDuration
      self.grace = grace
      self.pause = pause
      self.gathering = gathering
      self.lateJoinThreshold = lateJoinThreshold
      self.rounds = rounds
      self.minimumPlayers = minimumPlayers
      self.maximumPlayers = maximumPlayers
      self.returnLimit = returnLimit
      self.hintCost = hintCost
      self.difficulty = difficulty
      if let flaw { preconditionFailure(flaw) }
    }

    /// Why no match can be played by these rules; `nil` when one can.
    var flaw: String? {
      guard roundDuration > .zero else { return "a round needs time" }
      guard [grace, pause, gathering, lateJoinThreshold, returnLimit].allSatisfy({ $0 >= .zero }) else {
        return "durations are not negative"
      }
      guard rounds.map({ $0 > 0 }) ?? true else { return "a match needs at least one round" }
      guard 1...max(maximumPlayers, 1) ~= minimumPlayers, 1...Rules.playerLimit ~= maximumPlayers else {
        return "a match has room for 1 to \(Rules.playerLimit) players, and for the fewest it needs"
      }
      return hintCost >= 0 ? nil : "a hint brings no points"
    }

    /// What a solver gets: 10 points, and one for every full tenth of the round's time that was left; less for hints.
    func points(forSolvingAfter time: Duration, hints: Int) -> Int {
      let left = roundDuration - time
      let points = 10 + (1...10).count { left * 10 >= roundDuration * $0 }
      // Bounded before it is multiplied: the cost may be any number.
      return max(1, points - min(hintCost, points) * hints)
    }
  }
}
