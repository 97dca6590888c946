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
///   at half-time, 10 at the end. Each hint that he took in the round costs ``Rules/hintCost``, but one point is left at least.
///   Nobody else gets any.
/// - **Away:** who is lost keeps place, points and round for ``Rules/returnLimit``. A round waits for him as for anyone else who
///   is guessing. A round that starts meanwhile does not; he plays it as one who comes late. None starts while all are away.
public struct Match: Sendable {
  /// What was agreed upon.
  public let rules: Rules
  /// The number of the running or last round; 0 before the first.
  public internal(set) var roundNumber = 0

  var generator: SeededGenerator
  var phase = Phase.waiting
  var seats: [Seat] = []
  private var latest: Duration?

  enum Phase {
    /// Too few players for a round. Goes to `playing` when enough are there, the first time through `pausing`.
    case waiting
    /// Goes to `pausing`, or to `over` after the last round.
    case playing(Round)
    /// Goes to `playing`, or to `waiting` when too few are left by then.
    case pausing(until: Duration)
    /// Final.
    case over
  }

  struct Round {
    let hand: Hand
    /// One way to solve it.
    let solution: Expression
    let start: Duration
  }

  struct Seat {
    let player: Player
    var status = Standing.Status.waiting
    var points = 0
    var best: Duration?
    var hints = 0
    /// Until when the seat is kept for a player who is away.
    var keptUntil: Duration?

    var isAway: Bool { keptUntil != nil }
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
    case .hint(let id, let round): effects += hint(id, round)
    case .lost(let id): effects += lose(id, at: now)
    case .back(let id): effects += comeBack(id, at: now)
    case .timePassed: break
    case .close: effects += close()
    }
    return effects
  }

  /// When something falls due by itself; `nil` when nothing will.
  public var nextDeadline: Duration? {
    isOver ? nil : seats.compactMap(\.keptUntil).reduce(phaseDeadline) { min($0 ?? $1, $1) }
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
    seats.map {
      Standing(
        player: $0.player, status: $0.status, points: $0.points, isAway: $0.isAway, best: $0.best, hints: $0.hints)
    }.sorted(by: Standing.precedes)
  }

  /// How many players are missing for a round to start: of those who take part, away or not, one at least must be there.
  public var missingPlayers: Int {
    max(rules.minimumPlayers - seats.count, seats.contains { !$0.isAway } ? 0 : 1)
  }

  /// The running round, as it is dealt to someone who may still guess.
  public func deal(at now: Duration) -> Deal? {
    guard case .playing(let round) = phase else { return nil }
    return deal(of: round, at: now)
  }
}

// MARK: - Players

extension Match {
  private mutating func join(_ id: PlayerID, _ name: PlayerName, at now: Duration) -> [Effect] {
    precondition(seat(of: id) == nil, "player \(id) takes part already")
    guard !isOver else { return [.joinRefused(id, .over)] }
    guard seats.count < rules.maximumPlayers else { return [.joinRefused(id, .full(maximum: rules.maximumPlayers))] }
    let player = Player(id: id, name: name.distinct(from: seats.map(\.player.name)))
    seats.append(Seat(player: player))
    return [.joined(player)] + admit(seats.count - 1, at: now)
  }

  private mutating func comeBack(_ id: PlayerID, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), !isOver, seats[index].isAway else { return [] }
    seats[index].keptUntil = nil
    return [.back(seats[index].player)] + admit(index, at: now)
  }

  /// Lets whoever has come, or come back, into what is going on.
  private mutating func admit(_ index: Int, at now: Duration) -> [Effect] {
    switch phase {
    case .waiting where missingPlayers == 0 && (roundNumber > 0 || rules.gathering == .zero):
      return startRound(at: now)
    case .waiting where missingPlayers == 0:
      phase = .pausing(until: now + (seats.count > 1 ? min(rules.gathering, rules.pause) : rules.gathering))
    case .pausing(let end) where roundNumber == 0 && seats.count > 1:
      phase = .pausing(until: min(end, now + rules.pause))
    case .playing(let round):
      let deal = self.deal(of: round, at: now)
      if case .waiting = seats[index].status, deal.remaining > rules.lateJoinThreshold {
        seats[index].status = .joinedAndGuessing
      }
      if seats[index].status.isGuessing { return [.dealt(deal, to: seats[index].player.id), .standings(standings)] }
    case .waiting, .pausing, .over:
      break
    }
    return [.standings(standings)]
  }

  private mutating func lose(_ id: PlayerID, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), !isOver else { return [] }
    guard rules.returnLimit > .zero else { return leave(id, at: now) }
    let wasAway = seats[index].isAway
    seats[index].keptUntil = now + rules.returnLimit
    return wasAway ? [] : [.away(seats[index].player), .standings(standings)]
  }

  mutating func leave(_ id: PlayerID, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), !isOver else { return [] }
    let player = seats.remove(at: index).player
    return [.left(player), .standings(standings)] + endRoundIfDecided(at: now)
  }

  private mutating func close() -> [Effect] {
    guard !isOver else { return [] }
    phase = .over
    return [.over]
  }

  func seat(of id: PlayerID) -> Int? { seats.firstIndex { $0.player.id == id } }
}
