public import TwentyFour

/// A room on its host: its connections, its players, and the messages to each of them.
///
/// Whatever a connection sends, it ends at most itself. A connection with a valid hello is admitted; then it belongs to a player
/// or a spectator until it ends or sends a message that is not allowed. The transport limits the number of connections before
/// hello, their time, and silence. The host's own player is a player like the others, but without a connection.
///
/// **Coming in.** A peer that is not trusted must prove an invitation, or the secret of a seat.
///
/// **Coming back.** Each player gets a secret. When the connection of a player who has sent an answer breaks, the seat is kept for a
/// while; a hello with a proof of the secret gets it back, even if the old connection still seems to exist, and the secret is
/// exchanged. A player who leaves, or is removed, gives up the seat.
///
/// **Fair shares.** The connections of one ``Origin``, an address or a key, share a number of places, hellos and messages
/// (``ShareLimits``). When a room is full, the seat of the player who has been away longest goes to a new player.
///
/// **Crowds.** Who comes and goes is told at once, but at most five times a second (``UpdateBudget``): more is merged, and of a
/// player who came and went meanwhile nobody is told.
public struct RoomMachine: HostMachine {
  public typealias Event = HostEvent<Command>

  /// The actions of the host in the room.
  public enum Command: Hashable, Sendable {
    /// The host's own player acts in the running round.
    case act(Match.Action)
    /// The host decides about the players.
    case rule(HostRule)
  }

  public let room: RoomID

  /// Whose room it is, for pages.
  public var title = RoomTitle(name: "")
  let ownName: PlayerName?
  let shares: ShareLimits
  let invitation: Invitation?
  /// What lets pages in that prove no passcode.
  var webAdmission: WebAdmission
  let makeSecret: @Sendable () -> String
  public internal(set) var match: Match
  /// The number of the match in this room, from 1.
  var matchNumber = 1
  var clients: [ConnectionID: Client] = [:]
  var secrets: [PlayerID: SeatSecret] = [:]
  /// Who was at the other end of the players' latest connections.
  var peers: [PlayerID: Peer] = [:]
  /// The players who have sent an answer, right or wrong, whose seats are kept.
  var answered: Set<PlayerID> = []
  var own: Player?
  var lastPlayerNumber = 0
  /// Until then no seat of a player who is away goes to a new player.
  var returnsUntil: Duration = .zero
  var joins: RateLimiter
  private var messages: RateLimiter

  /// The decisions of the host.
  var bans = BanList<PlayerID>()
  /// Whether nobody is let in any more.
  public internal(set) var isLocked = false
  /// Whether new players wait until the host admits them.
  public internal(set) var approves = false

  /// Increases whenever the result of ``takenPlaces`` changes.
  public internal(set) var seating = 0

  // Updates about who came and went.
  var budget = UpdateBudget()
  var withheld = WithheldUpdates()
  /// Whether updates are withheld in the present event.
  var isWithholding = false
  /// Whether there was an update in the present event.
  var hasUpdated = false

  private var phase = Phase.unopened
  var advertised: RoomAdvertisement?
  var missingReported = 0
  /// The number of spectators that was told, and ``seating`` then.
  var spectatorsReported = (count: 0, seating: 0)
  var wake: Duration?
  /// The connections welcomed during the present event.
  var welcomed: [ConnectionID] = []

  private enum Phase: Hashable {
    /// Goes to `open`.
    case unopened
    /// Goes to `closed` when the host leaves or the match is over.
    case open
    /// Final. New connections are told the reason, unless the room was suspended.
    case closed(because: RoomReason?)
  }

  struct Client: Hashable {
    let peer: Peer
    var role = Role.stranger
  }

  enum Role: Hashable {
    /// Has not been welcomed. Goes to one of the others.
    case stranger
    /// Waits until the host decides, at most until a time.
    case applicant(Applicant)
    case player(PlayerID)
    case spectator
  }

  struct Applicant: Hashable {
    let player: Player
    let spectates: Bool
    let deadline: Duration
    /// What its hello used up; nil if it needed nothing.
    let used: WebAdmission.Used?
  }

  /// Makes a room that is not open yet.
  ///
  /// - Parameters:
  ///   - player: The name of the host's own player; `nil` if the host does not play.
  ///   - shares: The most that the connections of one origin may have.
  ///   - approves: Whether new players wait until the host admits them.
  ///   - invitation: Whoever proves it may come in without being trusted.
  ///   - admission: Lets pages in that are not trusted.
  public init(
    room: RoomID, player: PlayerName?, rules: Match.Rules, shares: ShareLimits = ShareLimits(), approves: Bool = false,
    invitation: Invitation? = nil, admission: WebAdmission = WebAdmission(), generator: SeededGenerator
  ) {
    self.init(
      room: room, player: player, rules: rules, shares: shares, approves: approves, invitation: invitation,
      admission: admission, generator: generator, secrets: SeatSecret.random)
  }

