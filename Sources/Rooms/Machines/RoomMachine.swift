package import TwentyFour

/// A room as its host runs it: who is connected, who plays, and what is said to whom.
///
/// A value without sockets and clock. The shell hands in what happens on its connections and with its own player, carries out
/// the effects in order, and hands in ``Event/timePassed`` when ``nextDeadline`` has come. Whatever a connection sends ends at
/// most that connection.
///
/// A connection that says a good hello is admitted; then it belongs to a player, or to someone who looks on, until it hangs up,
/// says something it must not, or goes silent. How many may wait to say hello, and for how long, is the shell's affair. The
/// host's own player is a player like the others, only without a connection.
///
/// Each player gets a secret token. When his connection breaks his seat is kept for a while, and whoever says hello with the
/// token has it again, even if the old connection seems to stand still. Who leaves, or is shown out, gives the seat up.
package struct RoomMachine: Sendable {
  package let room: RoomID

  let ownName: PlayerName?
  let makeToken: @Sendable () -> SeatToken
  var match: Match
  var guests: [ConnectionID: Guest] = [:]
  var tokens: [PlayerID: SeatToken] = [:]
  var own: Player?
  var lastPlayerNumber = 0
  private var phase = Phase.unopened
  private var advertised: RoomAdvertisement?
  private var missingTold = 0
  /// Who was welcomed during the event that is being handled.
  private var welcomed: [ConnectionID] = []

  private enum Phase {
    /// Goes to `open`.
    case unopened
    /// Goes to `closed` when the host leaves or the match is over.
    case open
    /// Final.
    case closed
  }

  struct Guest {
    var watch: Watch
    var role = Role.stranger
  }

  enum Role: Hashable {
    /// Has not been welcomed. Goes to one of the others.
    case stranger
    case player(PlayerID)
    /// Looks on.
    case spectator
  }

  /// Makes a room that is not open yet.
  ///
  /// - Parameters:
  ///   - player: The name under which the host plays; `nil` when nobody plays at the host.
  ///   - tokens: Makes secrets.
  package init(
    room: RoomID, player: PlayerName?, rules: Match.Rules, generator: SeededGenerator,
    tokens: @escaping @Sendable () -> SeatToken = SeatToken.random
  ) {
    self.init(room: room, player: player, match: Match(rules: rules, generator: generator), tokens: tokens)
  }

  init(room: RoomID, player: PlayerName?, match: Match, tokens: @escaping @Sendable () -> SeatToken) {
    self.room = room
    ownName = player
    self.match = match
    makeToken = tokens
  }

  /// Takes in what happened at `now`, after whatever fell due until then, and says what to do, in order.
  ///
  /// Connections that the machine does not know (any more) have no effect, so a shell need not care what is still under way
  /// when it disconnects one.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    // Who is heard is alive, even if the shell comes late to say so.
    switch event {
    case .received(let id, _), .malformed(let id, _): guests[id]?.watch.heard(at: now)
    case .open, .connected, .disconnected, .answer, .giveUp, .hint, .kick, .timePassed, .suspend, .close: break
    }
    var effects = isOpen ? expire(at: now) : []
    switch event {
    case .open: effects += open(at: now)
    case .connected(let id): effects += connected(id, at: now)
    case .received(let id, let message): effects += received(message, from: id, at: now)
    case .malformed(let id, let malformed): effects += self.malformed(malformed, from: id, at: now)
    case .disconnected(let id): effects += lose(id, at: now)
    case .answer(let text): effects += ownEvent(at: now) { .answer($0, round: $1, text) }
    case .giveUp: effects += ownEvent(at: now) { .giveUp($0, round: $1) }
    case .hint: effects += ownEvent(at: now) { .hint($0, round: $1) }
    case .kick(let player): effects += kick(player, at: now)
    case .timePassed: break
    case .suspend: effects += isOpen ? suspend() : []
    case .close: effects += isOpen ? close(because: .hostLeft) : []
    }
    return effects + missingIfChanged() + advertisementIfChanged()
  }

  /// When something falls due by itself; `nil` when nothing will.
  package var nextDeadline: Duration? {
    guard isOpen else { return nil }
    return guests.values.lazy.filter { $0.role != .stranger }.map(\.watch.nextDeadline).reduce(match.nextDeadline) {
      min($0 ?? $1, $1)
    }
  }

  package var isOpen: Bool {
    switch phase {
    case .open: true
    case .unopened, .closed: false
    }
  }

  /// How everyone stands.
  package var standings: [Standing] { match.standings }

  /// The number of the running or last round; 0 before the first.
  package var roundNumber: Int { match.roundNumber }

  /// The running round.
  package func deal(at now: Duration) -> Match.Deal? { match.deal(at: now) }

  /// How many look on.
  package var spectatorCount: Int { guests.values.count { $0.role == .spectator } }

  /// What the room is to tell the network; the host's own player counts from the beginning.
  var advertisement: RoomAdvertisement {
    let isOwnComing =
      switch phase {
      case .unopened: ownName != nil && own == nil
      case .open, .closed: false
      }
    let players = min(match.players.count + (isOwnComing ? 1 : 0), match.rules.maximumPlayers)
    return RoomAdvertisement(room: room, players: players, maximumPlayers: match.rules.maximumPlayers, state: state)
  }

  /// The connections of those who play or look on.
  var audience: [ConnectionID] { guests.filter { $0.value.role != .stranger }.keys.sorted() }

  var state: RoomState { match.isPlaying ? .playing : .waiting }

  func connection(of player: PlayerID) -> ConnectionID? { guests.first { $0.value.role == .player(player) }?.key }
}

