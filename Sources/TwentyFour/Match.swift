/// A match: rounds of four numbers, played by people who come and go.
///
/// A value without clock, input or output. Whoever runs it hands in what happens together with the time, carries out the
/// effects, and hands in ``Event/timePassed`` when ``nextDeadline`` has come. Times are durations since any origin that stays
/// the same, and never run backwards.
///
/// - A round starts as soon as ``Rules/minimumPlayers`` are there, the first one after waiting for company for at most
///   ``Rules/gathering``, and again ``Rules/pause`` after each end.
/// - It ends as soon as nobody is guessing any more, at the latest ``Rules/grace`` after its time is up.
/// - A solver's time is counted from the start of the round, also for someone who came later: leaving and coming back gains
///   nothing. An answer within the grace counts as given at the last moment.
/// - **Points:** a solver gets 10 points, and one more for every full tenth of the round's time that was left: 20 at once, 15
///   at half-time, 10 at the end. Nobody else gets any.
public struct Match: Sendable {
  /// What was agreed upon.
  public let rules: Rules
  /// The number of the running or last round; 0 before the first.
  public private(set) var roundNumber = 0

  private var generator: SeededGenerator
  private var phase = Phase.waiting
  private var seats: [Seat] = []
  private var latest: Duration?

  private enum Phase {
    /// Too few players for a round. Goes to `playing` when enough are there, the first time through `pausing`.
    case waiting
    /// Goes to `pausing`, or to `over` after the last round.
    case playing(Round)
    /// Goes to `playing`, or to `waiting` when too few are left by then.
    case pausing(until: Duration)
    /// Final.
    case over
  }

  private struct Round {
    let hand: Hand
    let start: Duration
  }

  private struct Seat {
    let player: Player
    var status: Standing.Status
    var points = 0
  }

  /// Makes a match without players; the first round starts when enough have joined.
  ///
  /// - Parameters:
  ///   - rules: What is agreed upon.
  ///   - generator: Deals the hands; the same seed deals the same.
  public init(rules: Rules = Rules(), generator: SeededGenerator) {
    self.rules = rules
    self.generator = generator
  }

  /// Takes in what happened at `now`, after whatever fell due until then, and says what follows from it, in order.
  ///
  /// Events of someone who does not take part have no effect, nor has anything after the end except that joining is refused.
  public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    precondition(latest.map { now >= $0 } ?? true, "the time of a match never runs backwards")
    latest = now
    var effects = advance(to: now)
    switch event {
    case .join(let id, let name): effects += join(id, name, at: now)
    case .leave(let id): effects += leave(id, at: now)
    case .answer(let id, let round, let text): effects += answer(id, round, text, at: now)
    case .giveUp(let id, let round): effects += giveUp(id, round, at: now)
    case .timePassed: break
    case .close: effects += close()
    }
    return effects
  }

  /// When something falls due by itself; `nil` when nothing will.
  public var nextDeadline: Duration? {
    switch phase {
    case .playing(let round): deadline(of: round)
    case .pausing(let end): end
    case .waiting, .over: nil
    }
  }

  /// Whether a round is running.
  public var isPlaying: Bool {
    switch phase {
    case .playing: true
    case .waiting, .pausing, .over: false
    }
  }

  /// Whether the match has ended for good.
  public var isOver: Bool {
    switch phase {
    case .over: true
    case .waiting, .playing, .pausing: false
    }
  }

  /// Those who take part, in the order of their coming.
  public var players: [Player] { seats.map(\.player) }

  /// How everyone stands, as ``Standing/precedes(_:_:)`` orders it.
  public var standings: [Standing] {
    seats.map { Standing(player: $0.player, status: $0.status, points: $0.points) }.sorted(by: Standing.precedes)
  }
}

// MARK: - Players

