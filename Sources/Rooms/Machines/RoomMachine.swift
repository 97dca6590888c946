package import TwentyFour

/// A room as its host runs it: who is connected, who plays, and what is said to whom.
///
/// A value without sockets and clock. The shell hands in what happens on its connections and with its own player, carries out
/// the effects in order, and hands in ``Event/timePassed`` when ``nextDeadline`` has come. Whatever a connection sends ends at
/// most that connection.
///
/// A connection that says a good hello is admitted; then it is a player until it hangs up, says something it must not, or goes
/// silent. How many may wait to say hello, and for how long, is the shell's affair. The host's own player is a player like the
/// others, only without a connection.
package struct RoomMachine: Sendable {
  package let room: RoomID

  private let ownName: PlayerName?
  private var match: Match
  private var guests: [ConnectionID: Guest] = [:]
  private var own: Player?
  private var lastPlayerNumber = 0
  private var advertised: RoomAdvertisement?
  private var phase = Phase.unopened

  private enum Phase {
    /// Goes to `open`.
    case unopened
    /// Goes to `closed` when the host leaves or the match is over.
    case open
    /// Final.
    case closed
  }

  private struct Guest {
    var watch: Watch
    /// Who it is, once it was welcomed.
    var player: PlayerID?
  }

  /// Makes a room that is not open yet.
  ///
  /// - Parameter player: the name under which the host plays; `nil` when nobody plays at the host.
  package init(room: RoomID, player: PlayerName?, rules: Match.Rules, generator: SeededGenerator) {
    self.room = room
    ownName = player
    match = Match(rules: rules, generator: generator)
  }

  /// Takes in what happened at `now`, after whatever fell due until then, and says what to do, in order.
  ///
  /// Connections that the machine does not know (any more) have no effect, so a shell need not care what is still under way
  /// when it disconnects one.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    // Who is heard is alive, even if the shell comes late to say so.
    switch event {
    case .received(let id, _), .malformed(let id, _): guests[id]?.watch.heard(at: now)
    case .open, .connected, .disconnected, .answer, .giveUp, .timePassed, .close: break
    }
    var effects = isOpen ? expire(at: now) : []
    switch event {
    case .open: effects += open(at: now)
    case .connected(let id): effects += connected(id, at: now)
    case .received(let id, let message): effects += received(message, from: id, at: now)
    case .malformed(let id, let malformed): effects += self.malformed(malformed, from: id, at: now)
    case .disconnected(let id): effects += forget(id, at: now)
    case .answer(let text): effects += ownEvent(at: now) { .answer($0, round: $1, text) }
    case .giveUp: effects += ownEvent(at: now) { .giveUp($0, round: $1) }
    case .timePassed: break
    case .close: effects += isOpen ? close(because: .hostLeft) : []
    }
    return effects + advertisementIfChanged()
  }

  /// When something falls due by itself; `nil` when nothing will.
  package var nextDeadline: Duration? {
    guard isOpen else { return nil }
    return guests.values.lazy.filter { $0.player != nil }.map(\.watch.nextDeadline).reduce(match.nextDeadline) {
      min($0 ?? $1, $1)
    }
  }

  package var isOpen: Bool {
    switch phase {
    case .open: true
    case .unopened, .closed: false
    }
  }

  /// The connections of those who play.
  private var players: [ConnectionID] { guests.filter { $0.value.player != nil }.keys.sorted() }

  private var state: RoomState { match.isPlaying ? .playing : .waiting }

  private func connection(of player: PlayerID) -> ConnectionID? { guests.first { $0.value.player == player }?.key }
}

// MARK: - Opening, closing, time

extension RoomMachine {
  private mutating func open(at now: Duration) -> [Effect] {
    guard case .unopened = phase else { preconditionFailure("a room is opened once") }
    phase = .open
    guard let ownName else { return [.report(.open(room: room, player: nil))] }
    let player = Player(id: newPlayerID(), name: ownName)
    own = player
    return apply(.join(player.id, ownName), at: now)
  }

  private mutating func close(because reason: RoomReason) -> [Effect] {
    phase = .closed
    let connections = guests.keys.sorted()
    guests = [:]
    return connections.map { .disconnect($0, after: .closed(reason)) } + [.report(.closed(reason))]
  }

  private mutating func expire(at now: Duration) -> [Effect] {
    var effects = apply(.timePassed, at: now)
    for id in guests.keys.sorted() {
      guard var guest = guests[id], guest.player != nil, now >= guest.watch.nextDeadline else { continue }
      switch guest.watch.check(at: now) {
      case .alive: break
      case .quiet: effects.append(.send(.ping, to: [id]))
      case .dead: effects += dismiss(id, because: .silent, at: now)
      }
      // Only if it was not dismissed.
      if guests[id] != nil { guests[id] = guest }
    }
    return effects
  }

  private mutating func advertisementIfChanged() -> [Effect] {
    let advertisement = RoomAdvertisement(
      room: room, players: match.players.count, maximumPlayers: match.rules.maximumPlayers, state: state)
    guard isOpen, advertisement != advertised else { return [] }
    advertised = advertisement
    return [.advertise(advertisement)]
  }

  private mutating func newPlayerID() -> PlayerID {
    lastPlayerNumber += 1
    return PlayerID(rawValue: lastPlayerNumber)
  }
}

