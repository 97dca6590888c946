extension Match {
  /// What can be agreed upon for a match.
  public struct Rules: Hashable, Sendable {
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

    /// Makes rules; those of the game unless said otherwise.
    ///
    /// Values that no match can be played by are a mistake of the caller: check what a person typed before.
    public init(
      roundDuration: Duration = .seconds(100), grace: Duration = .seconds(2), pause: Duration = .seconds(10),
      gathering: Duration = .zero, lateJoinThreshold: Duration = .seconds(20), rounds: Int? = nil, minimumPlayers: Int = 1,
      maximumPlayers: Int = 16
    ) {
      precondition(roundDuration > .zero, "a round needs time")
      precondition(
        grace >= .zero && pause >= .zero && gathering >= .zero && lateJoinThreshold >= .zero, "durations are not negative")
      precondition(rounds.map { $0 > 0 } ?? true, "a match needs at least one round")
      precondition(
        1...maximumPlayers ~= minimumPlayers && maximumPlayers <= Rules.playerLimit,
        "a match has room for 1 to \(Rules.playerLimit) players, and for the fewest it needs")
      self.roundDuration = roundDuration
      self.grace = grace
      self.pause = pause
      self.gathering = gathering
      self.lateJoinThreshold = lateJoinThreshold
      self.rounds = rounds
      self.minimumPlayers = minimumPlayers
      self.maximumPlayers = maximumPlayers
    }

    /// What a solver gets: 10 points, and one for every full tenth of the round's time that was left.
    func points(forSolvingAfter time: Duration) -> Int {
      let left = roundDuration - time
      return 10 + (1...10).count { left * 10 >= roundDuration * $0 }
    }
  }
}
