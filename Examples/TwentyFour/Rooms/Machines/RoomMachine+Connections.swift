import Names
public import TwentyFour

/// Connections and their messages.
extension RoomMachine {
  mutating func connected(_ id: ConnectionID, from origin: Origin) -> [HostEffect] {
    precondition(guests[id] == nil, "connection \(id) must not be added twice")
    guard isOpen else { return [.disconnect(id, because: closingReason)] }
    guests[id] = Guest(origin: origin)
    return []
  }

  mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let guest = guests[id] else { return [] }
    switch (message, guest.role) {
    case (.hello(let hello), .stranger): return self.hello(hello, from: id, at: now)
    case (.act(let round, let action), .player(let player)): return apply(.act(player, round: round, action), at: now)
    case (.leaving, _): return [.disconnect(id, because: nil)] + forget(id, at: now)
    case (.unknown, _): return []
    case (.hello, _), (.act, _), (.welcome, _), (.approval, _), (.event, _):
      return dismiss(id, because: .outOfOrder, at: now)
    }
  }

  /// Removes a broken connection. The seat of a player who has sent an answer is kept.
  mutating func lose(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    if case .player(let player)? = guests[id]?.role, answered.contains(player) {
      guests[id] = nil
      return apply(.lost(player), at: now)
    }
    return forget(id, at: now)
  }

  /// Removes a connection and its player.
  private mutating func forget(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let guest = guests.removeValue(forKey: id) else { return [] }
    switch guest.role {
    case .player(let player): return apply(.leave(player), at: now)
    case .newcomer(let newcomer):
      seating += 1
      return [.report(room, .left(newcomer.player))]
    case .spectator:
      seating += 1
      return []
    case .stranger: return []
    }
  }

  /// Ends a connection from this side, with a reason.
  mutating func dismiss(_ id: ConnectionID, because reason: RoomReason, at now: Duration) -> [HostEffect] {
    guard guests[id] != nil else { return [] }
    return [.disconnect(id, because: reason)] + forget(id, at: now)
  }

  func connection(of player: PlayerID) -> ConnectionID? { guests.first { $0.value.role == .player(player) }?.key }

  /// The number of spectators.
  public var spectatorCount: Int { guests.values.count { $0.role == .spectator } }

  /// The places that each origin has, including those of newcomers who wait. Players who have not come back since the host was
  /// restarted are not counted.
  public var takenPlaces: [Origin: TakenPlaces] {
    var taken: [Origin: TakenPlaces] = [:]
    for origin in origins.values { taken[origin, default: TakenPlaces()].seats += 1 }
    for guest in guests.values {
      switch guest.role {
      case .spectator: taken[guest.origin, default: TakenPlaces()].watchers += 1
      case .newcomer(let newcomer) where newcomer.watches: taken[guest.origin, default: TakenPlaces()].watchers += 1
      case .newcomer: taken[guest.origin, default: TakenPlaces()].seats += 1
      case .stranger, .player: break
      }
    }
    return taken
  }

  /// Where a player's latest connection came from.
  public func origin(of player: PlayerID) -> Origin? { origins[player] }
}

// MARK: - Hello

extension RoomMachine {
  private mutating func hello(_ hello: RoomMessage.Hello, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let origin = guests[id]?.origin else { return [] }
    do throws(RoomReason) {
      let name = try hello.checked()
      guard joins.allows(origin, at: now) else { throw .tooManyJoins }
      if !hello.watches, let player = hello.token.flatMap(player(with:)) { return resume(player, over: id, at: now) }
      try check(origin, watches: hello.watches)
      if !hello.watches, let refusal = refusal(ofLookalike: name) { throw refusal }
      let player = Player(id: newPlayerID(), name: name)
      if approves { return letWait(player, watches: hello.watches, over: id, at: now) }
      return hello.watches ? letWatch(id, at: now) : letPlay(player, over: id, at: now)
    } catch {
      return dismiss(id, because: error, at: now)
    }
  }

  /// Checks whether somebody new may come in.
  ///
  /// - Throws: The reason why they may not.
  private func check(_ origin: Origin, watches: Bool) throws(RoomReason) {
    guard !bans.contains(origin) else { throw .banned }
    guard !isLocked else { throw .locked }
    let maximum = match.rules.maximumPlayers
    let taken = takenPlaces[origin] ?? TakenPlaces()
    try shares.check(taken, watches: watches)
    if watches {
      guard spectatorCount < maximum else { throw .tooManyWatch(maximum) }
    } else {
      try shares.check(taken.seats, lastQuarterOf: maximum, occupied: match.players.count)
    }
  }

  mutating func letPlay(_ player: Player, over id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let origin = guests[id]?.origin else { return [] }
    var effects: [HostEffect] = []
    if match.players.count == match.rules.maximumPlayers, let absent = match.longestAway {
      effects = apply(.leave(absent), at: now)
    }
    guard isOpen else { return effects }
    guests[id]?.role = .player(player.id)
    origins[player.id] = origin
    return effects + apply(.join(player.id, player.name), at: now)
  }

  mutating func letWatch(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guests[id]?.role = .spectator
    seating += 1
    let events = [match.deal(at: now).map { .round($0) }, .standings(match.standings)].compactMap { $0 as RoomEvent? }
    return welcome(id, as: nil) + events.map { .send(.event($0), to: id) }
  }

  /// The player of a token. All tokens are compared, so that the time reveals nothing.
  func player(with token: String) -> PlayerID? {
    tokens.filter { $0.value.matches(token) }.keys.first
  }

  /// Whether a token belongs to a kept seat.
  public func keepsSeat(for token: String) -> Bool { player(with: token) != nil }

  /// Gives a player their seat back, over a new connection that replaces the old one if it still exists.
  private mutating func resume(_ player: PlayerID, over id: ConnectionID, at now: Duration) -> [HostEffect] {
    var effects: [HostEffect] = []
    if let old = connection(of: player) {
      let isSameOrigin = guests[old]?.origin == guests[id]?.origin
      effects = [.disconnect(old, because: isSameOrigin ? .replaced : .takenOver)]
      guests[old] = nil
      effects += apply(.lost(player), at: now)
    }
    guests[id]?.role = .player(player)
    origins[player] = guests[id]?.origin
    seating += 1
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