// MARK: - Opening, closing, time

extension RoomMachine {
  private mutating func open(at now: Duration) -> [Effect] {
    guard case .unopened = phase else { preconditionFailure("a room is opened once") }
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
      // That the room is open for him comes first.
      let joined = apply(.join(player.id, name), at: now)
      return joined.prefix(1) + lost + joined.dropFirst()
    case (nil, nil):
      return [opened(as: nil)] + lost
    }
  }

  func opened(as player: Player?) -> Effect {
    .report(.open(room: room, player: player, rules: RoomRules(match.rules)))
  }

  mutating func close(because reason: RoomReason) -> [Effect] {
    end(saying: .closed(reason)) + [.report(.closed(reason))]
  }

  /// Ends the room here, but not for those who are in it: they will look for it again.
  private mutating func suspend() -> [Effect] {
    end(saying: nil) + [.report(.closed(.hostLeft))]
  }

  private mutating func end(saying message: RoomMessage?) -> [Effect] {
    phase = .closed
    let connections = guests.keys.sorted()
    guests = [:]
    return connections.map { .disconnect($0, after: message) }
  }

  private mutating func expire(at now: Duration) -> [Effect] {
    var effects = apply(.timePassed, at: now)
    for id in guests.keys.sorted() {
      guard var guest = guests[id], guest.role != .stranger, now >= guest.watch.nextDeadline else { continue }
      let finding = guest.watch.check(at: now)
      guests[id] = guest
      switch finding {
      case .alive: break
      case .quiet: effects.append(.send(.ping, to: [id]))
      case .dead: effects += [.disconnect(id, after: .refused(.silent))] + lose(id, at: now)
      }
    }
    return effects
  }

  private mutating func advertisementIfChanged() -> [Effect] {
    let advertisement = self.advertisement
    guard isOpen, advertisement != advertised else { return [] }
    advertised = advertisement
    return [.advertise(advertisement)]
  }

  /// Tells how many players are missing, whenever that has changed, and to those who have just come.
  private mutating func missingIfChanged() -> [Effect] {
    let missing = match.missingPlayers
    let newcomers = welcomed
    welcomed = []
    guard isOpen else { return [] }
    guard missing == missingTold else {
      missingTold = missing
      return tellAll(.missing(missing), .missing(missing))
    }
    return missing > 0 ? send(.missing(missing), to: newcomers) : []
  }

  /// The effects of letting someone in.
  mutating func welcome(_ id: ConnectionID, as player: Player?) -> [Effect] {
    welcomed.append(id)
    let welcome = RoomMessage.Welcome(
      room: room, player: player, state: state, token: player.flatMap { tokens[$0.id]?.text },
      returnLimit: match.rules.returnLimit, rules: RoomRules(match.rules))
    return [.admit(id), .send(.welcome(welcome), to: [id])]
  }

  mutating func newPlayerID() -> PlayerID {
    lastPlayerNumber += 1
    return PlayerID(rawValue: lastPlayerNumber)
  }
}
