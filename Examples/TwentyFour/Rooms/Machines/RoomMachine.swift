public import TwentyFour

/// A room on its host: its connections, its players, and the messages to each of them.
///
/// Whatever a connection sends, it ends at most itself. A connection with a valid hello is admitted; then it belongs to a player
/// or a spectator until it ends or sends a message that is not allowed. The transport limits the number of connections before
/// hello, their time, and silence. The host's own player is a player like the others, but without a connection.
///
/// Each player gets a secret token. When their connection breaks, the seat is kept for a while; a hello with the token gets it
/// back, even if the old connection still seems to exist. A player who leaves, or is removed, gives up the seat.
public struct RoomMachine: HostMachine {
  public typealias Event = HostEvent<Command>

  /// The actions of the host in the room.
  public enum Command: Hashable, Sendable {
    /// The host's own player acts in the running round.
    case act(Match.Action)
    /// The host removes a player.
    case kick(PlayerID)
  }

  public let room: RoomID

  let ownName: PlayerName?
  let makeSecret: @Sendable () -> String
  public internal(set) var match: Match
  var guests: [ConnectionID: Role] = [:]
  var tokens: [PlayerID: SeatToken] = [:]
  var own: Player?
  var lastPlayerNumber = 0
  private var phase = Phase.unopened
  private var advertised: RoomAdvertisement?
  private var missingTold = 0
  private var wake: Duration?
  /// The connections welcomed during the present event.
  private var welcomed: [ConnectionID] = []

  private enum Phase: Hashable {
    /// Goes to `open`.
    case unopened
    /// Goes to `closed` when the host leaves or the match is over.
    case open
    /// Final. New connections are told the reason, unless the room was suspended.
    case closed(because: RoomReason?)
  }

  enum Role: Hashable {
    /// Has not been welcomed. Goes to one of the others.
    case stranger
    case player(PlayerID)
    case spectator
  }

  /// Makes a room that is not open yet.
  ///
  /// - Parameters:
  ///   - player: The name of the host's own player; `nil` if the host does not play.
  ///   - secrets: Makes secrets that cannot be guessed.
  public init(
    room: RoomID, player: PlayerName?, rules: Match.Rules, generator: SeededGenerator,
    secrets: @escaping @Sendable () -> String = SeatToken.randomSecret
  ) {
    self.init(room: room, player: player, match: Match(rules: rules, generator: generator), secrets: secrets)
  }

  init(room: RoomID, player: PlayerName?, match: Match, secrets: @escaping @Sendable () -> String) {
    self.room = room
    ownName = player
    self.match = match
    makeSecret = secrets
  }

  public mutating func handle(_ event: Event, at now: Duration) -> [HostEffect] {
    var effects = isOpen ? apply(.timePassed, at: now) : []
    switch event {
    case .open: effects += open(at: now)
    case .connected(let id): effects += connected(id)
    case .received(let id, let message): effects += received(message, from: id, at: now)
    case .malformed(let id, let reason): effects += dismiss(id, because: reason, at: now)
    case .disconnected(let id): effects += lose(id, at: now)
    case .command(.act(let action)): effects += own.map { apply(act($0.id, action), at: now) } ?? []
    case .command(.kick(let player)): effects += kick(player, at: now)
    case .timePassed: break
    case .suspend: effects += isOpen ? suspend() : []
    case .close(let reason): effects += close(because: reason)
    }
    return effects + missingIfChanged() + advertisementIfChanged() + wakeIfChanged()
  }

  private func act(_ player: PlayerID, _ action: Match.Action) -> Match.Event {
    .act(player, round: match.roundNumber, action)
  }

  public var isOpen: Bool { phase == .open }

  /// The reason why new connections are refused.
  var closingReason: RoomReason? {
    if case .closed(let reason) = phase { reason } else { nil }
  }

  /// The number of spectators.
  public var spectatorCount: Int { guests.values.count { $0 == .spectator } }

