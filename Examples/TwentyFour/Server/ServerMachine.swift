public import Bonjourish
public import Rooms
public import TwentyFour

/// A server of many matches: which player plays in which match, which players wait, and which are refused.
///
/// **Placement.** A hello with the token of a kept seat leads back to that seat. Any other hello asks for a match, of its own
/// choice of size or of the server's. The player is put into a match that waits for players; otherwise into a running match with
/// a free place; otherwise into a new match, which begins when there are enough players. This keeps waiting short and matches
/// full. When all places are taken, the hello is refused with `full`. A match is over after its rounds, or when all players have
/// left; then its place is free for another match. Whoever claims a seat of a match that is here is put into no other one.
///
/// The cost of an event depends on its match, not on the number of matches.
public struct ServerMachine: HostMachine {
  public typealias Event = HostEvent<Command>

  /// The commands of the administrator.
  public enum Command: Hashable, Sendable {
    /// Decides about the players of a match. Whoever is banned is banned from all matches.
    case rule(HostRule, in: MatchNumber)
    /// Ends a match.
    case closeMatch(MatchNumber)
    /// Accept no new players and begin no match; the server closes when the last running match is over.
    case drain
  }

  public let server: RoomID
  /// The largest number of matches.
  public let matchLimit: Int
  let rules: Match.Rules
  let shares: ShareLimits
  let invitation: Invitation?
  /// What lets pages in that prove no passcode.
  var webAdmission: WebAdmission
  let makeID: @Sendable () -> RoomID
  var generator: SeededGenerator

  var phase = Phase.unopened
  var matches: [RoomID: ServedMatch] = [:]
  var places: [ConnectionID: Place] = [:]
  /// The places that each origin has in all matches.
  var taken: [Origin: TakenPlaces] = [:]
  var joins: RateLimiter
  var messages: RateLimiter
  var bans = BanList<BannedPlayer>()
  var openMatches = OpenMatchIndex()
  var lastNumber = 0
  /// Whose server it is, for pages.
  public var title = RoomTitle(name: "")
  /// The name of the server, with which the names of its matches begin, if they are advertised.
  public var advertisedAs: InstanceName? {
    didSet { nameMatches() }
  }
  /// Whether other servers go on with matches of this one, and this one with theirs.
  public var isInGroup = false
  /// The advertised matches by their names.
  var advertisedMatches: [String: RoomID] = [:]
  /// The matches for which a place is kept: they are suspended, or are being taken from other servers of the group.
  var reserved: Set<RoomID> = []
  /// When its part in the group looked at the clock last; nil without a group.
  var lastBeat: Duration?
  /// Whether that was so long ago that all matches are held.
  var wasPaused = false
  /// The matches that are over. All others may be at another server of the group.
  var ended = RecentRooms()
  private var advertised: ServerAdvertisement?
  /// The counts of past events and of present players.
  public internal(set) var counts = ServerCounts()

  /// Who is at the other end of a connection, and the room of its match; nil before hello.
  struct Place: Hashable {
    let peer: Peer
    var room: RoomID?
    /// What the hello of a page that waits to be let in has used up.
    var used: WebAdmission.Used?
  }

  /// A player of any match, also of one that is over.
  struct BannedPlayer: Hashable, Codable {
    let match: MatchNumber
    let player: PlayerID
  }

  enum Phase: Hashable {
    /// Goes to `open`.
    case unopened
    /// Goes to `draining` or `closed`.
    case open
    /// Goes to `closed` when the last match is over.
    case draining
    /// Final. New connections are told the reason, unless the server was suspended.
    case closed(because: RoomReason?)
  }