  /// As above.
  ///
  /// - Parameter secrets: Makes secrets that cannot be guessed.
  init(
    room: RoomID, player: PlayerName?, rules: Match.Rules, shares: ShareLimits = ShareLimits(), approves: Bool = false,
    invitation: Invitation? = nil, admission: WebAdmission = WebAdmission(), generator: SeededGenerator,
    secrets: @escaping @Sendable () -> String
  ) {
    self.init(
      room: room, player: player, match: Match(rules: rules, generator: generator), shares: shares, invitation: invitation,
      admission: admission, secrets: secrets)
    self.approves = approves
  }

  init(
    room: RoomID, player: PlayerName?, match: Match, shares: ShareLimits, invitation: Invitation?, admission: WebAdmission,
    secrets: @escaping @Sendable () -> String
  ) {
    self.room = room
    ownName = player
    self.match = match
    self.shares = shares
    joins = RateLimiter(shares.joins)
    messages = RateLimiter(shares.messages)
    self.invitation = invitation
    webAdmission = admission
    makeSecret = secrets
  }

  public mutating func handle(_ event: Event, at now: Duration) -> [HostEffect] {
    isWithholding = now < budget.opening
    var effects = isWithholding ? [] : toldWhatWasWithheld()
    // What goes on elsewhere does so from the state before: nothing happens in it any more.
    let isSuspended = if case .suspend = event { true } else { false }
    if isOpen, !isSuspended { effects += apply(.timePassed, at: now) + sendAwayLateApplicants(at: now) }
    switch event {
    case .open: effects += open(at: now)
    case .connected(let id, let peer): effects += connected(id, peer)
    case .received(let id, let message): effects += receivedInTime(message, from: id, at: now)
    case .malformed(let id, let reason): effects += dismiss(id, because: reason, at: now)
    case .disconnected(let id): effects += lose(id, at: now)
    case .command(.act(let action)): effects += own.map { apply(act($0.id, action), at: now) } ?? []
    case .command(.rule(let rule)): effects += decide(rule, at: now)
    case .timePassed: break
    case .suspend: effects += isOpen ? suspend() : []
    case .close(let reason): effects += close(because: reason)
    }
    effects += missingIfChanged() + spectatorsIfChanged()
    if hasUpdated { budget.use(at: now) }
    hasUpdated = false
    return effects + advertisementIfChanged() + tokenIfChanged(at: now) + wakeIfChanged()
  }

  /// Handles a message, unless its origins send too many.
  private mutating func receivedInTime(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let peer = clients[id]?.peer else { return [] }
    guard messages.allows(peer, at: now) else { return dismiss(id, because: .tooManyMessages, at: now) }
    return received(message, from: id, at: now)
  }

  private func act(_ player: PlayerID, _ action: Match.Action) -> Match.Event {
    .act(player, round: match.roundNumber, action)
  }

  public var isOpen: Bool { phase == .open }

  /// Whether the room was closed for good. One that was suspended can go on elsewhere.
  public var isOver: Bool { closingReason != nil }

  /// The reason why new connections are refused.
  var closingReason: RoomReason? {
    if case .closed(let reason) = phase { reason } else { nil }
  }

  public var advertisedPairs: [String: String] { advertisement.pairs }

  /// The room's advertisement; the host's own player counts from the beginning. A locked room has no free place.
  var advertisement: RoomAdvertisement {
    let isOwnComing = phase == .unopened && ownName != nil && own == nil
    let maximum = match.rules.maximumPlayers
    let players = isLocked ? maximum : min(match.players.count + (isOwnComing ? 1 : 0), maximum)
    return RoomAdvertisement(
      room: room, players: players, maximumPlayers: maximum, state: match.isPlaying ? .playing : .waiting,
      time: match.rules.time)
  }
}

// MARK: - Opening, closing, time

extension RoomMachine {
  private mutating func open(at now: Duration) -> [HostEffect] {
    precondition(phase == .unopened, "a room must be opened only once")
    phase = .open
    let lost = loseEveryoneElse(at: now)
    switch (own, ownName) {
    case (let own?, .some):
      return [opened(as: own)] + continued + lost + dealAgain(at: now)
    case (let player?, nil):
      own = nil
      return [opened(as: nil)] + continued + lost + apply(.leave(player.id), at: now)
    case (nil, let name?):
      let player = Player(id: newPlayerID(), name: name)
      own = player
      // `open` comes before the other events.
      let joined = apply(.join(player.id, name), at: now)
      return joined.prefix(1) + continued + lost + joined.dropFirst()
    case (nil, nil):
      return [opened(as: nil)] + continued + lost
    }
  }

  func opened(as player: Player?) -> HostEffect {
    .report(room, .open(room: room, player: player, rules: RoomRules(match.rules)))
  }

  mutating func close(because reason: RoomReason) -> [HostEffect] {
    guard isOpen else { return [] }
    return toldWhatWasWithheld() + [.broadcast(room, .closed(reason))] + end(because: reason) + [.over]
  }

  private mutating func suspend() -> [HostEffect] {
    end(because: nil) + [.report(room, .closed(.hostLeft))]
  }

  /// Ends all connections. Only those that were not admitted are told the reason here; the others were told before.
  private mutating func end(because reason: RoomReason?) -> [HostEffect] {
    phase = .closed(because: reason)
    let ended = clients.sorted { $0.key < $1.key }
    clients = [:]
    return ended.map { .disconnect($0.key, because: $0.value.role.isAdmitted ? nil : reason) }
  }
}