// MARK: - Connections

extension RoomMachine {
  private mutating func connected(_ id: ConnectionID, at now: Duration) -> [Effect] {
    precondition(guests[id] == nil, "connection \(id) is known already")
    guard isOpen else { return [.disconnect(id, after: .refused(.hostLeft))] }
    guests[id] = Guest(watch: Watch(from: now))
    return []
  }

  private mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    guard let guest = guests[id] else { return [] }
    switch (message, guest.player) {
    case (.hello(let version, let name), nil):
      return hello(version: version, name: name, from: id, at: now)
    case (.leaving, _):
      return [.disconnect(id, after: nil)] + forget(id, at: now)
    case (.answer(let round, let expression), let player?):
      return apply(.answer(player, round: round, expression), at: now)
    case (.giveUp(let round), let player?):
      return apply(.giveUp(player, round: round), at: now)
    case (.ping, .some):
      return [.send(.pong, to: [id])]
    case (.pong, .some):
      return []
    case (.hello, .some), (.answer, nil), (.giveUp, nil), (.ping, nil), (.pong, nil),
      (.welcome, _), (.refused, _), (.joined, _), (.left, _), (.round, _), (.accepted, _), (.answerRefused, _), (.standings, _),
      (.roundEnded, _), (.closed, _):
      return dismiss(id, because: .outOfOrder(message), at: now)
    }
  }

  private mutating func hello(version: Int, name: String, from id: ConnectionID, at now: Duration) -> [Effect] {
    guard version == RoomMessage.version else { return dismiss(id, because: .otherVersion, at: now) }
    do {
      let name = try PlayerName(name)
      let player = newPlayerID()
      guests[id]?.player = player
      return apply(.join(player, name), at: now)
    } catch {
      return dismiss(id, because: RoomReason(.name, error.description), at: now)
    }
  }

  private mutating func malformed(_ malformed: MalformedMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    switch malformed {
    case .unknownKind: []
    case .tooLarge, .notUTF8, .notJSON, .invalid: dismiss(id, because: RoomReason(malformed), at: now)
    }
  }

  /// Ends a connection from our side and says why.
  private mutating func dismiss(_ id: ConnectionID, because reason: RoomReason, at now: Duration) -> [Effect] {
    guard guests[id] != nil else { return [] }
    return [.disconnect(id, after: .refused(reason))] + forget(id, at: now)
  }

  /// Takes a connection, and whoever played over it, out of the room.
  private mutating func forget(_ id: ConnectionID, at now: Duration) -> [Effect] {
    guard let player = guests.removeValue(forKey: id)?.player else { return [] }
    return apply(.leave(player), at: now)
  }
}

// MARK: - The match

extension RoomMachine {
  private mutating func ownEvent(at now: Duration, _ event: (PlayerID, Int) -> Match.Event) -> [Effect] {
    guard isOpen, let own else { return [] }
    return apply(event(own.id, match.roundNumber), at: now)
  }

  /// Lets the match take in an event, and tells everyone whom it concerns.
  private mutating func apply(_ event: Match.Event, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for effect in match.handle(event, at: now) { effects += tell(effect) }
    return effects
  }

  private mutating func tell(_ effect: Match.Effect) -> [Effect] {
    switch effect {
    case .joined(let player): return tellJoined(player)
    case .joinRefused(let player, let refusal):
      guard let id = connection(of: player) else { preconditionFailure("only guests can be refused") }
      guests[id] = nil
      return [.disconnect(id, after: .refused(RoomReason(refusal)))]
    case .left(let player): return tellAll(.left(player), .left(player))
    case .roundStarted(let deal): return tellAll(.round(deal), .round(deal))
    case .dealt(let deal, let player): return tell(player, .round(deal), .round(deal))
    case .solved(let player, let time): return tellAll(.accepted(player, time: time), .answer(player, time: time))
    case .answerRefused(let player, let refusal):
      let reason = RoomReason(refusal)
      return tell(player, .answerRefused(reason), .refused(reason))
    case .standings(let standings): return tellAll(.standings(standings), .standings(standings))
    case .roundEnded(let result): return tellAll(.roundEnded(result), .roundEnded(result))
    case .over: return close(because: .finished)
    }
  }

  private mutating func tellJoined(_ player: Player) -> [Effect] {
    guard let id = connection(of: player.id) else {
      own = player
      return [.report(.open(room: room, player: player))]
    }
    let others = players.filter { $0 != id }
    let welcome = RoomMessage.welcome(version: RoomMessage.version, room: room, player: player, state: state)
    return [.admit(id), .send(welcome, to: [id])] + send(.joined(player), to: others) + [.report(.joined(player))]
  }

  private func tell(_ player: PlayerID, _ message: RoomMessage, _ event: RoomEvent) -> [Effect] {
    connection(of: player).map { [.send(message, to: [$0])] } ?? [.report(event)]
  }

  private func tellAll(_ message: RoomMessage, _ event: RoomEvent) -> [Effect] {
    send(message, to: players) + [.report(event)]
  }

  private func send(_ message: RoomMessage, to connections: [ConnectionID]) -> [Effect] {
    connections.isEmpty ? [] : [.send(message, to: connections)]
  }
}