  /// Whether a token belongs to a kept seat.
  public func keepsSeat(for token: String) -> Bool { player(with: token) != nil }

  public var advertisedPairs: [String: String] { advertisement.pairs }

  /// The room's advertisement; the host's own player counts from the beginning.
  var advertisement: RoomAdvertisement {
    let isOwnComing = phase == .unopened && ownName != nil && own == nil
    let players = min(match.players.count + (isOwnComing ? 1 : 0), match.rules.maximumPlayers)
    return RoomAdvertisement(
      room: room, players: players, maximumPlayers: match.rules.maximumPlayers, state: match.isPlaying ? .playing : .waiting)
  }

  func connection(of player: PlayerID) -> ConnectionID? { guests.first { $0.value == .player(player) }?.key }
}

// MARK: - Opening, closing, time

extension RoomMachine {
  private mutating func open(at now: Duration) -> [HostEffect] {
    precondition(phase == .unopened, "a room must be opened only once")
    phase = .open
    let lost = loseEveryoneElse(at: now)
    switch (own, ownName) {
    case (let own?, .some):
      return [opened(as: own)] + lost + dealAgain(at: now)
    case (let player?, nil):
      own = nil
      return [opened(as: nil)] + lost + apply(.leave(player.id), at: now)
    case (nil, let name?):
      let player = Player(id: newPlayerID(), name: name)
      own = player
      // `open` comes before the other events.
      let joined = apply(.join(player.id, name), at: now)
      return joined.prefix(1) + lost + joined.dropFirst()
    case (nil, nil):
      return [opened(as: nil)] + lost
    }
  }

  func opened(as player: Player?) -> HostEffect {
    .report(room, .open(room: room, player: player, rules: RoomRules(match.rules)))
  }

  mutating func close(because reason: RoomReason) -> [HostEffect] {
    guard isOpen else { return [] }
    return [.tell(room, .closed(reason))] + end(because: reason) + [.over]
  }

  private mutating func suspend() -> [HostEffect] {
    end(because: nil) + [.report(room, .closed(.hostLeft))]
  }

  /// Ends all connections. Only connections before hello are told the reason here; the others were told before.
  private mutating func end(because reason: RoomReason?) -> [HostEffect] {
    phase = .closed(because: reason)
    let ended = guests.sorted { $0.key < $1.key }
    guests = [:]
    return ended.map { .disconnect($0.key, because: $0.value == .stranger ? reason : nil) }
  }

  private mutating func advertisementIfChanged() -> [HostEffect] {
    let advertisement = self.advertisement
    guard isOpen, advertisement != advertised else { return [] }
    advertised = advertisement
    return [.advertise(advertisement.pairs)]
  }

  private mutating func wakeIfChanged() -> [HostEffect] {
    let next = isOpen ? match.nextDeadline : nil
    guard next != wake else { return [] }
    wake = next
    return [.wake(room, at: next)]
  }

  /// Tells the number of missing players when it changes, and always to new connections.
  private mutating func missingIfChanged() -> [HostEffect] {
    let missing = match.missingPlayers
    defer { welcomed = [] }
    guard isOpen else { return [] }
    guard missing == missingTold else {
      missingTold = missing
      return [.tell(room, .missing(missing))]
    }
    return missing > 0 ? welcomed.map { .send(.event(.missing(missing)), to: $0) } : []
  }

  /// The effects of admitting a connection.
  mutating func welcome(_ id: ConnectionID, as player: Player?) -> [HostEffect] {
    welcomed.append(id)
    let welcome = RoomMessage.Welcome(
      room: room, player: player, token: player.flatMap { tokens[$0.id]?.text }, returnLimit: match.rules.returnLimit,
      rules: RoomRules(match.rules))
    return [.admit(id, to: room), .send(.welcome(welcome), to: id)]
  }

  mutating func newPlayerID() -> PlayerID {
    lastPlayerNumber += 1
    return PlayerID(rawValue: lastPlayerNumber)
  }
}
