import Names
public import TwentyFour

/// Connections and their messages.
extension RoomMachine {
  mutating func connected(_ id: ConnectionID) -> [HostEffect] {
    precondition(guests[id] == nil, "connection \(id) must not be added twice")
    guard isOpen else { return [.disconnect(id, because: closingReason)] }
    guests[id] = .stranger
    return []
  }

  mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let role = guests[id] else { return [] }
    switch (message, role) {
    case (.hello(let hello), .stranger): return self.hello(hello, from: id, at: now)
    case (.act(let round, let action), .player(let player)): return apply(.act(player, round: round, action), at: now)
    case (.leaving, _): return [.disconnect(id, because: nil)] + forget(id, at: now)
    case (.unknown, _): return []
    case (.hello, _), (.act, _), (.welcome, _), (.event, _): return dismiss(id, because: .outOfOrder, at: now)
    }
  }

  /// Removes a player, away or not.
  mutating func kick(_ player: PlayerID, at now: Duration) -> [HostEffect] {
    precondition(player != own?.id, "the host's own player must leave by closing the room")
    guard isOpen else { return [] }
    if let id = connection(of: player) { return dismiss(id, because: .kicked, at: now) }
    return apply(.leave(player), at: now)
  }

  /// Removes a broken connection; its player's seat is kept.
  mutating func lose(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard case .player(let player)? = guests.removeValue(forKey: id) else { return [] }
    return apply(.lost(player), at: now)
  }

  /// Removes a connection and its player.
  private mutating func forget(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard case .player(let player)? = guests.removeValue(forKey: id) else { return [] }
    return apply(.leave(player), at: now)
  }

  /// Ends a connection from this side, with a reason.
  mutating func dismiss(_ id: ConnectionID, because reason: RoomReason, at now: Duration) -> [HostEffect] {
    guard guests[id] != nil else { return [] }
    return [.disconnect(id, because: reason)] + forget(id, at: now)
  }
}

// MARK: - Hello

extension RoomMachine {
  private mutating func hello(_ hello: RoomMessage.Hello, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    let name: PlayerName
    do {
      name = try hello.checked()
    } catch {
      return dismiss(id, because: error, at: now)
    }
    if hello.watches { return letWatch(id, at: now) }
    if let player = hello.token.flatMap(player(with:)) { return resume(player, over: id, at: now) }
    if let refusal = refusal(ofLookalike: name) { return dismiss(id, because: refusal, at: now) }
    let player = newPlayerID()
    guests[id] = .player(player)
    return apply(.join(player, name), at: now)
  }

  private mutating func letWatch(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    let maximum = match.rules.maximumPlayers
    guard spectatorCount < maximum else { return dismiss(id, because: .tooManyWatch(maximum), at: now) }
    guests[id] = .spectator
    let events = [match.deal(at: now).map { .round($0) }, .standings(match.standings)].compactMap { $0 as RoomEvent? }
    return welcome(id, as: nil) + events.map { .send(.event($0), to: id) }
  }

  /// The player of a token. All tokens are compared, so that the time reveals nothing.
  func player(with token: String) -> PlayerID? {
    tokens.filter { $0.value.matches(token) }.keys.first
  }

  /// Gives a player their seat back, over a new connection that replaces the old one if it still exists.
  private mutating func resume(_ player: PlayerID, over id: ConnectionID, at now: Duration) -> [HostEffect] {
    var effects: [HostEffect] = []
    if let old = connection(of: player) {
      effects = [.disconnect(old, because: .replaced)] + lose(old, at: now)
    }
    guests[id] = .player(player)
    return effects + apply(.back(player), at: now)
  }
}

extension RoomMessage.Hello {
  /// The name of a player who may come in.
  ///
  /// - Throws: The reason why they may not.
  public func checked() throws(RoomReason) -> PlayerName {
    guard version == RoomMessage.version else { throw .otherVersion }
    do {
      return try PlayerName(typed: name)
    } catch {
      throw RoomReason(.name, error.description)
    }
  }
}