  /// Makes a server that is not open yet.
  ///
  /// - Parameters:
  ///   - server: The server's ID in its advertisement.
  ///   - matchLimit: The largest number of matches, at least 1.
  ///   - rules: The rules of each match; players may ask for a size between their minimum and maximum.
  ///   - shares: The most that the connections of one origin may have.
  ///   - invitation: Whoever proves it may come in without being trusted.
  ///   - admission: Lets pages in that are not trusted.
  ///   - generator: Deals the hands.
  ///   - makeID: Makes each match's ID; not from the generator, whose next numbers could be guessed from the IDs.
  public init(
    server: RoomID, matchLimit: Int, rules: Match.Rules, shares: ShareLimits = ShareLimits(), invitation: Invitation? = nil,
    admission: WebAdmission = WebAdmission(), generator: SeededGenerator,
    makeID: @escaping @Sendable () -> RoomID = { RoomID() }
  ) {
    precondition(matchLimit > 0, "matchLimit must be at least 1")
    self.server = server
    self.matchLimit = matchLimit
    self.rules = rules
    self.shares = shares
    self.invitation = invitation
    webAdmission = admission
    joins = RateLimiter(shares.joins)
    messages = RateLimiter(shares.messages)
    self.generator = generator
    self.makeID = makeID
  }

  /// The number of players with which a match begins, and the largest number.
  var size: ClosedRange<Int> { rules.minimumPlayers...rules.maximumPlayers }

  /// The matches in the order of their opening.
  var inOrder: [ServedMatch] { matches.values.sorted { $0.number < $1.number } }

  /// The state of every match, in the order of their opening.
  public var overview: [MatchOverview] { inOrder.map(MatchOverview.init) }

  /// The server's advertisement.
  public var advertisement: ServerAdvertisement {
    ServerAdvertisement(
      server: server, matches: counts.matches, matchLimit: matchLimit, players: counts.players,
      places: matchLimit * rules.maximumPlayers,
      hasRoom: (phase == .open || phase == .unopened) && (freePlaces > 0 || !openMatches.isEmpty),
      isPlaying: counts.matches > counts.gathering, time: rules.time)
  }

  public var advertisedPairs: [String: String] { advertisement.pairs }

  /// The number of matches that can still be opened.
  var freePlaces: Int { max(matchLimit - occupied, 0) }

  /// The number of matches, with those for which a place is kept.
  var occupied: Int { matches.count + reserved.count }

  /// Whether new players are refused.
  public var isDraining: Bool { phase == .draining }

  public mutating func handle(_ event: Event, at now: Duration) -> [HostEffect] {
    var effects = holdAfterPause(at: now)
    switch event {
    case .open: effects += open(at: now)
    case .connected(let id, let peer): effects += connected(id, peer)
    case .received(let id, let message): effects += received(message, from: id, at: now)
    case .malformed(let id, let reason): effects += malformed(reason, from: id, at: now)
    case .disconnected(let id): effects += disconnected(id, at: now)
    case .timePassed(server): break
    case .timePassed(let room): effects += apply(.timePassed(room), to: room, at: now)
    case .command(.rule(let rule, let number)): effects += decide(rule, in: number, at: now)
    case .command(.closeMatch(let number)):
      effects += room(of: number).map { apply(.close(because: .hostLeft), to: $0, at: now) } ?? []
    case .command(.drain): effects += drain(at: now)
    case .suspend: effects += end(.suspend, because: nil, at: now)
    case .close(let reason): effects += end(.close(because: reason), because: reason, at: now) + [.over]
    }
    return effects + changes(at: now)
  }

  /// The effects of what any event may have changed.
  mutating func changes(at now: Duration) -> [HostEffect] {
    closedIfDrained() + advertisementIfChanged() + tokenIfChanged(at: now)
  }
}

// MARK: - Opening and closing

extension ServerMachine {
  private mutating func open(at now: Duration) -> [HostEffect] {
    precondition(phase == .unopened, "a server must be opened only once")
    phase = .open
    // Only a restored server already has matches.
    return inOrder.flatMap { apply(.open, to: $0.room.room, at: now) }
  }

  private mutating func drain(at now: Duration) -> [HostEffect] {
    guard phase == .open else { return [] }
    phase = .draining
    // Nobody new comes in, so no token is shown any more.
    let asleep: [HostEffect] = webAdmission.isOn ? [.wake(server, at: nil)] : []
    return asleep
      + inOrder.flatMap { match -> [HostEffect] in
        guard !match.figures.hasBegun || endsBetweenRounds(match) else { return [] }
        return apply(.close(because: .closing), to: match.room.room, at: now)
      }
  }

  /// When the server drains, a match without a last round ends between two rounds.
  func endsBetweenRounds(_ match: ServedMatch) -> Bool {
    phase == .draining && match.room.match.rules.rounds == nil && !match.room.match.isPlaying
  }

