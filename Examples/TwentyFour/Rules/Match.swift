/// A match: rounds of four numbers, with players who come and go.
///
/// A value without clock, input or output. The caller passes in events with their times, carries out the effects, and passes in
/// ``Event/timePassed`` at ``nextDeadline``. Times are durations since a fixed origin, and never decrease.
///
/// - A round starts as soon as ``Rules/minimumPlayers`` are present. The first round waits at most ``Rules/gathering`` for more
///   players, or also for a second one (``waitsForCompany``); each later round starts ``Rules/pause`` after the end of the previous one.
/// - No hand is dealt twice, in whatever order of its numbers, until all have been dealt; another match goes on with the rest.
/// - A round ends as soon as no player is guessing, or with ``Event/endRound``, at the latest ``Rules/grace`` after its time is up.
/// - **Time:** with ``Rules/time`` the players have more of it, or no limit. Then a round goes on until one of the other two, or
///   ``Rules/longestRound`` is over.
/// - A solver's time is counted from the start of the round, also for a player who came later: leaving and coming back gains
///   nothing. An answer within the grace period counts as given at the last moment.
/// - **Points:** a solver gets 10 points, and one more for every full tenth of the round's time that was left: 20 at once, 15
///   at half-time, 10 at the end, or later in a round without a limit. Each hint taken in the round costs ``Rules/hintCost``, but a solver gets at least one point.
///   Other players get none.
/// - **The end:** after the last round the match is over, unless it ``staysOpen``: then the players keep their seats, and whoever
///   runs it may begin another one, for which everyone has no points.
/// - **Away:** a player whose connection broke keeps place, points and round for ``Rules/returnLimit``. The running round waits
///   for them as for any guessing player. A round that starts meanwhile does not wait; for it they count as late. No round starts
///   while all players are away.
public struct Match: Sendable {
  /// The rules.
  public let rules: Rules
  /// The number of the running or last round; 0 before the first.
  public internal(set) var roundNumber = 0
  /// Whether the match waits, after its last round, for another one to begin.
  public var staysOpen = false
  /// Whether the first round waits until a second player is there, or ``Event/start``.
  public var waitsForCompany = false

  var generator: SeededGenerator
  var deck = Deck()
  var phase = Phase.waiting
  var seats: [Seat] = []
  private var latest: Duration?

  enum Phase {
    /// Too few players for a round. Goes to `playing` when there are enough, the first time through `pausing`.
    case waiting
    /// Goes to `pausing`, or after the last round to `ended` or `over`.
    case playing(Round)
    /// Goes to `playing`, or to `waiting` when too few are left by then.
    case pausing(until: Duration)
    /// After the last round, if the match stays open. Goes to `pausing` or `waiting` when another one begins.
    case ended
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
    /// The time until which the seat is kept for a player who is away.
    var keptUntil: Duration?

    var isAway: Bool { keptUntil != nil }
  }

  /// Makes a match without players; the first round starts when enough have joined.
  ///
  /// - Parameters:
  ///   - rules: The rules.
  ///   - generator: Deals the hands; the same seed deals the same.
  public init(rules: Rules = Rules(), generator: SeededGenerator) {
    self.rules = rules
    self.generator = generator
  }

  /// Handles everything due by `now`, then an event at `now`; returns the effects, in order.
  ///
  /// Events of players who do not take part have no effect. After the end, only joining has an effect: it is refused.
  public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    precondition(latest.map { now >= $0 } ?? true, "now must not be earlier than the time of the last event")
    latest = now
    var effects = advance(to: now)
    switch event {
    case .join(let id, let name): effects += join(id, name, at: now)
    case .leave(let id): effects += leave(id, at: now)
    case .act(let id, let round, let action): effects += act(id, round, action, at: now)
    case .lost(let id): effects += lose(id, at: now)
    case .back(let id): effects += comeBack(id, at: now)
    case .timePassed: break
    case .start: effects += start(at: now)
    case .endRound: effects += endRound(at: now)
    case .end: effects += end(at: now)
    case .again: effects += again(at: now)
    case .close: effects += close()
    }
    return effects
  }

  /// The time of the next change without an event; `nil` for none.
  public var nextDeadline: Duration? {
    isOver ? nil : seats.compactMap(\.keptUntil).reduce(phaseDeadline) { min($0 ?? $1, $1) }
  }

  /// Whether a round is running.
  public var isPlaying: Bool {
    switch phase {
    case .playing: true
    case .waiting, .pausing, .ended, .over: false
    }
  }

  /// Whether the match has ended for good.
  public var isOver: Bool {
    switch phase {
    case .over: true
    case .waiting, .playing, .pausing, .ended: false
    }
  }

  /// Whether the last round was played, and another match may begin.
  public var hasEnded: Bool {
    switch phase {
    case .ended: true
    case .waiting, .playing, .pausing, .over: false
    }
  }

  /// The players, in the order of their joining.
  public var players: [Player] { seats.map(\.player) }

  /// The number of players who are away.
  public var awayCount: Int { seats.count(where: \.isAway) }

  /// The player who has been away longest.
  public var longestAway: PlayerID? {
    seats.compactMap { seat in seat.keptUntil.map { ($0, seat.player.id) } }.min(by: <)?.1
  }

  /// The standings, in the order of ``Standing/precedes(_:_:)``.
  public var standings: [Standing] {
    seats.map {
      Standing(
        player: $0.player, status: $0.status, points: $0.points, isAway: $0.isAway, best: $0.best, hints: $0.hints)
    }.sorted(by: Standing.precedes)
  }

  /// The number of players missing for a round to start. Players who are away count, but at least one must be present.
  public var missingPlayers: Int {
    max(neededPlayers - seats.count, seats.contains { !$0.isAway } ? 0 : 1)
  }

  private var neededPlayers: Int {
    roundNumber == 0 && waitsForCompany ? max(rules.minimumPlayers, min(2, rules.maximumPlayers)) : rules.minimumPlayers
  }

  /// The running round, as dealt to a player who may still guess.
  public func deal(at now: Duration) -> Deal? {
    guard case .playing(let round) = phase else { return nil }
    return deal(of: round, at: now)
  }
}

// MARK: - Players

extension Match {
  private mutating func join(_ id: PlayerID, _ name: PlayerName, at now: Duration) -> [Effect] {
    precondition(seat(of: id) == nil, "player \(id) must not join twice")
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

  /// Lets a new or returned player into the present phase.
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
    case .waiting, .pausing, .ended, .over:
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
