import TwentyFour

/// What connections say, and how they come and go.
extension RoomMachine {
  mutating func connected(_ id: ConnectionID, at now: Duration) -> [Effect] {
    precondition(guests[id] == nil, "connection \(id) is known already")
    guard isOpen else { return [.disconnect(id, after: .refused(.hostLeft))] }
    guests[id] = Guest(watch: Watch(from: now))
    return []
  }

  mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    guard let guest = guests[id] else { return [] }
    switch (message, guest.role) {
    case (.hello(let hello), .stranger):
      return self.hello(hello, from: id, at: now)
    case (.leaving, _):
      return [.disconnect(id, after: nil)] + forget(id, at: now)
    case (.answer(let round, let expression), .player(let player)):
      return apply(.answer(player, round: round, expression), at: now)
    case (.giveUp(let round), .player(let player)):
      return apply(.giveUp(player, round: round), at: now)
    case (.hint(let round), .player(let player)):
      return apply(.hint(player, round: round), at: now)
    case (.ping, .player), (.ping, .spectator):
      return [.send(.pong, to: [id])]
    case (.pong, .player), (.pong, .spectator):
      return []
    case (.hello, _), (.answer, _), (.giveUp, _), (.hint, _), (.ping, .stranger), (.pong, .stranger),
      (.welcome, _), (.refused, _), (.joined, _), (.left, _), (.away, _), (.back, _), (.missing, _), (.round, _),
      (.accepted, _), (.answerRefused, _), (.hinted, _), (.hintRefused, _), (.standings, _), (.roundEnded, _), (.closed, _):
      return dismiss(id, because: .outOfOrder(message), at: now)
    }
  }

  mutating func malformed(_ malformed: MalformedMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    switch malformed {
    case .unknownKind: []
    case .tooLarge, .notUTF8, .notJSON, .invalid: dismiss(id, because: RoomReason(malformed), at: now)
    }
  }

  /// Shows a player out, whether he is away or not.
  mutating func kick(_ player: PlayerID, at now: Duration) -> [Effect] {
    precondition(player != own?.id, "the host's own player leaves by closing the room")
    guard isOpen else { return [] }
    if let id = connection(of: player) { return dismiss(id, because: .kicked, at: now) }
    return apply(.leave(player), at: now)
  }

  /// Takes a connection that broke out of the room; the seat of its player is kept.
  mutating func lose(_ id: ConnectionID, at now: Duration) -> [Effect] {
    switch guests.removeValue(forKey: id)?.role {
    case .player(let player): apply(.lost(player), at: now)
    case .stranger, .spectator, nil: []
    }
  }

  /// Takes a connection, and whoever played over it, out of the room.
  private mutating func forget(_ id: ConnectionID, at now: Duration) -> [Effect] {
    switch guests.removeValue(forKey: id)?.role {
    case .player(let player): apply(.leave(player), at: now)
    case .stranger, .spectator, nil: []
    }
  }

  /// Ends a connection from our side and says why.
  private mutating func dismiss(_ id: ConnectionID, because reason: RoomReason, at now: Duration) -> [Effect] {
    guard guests[id] != nil else { return [] }
    return [.disconnect(id, after: .refused(reason))] + forget(id, at: now)
  }
}

// MARK: - Hello

extension RoomMachine {
  private mutating func hello(_ hello: RoomMessage.Hello, from id: ConnectionID, at now: Duration) -> [Effect] {
    guard hello.version == RoomMessage.version else { return dismiss(id, because: .otherVersion, at: now) }
    let name: PlayerName
    do {
      name = try PlayerName(hello.name)
    } catch {
      return dismiss(id, because: RoomReason(.name, error.description), at: now)
    }
    if hello.watches { return letWatch(id, at: now) }
    if let player = hello.token.flatMap(player(with:)) { return resume(player, over: id, at: now) }
    let player = newPlayerID()
    guests[id]?.role = .player(player)
    return apply(.join(player, name), at: now)
  }

  private mutating func letWatch(_ id: ConnectionID, at now: Duration) -> [Effect] {
    let maximum = match.rules.maximumPlayers
    guard spectatorCount < maximum else { return dismiss(id, because: .tooManyWatch(maximum), at: now) }
    guests[id]?.role = .spectator
    let deal = match.deal(at: now).map { RoomMessage.round($0) }
    let messages = [deal, .standings(match.standings)].compactMap(\.self)
    return welcome(id, as: nil) + messages.map { .send($0, to: [id]) }
  }

  /// Whose seat a token is the secret of. All are compared, so that the time tells nothing.
  private func player(with token: String) -> PlayerID? {
    tokens.filter { $0.value.matches(token) }.keys.first
  }

  /// Gives a player his seat back, over a new connection that takes the place of the old one if there is one still.
  private mutating func resume(_ player: PlayerID, over id: ConnectionID, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    if let old = connection(of: player) {
      effects = [.disconnect(old, after: .refused(.replaced))] + lose(old, at: now)
    }
    guests[id]?.role = .player(player)
    return effects + apply(.back(player), at: now)
  }
}
