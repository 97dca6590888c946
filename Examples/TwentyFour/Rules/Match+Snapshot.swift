extension Match {
  /// The complete state of a match, to be stored and continued later.
  ///
  /// Time stands still in a snapshot: the rest of a round, of a pause and of the time that seats are kept is the same afterwards.
  public struct Snapshot: Hashable, Codable, Sendable {
    let rules: Rules
    let roundNumber: Int
    let phase: Phase
    let seats: [Seat]
    /// The numbers of the hands that are not dealt again, each in ascending order, latest last; nil in a snapshot of an earlier version.
    var dealt: [[Int]]?

    /// The number of rounds that have ended.
    public var endedRounds: Int {
      if case .playing = phase { roundNumber - 1 } else { roundNumber }
    }

    enum Phase: Hashable, Codable, Sendable {
      case waiting
      case playing(hand: [Int], elapsed: Duration)
      case pausing(remaining: Duration)
      case ended
      case over
    }

    struct Seat: Hashable, Codable, Sendable {
      let id: Int
      let name: String
      let status: Standing.Status
      let points: Int
      let best: Duration?
      let hints: Int
      /// The time for which the seat of a player who is away is still kept.
      let kept: Duration?
    }
  }

  /// The present state of the match; everything due by now should have been handled.
  public func snapshot(at now: Duration) -> Snapshot {
    let phase: Snapshot.Phase =
      switch self.phase {
      case .waiting: .waiting
      case .playing(let round): .playing(hand: round.hand.numbers, elapsed: now - round.start)
      case .pausing(let end): .pausing(remaining: max(end - now, .zero))
      case .ended: .ended
      case .over: .over
      }
    let seats = self.seats.map { seat in
      Snapshot.Seat(
        id: seat.player.id.rawValue, name: seat.player.name.text, status: seat.status, points: seat.points, best: seat.best,
        hints: seat.hints, kept: seat.keptUntil.map { max($0 - now, .zero) })
    }
    return Snapshot(
      rules: rules, roundNumber: roundNumber, phase: phase, seats: seats, dealt: deck.dealt.map { $0.map(\.rawValue) })
  }

  /// Continues a stored match, as if no time had passed.
  ///
  /// - Parameter generator: Deals the next hands. A snapshot does not tell them.
  /// - Throws: ``Snapshot/Invalid`` if no match can have this state: the snapshot may be damaged.
  public init(restoring snapshot: Snapshot, generator: SeededGenerator, at now: Duration) throws(Snapshot.Invalid) {
    try snapshot.check()
    self.init(rules: snapshot.rules, generator: generator)
    roundNumber = snapshot.roundNumber
    deck = try snapshot.deck()
    switch snapshot.phase {
    case .waiting: phase = .waiting
    case .playing(let numbers, let elapsed):
      guard let hand = try? Hand(numbers), let solution = Solver.firstSolution(of: hand) else {
        throw Snapshot.Invalid(description: "its hand is not one that is dealt")
      }
      phase = .playing(Round(hand: hand, solution: solution, start: now - elapsed))
    case .pausing(let remaining): phase = .pausing(until: now + remaining)
    case .ended: phase = .ended
    case .over: phase = .over
    }
    for seat in snapshot.seats {
      seats.append(
        Seat(
          player: try seat.player(), status: seat.status, points: seat.points, best: seat.best, hints: seat.hints,
          keptUntil: seat.kept.map { now + $0 }))
    }
  }
}

extension Match.Snapshot {
  /// The reason why a snapshot is invalid.
  public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error, for an administrator.
    public let description: String
  }

  /// The longest time, and the highest number, in a snapshot: far more than any evening needs, and far too small to overflow
  /// calculations.
  private static let longest = Duration.seconds(1_000_000)
  private static let highest = 1_000_000_000

  fileprivate func check() throws(Invalid) {
    if let flaw = rules.flaw { throw Invalid(description: "its rules are invalid: \(flaw)") }
    var times = [rules.roundDuration, rules.grace, rules.pause, rules.gathering, rules.lateJoinThreshold, rules.returnLimit]
    times += seats.flatMap { [$0.best, $0.status.time, $0.kept] }.compactMap(\.self)
    switch phase {
    case .playing(_, let elapsed): times.append(elapsed)
    case .pausing(let remaining): times.append(remaining)
    case .waiting, .ended, .over: break
    }
    guard times.allSatisfy({ .zero...Self.longest ~= $0 }) else {
      throw Invalid(description: "a time in it is negative or too long")
    }
    guard 0...(rules.rounds ?? Self.highest) ~= roundNumber, 0...Self.highest ~= roundNumber else {
      throw Invalid(description: "it has no round \(roundNumber)")
    }
    guard seats.count <= rules.maximumPlayers, Set(seats.map(\.id)).count == seats.count,
      Set(seats.map { $0.name.lowercased() }).count == seats.count
    else {
      throw Invalid(description: "its players do not fit into the match")
    }
    guard seats.allSatisfy({ 0...Self.highest ~= $0.points && 0...Hint.limit ~= $0.hints }) else {
      throw Invalid(description: "a player in it has impossible points or hints")
    }
    try checkRound()
  }

  /// A round runs exactly as long as a player is guessing.
  private func checkRound() throws(Invalid) {
    let isDecided = !seats.contains(where: \.status.isGuessing)
    switch phase {
    case .playing where roundNumber == 0 || isDecided:
      throw Invalid(description: "it has a round without a guessing player")
    case .waiting where !isDecided, .pausing where !isDecided, .ended where !isDecided:
      throw Invalid(description: "it has a guessing player but no round")
    case .waiting where roundNumber == rules.rounds, .pausing where roundNumber == rules.rounds:
      throw Invalid(description: "it continues after its last round")
    case .ended where roundNumber == 0:
      throw Invalid(description: "it has ended before its first round")
    case .playing, .waiting, .pausing, .ended, .over:
      break
    }
  }
}

extension Match.Snapshot {
  fileprivate func deck() throws(Invalid) -> Deck {
    let dealt = dealt ?? []
    let hands = dealt.compactMap { try? Hand($0) }
    // A set of numbers is there once.
    let deck = Deck(dealt: hands)
    guard deck.dealt.count == dealt.count else {
      throw Invalid(description: "a hand in it is not one that is dealt, or was dealt twice")
    }
    return deck
  }
}

extension Match.Snapshot.Seat {
  fileprivate func player() throws(Match.Snapshot.Invalid) -> Player {
    guard let name = try? PlayerName(name) else { throw Match.Snapshot.Invalid(description: "a name in it cannot be used") }
    return Player(id: PlayerID(rawValue: id), name: name)
  }
}