extension Match {
  private mutating func join(_ id: PlayerID, _ name: PlayerName, at now: Duration) -> [Effect] {
    precondition(seat(of: id) == nil, "player \(id) takes part already")
    guard !isOver else { return [.joinRefused(id, .over)] }
    guard seats.count < rules.maximumPlayers else { return [.joinRefused(id, .full(maximum: rules.maximumPlayers))] }
    let player = Player(id: id, name: name.distinct(from: seats.map(\.player.name)))
    seats.append(Seat(player: player, status: .waiting))
    switch phase {
    case .waiting where seats.count >= rules.minimumPlayers && (roundNumber > 0 || rules.gathering == .zero):
      return [.joined(player)] + startRound(at: now)
    case .waiting where seats.count >= rules.minimumPlayers:
      phase = .pausing(until: now + (seats.count > 1 ? min(rules.gathering, rules.pause) : rules.gathering))
      return [.joined(player), .standings(standings)]
    case .pausing(let end) where roundNumber == 0 && seats.count > 1:
      phase = .pausing(until: min(end, now + rules.pause))
      return [.joined(player), .standings(standings)]
    case .playing(let round) where round.start + rules.roundDuration - now > rules.lateJoinThreshold:
      seats[seats.count - 1].status = .joinedAndGuessing
      return [.joined(player), .dealt(deal(of: round, at: now), to: id), .standings(standings)]
    case .waiting, .playing, .pausing, .over:
      return [.joined(player), .standings(standings)]
    }
  }

  private mutating func leave(_ id: PlayerID, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), !isOver else { return [] }
    let player = seats.remove(at: index).player
    return [.left(player), .standings(standings)] + endRoundIfDecided(at: now)
  }

  private mutating func close() -> [Effect] {
    guard !isOver else { return [] }
    phase = .over
    return [.over]
  }

  private func seat(of id: PlayerID) -> Int? { seats.firstIndex { $0.player.id == id } }
}

// MARK: - Answers

extension Match {
  private mutating func answer(_ id: PlayerID, _ number: Int, _ text: String, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), !isOver else { return [] }
    guard case .playing(let round) = phase, number == roundNumber else { return [.answerRefused(id, .noSuchRound)] }
    switch seats[index].status {
    case .guessing, .joinedAndGuessing: break
    case .waiting: return [.answerRefused(id, .waiting)]
    case .solved: return [.answerRefused(id, .alreadySolved)]
    case .gaveUp, .outOfTime: return [.answerRefused(id, .gaveUp)]
    }
    do {
      _ = try Answer(text, to: round.hand)
    } catch {
      return [.answerRefused(id, .wrong(error))]
    }
    let time = min(now - round.start, rules.roundDuration)
    seats[index].status = .solved(time)
    seats[index].points += rules.points(forSolvingAfter: time)
    return [.solved(seats[index].player, after: time), .standings(standings)] + endRoundIfDecided(at: now)
  }

  private mutating func giveUp(_ id: PlayerID, _ number: Int, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), isPlaying, number == roundNumber, seats[index].status.isGuessing else { return [] }
    seats[index].status = .gaveUp
    return [.standings(standings)] + endRoundIfDecided(at: now)
  }
}

// MARK: - Rounds

extension Match {
  private mutating func advance(to now: Duration) -> [Effect] {
    guard let nextDeadline, now >= nextDeadline else { return [] }
    switch phase {
    case .playing(let round):
      return endRound(round, at: now)
    case .pausing where seats.count >= rules.minimumPlayers:
      return startRound(at: now)
    case .pausing:
      phase = .waiting
      return []
    case .waiting, .over:
      return []
    }
  }

  private mutating func startRound(at now: Duration) -> [Effect] {
    let round = Round(hand: .random(using: &generator), start: now)
    roundNumber += 1
    phase = .playing(round)
    for index in seats.indices { seats[index].status = .guessing }
    return [.roundStarted(deal(of: round, at: now)), .standings(standings)]
  }

  private mutating func endRoundIfDecided(at now: Duration) -> [Effect] {
    guard case .playing(let round) = phase, !seats.contains(where: \.status.isGuessing) else { return [] }
    return endRound(round, at: now)
  }

  private mutating func endRound(_ round: Round, at now: Duration) -> [Effect] {
    for index in seats.indices where seats[index].status.isGuessing { seats[index].status = .outOfTime }
    guard let solution = Solver.firstSolution(of: round.hand) else { preconditionFailure("only solvable hands are dealt") }
    let isLast = roundNumber == rules.rounds
    phase = isLast ? .over : .pausing(until: now + rules.pause)
    let result = RoundResult(
      number: roundNumber, hand: round.hand, solution: solution, standings: standings, pause: isLast ? nil : rules.pause)
    return isLast ? [.roundEnded(result), .over] : [.roundEnded(result)]
  }

  private func deadline(of round: Round) -> Duration { round.start + rules.roundDuration + rules.grace }

  private func deal(of round: Round, at now: Duration) -> Deal {
    Deal(number: roundNumber, hand: round.hand, remaining: round.start + rules.roundDuration - now)
  }
}