  /// Ends everything; without a reason, players will look for the server again.
  private mutating func end(_ event: RoomMachine.Event, because reason: RoomReason?, at now: Duration) -> [HostEffect] {
    if case .closed = phase { return [] }
    phase = .closed(because: reason)
    return inOrder.flatMap { apply(event, to: $0.room.room, at: now) } + dismissStrangers(because: reason)
  }

  private mutating func closedIfDrained() -> [HostEffect] {
    guard phase == .draining, matches.isEmpty, reserved.isEmpty else { return [] }
    phase = .closed(because: .closing)
    return dismissStrangers(because: .closing) + [.over]
  }

  private mutating func dismissStrangers(because reason: RoomReason?) -> [HostEffect] {
    let strangers = places.keys.sorted()
    places = [:]
    return strangers.map { .disconnect($0, because: reason) }
  }

  private mutating func tokenIfChanged(at now: Duration) -> [HostEffect] {
    guard phase == .open, let token = webAdmission.refresh(at: now) else { return [] }
    return [.show(token), .wake(server, at: webAdmission.nextDeadline)]
  }

  private mutating func advertisementIfChanged() -> [HostEffect] {
    guard phase == .open || phase == .draining, advertisement != advertised else { return [] }
    advertised = advertisement
    return [.advertise(advertisement.pairs)]
  }
}

// MARK: - Matches

extension ServerMachine {
  /// Passes an event to a match, and handles the effects.
  mutating func apply(_ event: RoomMachine.Event, to room: RoomID, at now: Duration) -> [HostEffect] {
    if matches[room]?.held != nil, let kept = keep(event, in: room, at: now) { return kept }
    guard let effects = matches[room]?.room.handle(event, at: now) else { return [] }
    var passed: [HostEffect] = []
    for effect in effects where note(effect) { passed.append(withPass(effect)) }
    return passed + settle(room, at: now)
  }

  /// Records what the server needs to know of an effect of a match.
  ///
  /// - Returns: Whether the shell must carry out the effect.
  private mutating func note(_ effect: HostEffect) -> Bool {
    switch effect {
    case .advertise, .show, .over: return false
    case .disconnect(let id, let reason):
      let used = places.removeValue(forKey: id)?.used
      if let used, reason == nil || reason?.code == .unanswered { webAdmission.restore(used) }
      if let reason { counts.refused[reason.code.rawValue, default: 0] += 1 }
    case .broadcast(_, .roundEnded): counts.roundsPlayed += 1
    case .broadcast(_, .answer): counts.answersAccepted += 1
    case .broadcast(_, .back): counts.returns += 1
    default: break
    }
    return true
  }

  /// Adds to a welcome what lets a page in again; the match does not know.
  private mutating func withPass(_ effect: HostEffect) -> HostEffect {
    guard case .send(.welcome(var welcome), let id) = effect, let peer = places[id]?.peer else { return effect }
    places[id]?.used = nil
    welcome.place = matches[welcome.room]?.name
    let owner = WebAdmission.Owner(room: welcome.room, player: welcome.player?.id)
    welcome.admission = webAdmission.pass(for: owner, called: welcome.player?.name, over: id, peer)?.text
    return .send(.welcome(welcome), to: id)
  }

  /// Updates everything that depends on the state of a match.
  private mutating func settle(_ room: RoomID, at now: Duration) -> [HostEffect] {
    guard let match = matches[room] else { return [] }
    let (before, figures) = (match.counted, match.figures)
    countPlaces(of: match)
    guard match.room.isOpen else {
      // Including what the match still counts for.
      count(ServedMatch.Figures(hasBegun: true), after: before)
      counts.matches -= 1
      matches[room] = nil
      if let name = match.name { advertisedMatches[name] = nil }
      if match.room.isOver { ended.insert(room) }
      openMatches.set(room, to: nil)
      return []
    }
    count(figures, after: before)
    matches[room]?.counted = figures
    openMatches.set(room, to: phase == .open ? match.offer : nil)
    if figures.players == 0, before.players > 0 { return apply(.close(because: .everyoneLeft), to: room, at: now) }
    if before.isPlaying, endsBetweenRounds(match) { return apply(.close(because: .closing), to: room, at: now) }
    return []
  }
}
