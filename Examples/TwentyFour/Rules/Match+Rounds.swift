/// The beginning and end of rounds.
extension Match {
  /// The time at which the phase ends without an event.
  var phaseDeadline: Duration? {
    switch phase {
    case .playing(let round): round.start + rules.limit + rules.grace
    case .pausing(let end): end
    // A stored match may have waited for another one, which does not come any more.
    case .ended where !staysOpen: .zero
    case .waiting, .ended, .over: nil
    }
  }

  /// The player whose kept seat expires next, and the time.
  private var nextExpiry: (Duration, PlayerID)? {
    seats.compactMap { seat in seat.keptUntil.map { ($0, seat.player.id) } }.min(by: <)
  }

  /// Handles everything that is due by now.
  mutating func advance(to now: Duration) -> [Effect] {
    var effects: [Effect] = []
    while !isOver, let (end, id) = nextExpiry, end <= now { effects += leave(id, at: now) }
    guard let phaseDeadline, now >= phaseDeadline else { return effects }
    switch phase {
    case .playing(let round):
      effects += endRound(round, at: now)
    case .pausing where missingPlayers == 0:
      effects += startRound(at: now)
    case .pausing:
      phase = .waiting
    case .ended:
      phase = .over
      effects.append(.over)
    case .waiting, .over:
      break
    }
    return effects
  }

  mutating func startRound(at now: Duration) -> [Effect] {
    let (hand, solution) = deck.deal(difficulty: rules.difficulty, using: &generator)
    let round = Round(hand: hand, solution: solution, start: now)
    roundNumber += 1
    phase = .playing(round)
    for index in seats.indices {
      seats[index].status = seats[index].isAway ? .waiting : .guessing
      seats[index].hints = 0
    }
    return [.roundStarted(deal(of: round, at: now)), .standings(standings)]
  }

  mutating func endRoundIfDecided(at now: Duration) -> [Effect] {
    guard case .playing(let round) = phase, !seats.contains(where: \.status.isGuessing) else { return [] }
    return endRound(round, at: now)
  }

  private mutating func endRound(_ round: Round, isLast: Bool = false, at now: Duration) -> [Effect] {
    for index in seats.indices where seats[index].status.isGuessing { seats[index].status = .outOfTime }
    let isLast = isLast || roundNumber == rules.rounds
    let result = RoundResult(
      number: roundNumber, hand: round.hand, solution: round.solution, standings: standings, pause: isLast ? nil : rules.pause)
    guard isLast else {
      phase = .pausing(until: now + rules.pause)
      return [.roundEnded(result)]
    }
    return [.roundEnded(result)] + finish()
  }

  /// The result of the last round, of the players who still have a seat; nil while a round is running and before the first.
  public var lastResult: RoundResult? {
    guard !isPlaying, roundNumber > 0, let hand = deck.dealt.last.flatMap({ try? Hand($0.map(\.rawValue)) }),
      let solution = Solver.firstSolution(of: hand)
    else { return nil }
    return RoundResult(
      number: roundNumber, hand: hand, solution: solution, standings: standings,
      pause: roundNumber == rules.rounds ? nil : rules.pause)
  }

  private mutating func finish() -> [Effect] {
    phase = staysOpen ? .ended : .over
    return [staysOpen ? .ended : .over]
  }

  /// Whether the first round has not begun.
  public var isBeforeFirstRound: Bool {
    switch phase {
    case .waiting, .pausing: roundNumber == 0
    case .playing, .ended, .over: false
    }
  }

  mutating func start(at now: Duration) -> [Effect] {
    guard isBeforeFirstRound else { return [] }
    waitsForCompany = false
    return missingPlayers == 0 ? startRound(at: now) : []
  }

  mutating func endRound(at now: Duration) -> [Effect] {
    guard case .playing(let round) = phase else { return [] }
    return endRound(round, at: now)
  }

  mutating func end(at now: Duration) -> [Effect] {
    switch phase {
    case .playing(let round): endRound(round, isLast: true, at: now)
    case .waiting where roundNumber > 0, .pausing where roundNumber > 0: finish()
    case .waiting, .pausing, .ended, .over: []
    }
  }

  mutating func again(at now: Duration) -> [Effect] {
    guard hasEnded else { return [] }
    (roundNumber, waitsForCompany) = (0, false)
    for index in seats.indices {
      let seat = seats[index]
      seats[index] = Seat(player: seat.player, keptUntil: seat.keptUntil)
    }
    phase = missingPlayers == 0 ? .pausing(until: now + rules.pause) : .waiting
    return [.began, .standings(standings)]
  }

  /// Only the grace period may be left.
  func deal(of round: Round, at now: Duration) -> Deal {
    Deal(
      number: roundNumber, hand: round.hand, remaining: max(round.start + rules.limit - now, .zero),
      isLimited: rules.time.isLimited)
  }
}
