import Rooms
public import TwentyFour

/// New connections and their placement.
extension ServerMachine {
  mutating func connected(_ id: ConnectionID) -> [HostEffect] {
    precondition(places[id] == nil, "connection \(id) must not be added twice")
    switch phase {
    case .open, .draining: places[id] = .some(nil)
    case .closed(let reason): return [.disconnect(id, because: reason)]
    case .unopened: preconditionFailure("a server must be open before it takes connections")
    }
    return []
  }

  mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    switch places[id] {
    case nil:
      return []
    case .some(let room?):
      if case .act(_, .answer) = message { counts.answers += 1 }
      return apply(.received(id, message), to: room, at: now)
    case .some(nil):
      switch message {
      case .hello(let hello): return self.hello(hello, from: id, at: now)
      case .leaving: return dismiss(id, because: nil)
      case .unknown: return []
      case .act, .welcome, .event: return dismiss(id, because: .outOfOrder)
      }
    }
  }

  mutating func malformed(_ reason: RoomReason, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    switch places[id] {
    case nil: []
    case .some(let room?): apply(.malformed(id, reason), to: room, at: now)
    case .some(nil): dismiss(id, because: reason)
    }
  }

  mutating func disconnected(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let room = places.removeValue(forKey: id) ?? nil else { return [] }
    return apply(.disconnected(id), to: room, at: now)
  }

  private mutating func dismiss(_ id: ConnectionID, because reason: RoomReason?) -> [HostEffect] {
    places[id] = nil
    if let reason { counts.refused[reason.code.rawValue, default: 0] += 1 }
    return [.disconnect(id, because: reason)]
  }
}

// MARK: - Hello

extension ServerMachine {
  private mutating func hello(_ hello: RoomMessage.Hello, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    do throws(RoomReason) {
      // Checked here too, so that no match is opened for a player who cannot play in it.
      _ = try hello.checked()
      let (room, effects) = try place(for: hello, at: now)
      places[id] = room
      return effects + apply(.connected(id), to: room, at: now) + apply(.received(id, .hello(hello)), to: room, at: now)
    } catch {
      return dismiss(id, because: error)
    }
  }

  /// The match for a player or spectator, and the effects of opening it if it is new.
  private mutating func place(
    for hello: RoomMessage.Hello, at now: Duration
  ) throws(RoomReason) -> (room: RoomID, effects: [HostEffect]) {
    if let token = hello.token, let room = SeatToken.room(of: token), matches[room]?.room.keepsSeat(for: token) == true {
      return (room, [])
    }
    guard phase == .open else { throw .closing }
    if hello.watches {
      guard let room = matchToWatch() else { throw .noMatch }
      return (room, [])
    }
    let wish = hello.players ?? size
    guard wish.overlaps(size) else { throw .size(size) }
    if let room = openMatches.match(for: wish.clamped(to: size)) { return (room, []) }
    guard let opened = openMatch(wish.clamped(to: size), at: now) else { throw .serverFull(matchLimit) }
    return opened
  }

  /// The best match to watch: the running match with the most players.
  private func matchToWatch() -> RoomID? {
    // Rare enough to search all matches.
    func worth(_ match: ServedMatch) -> (Int, Int, Int) {
      (match.figures.hasBegun ? 1 : 0, match.figures.players, -match.number.rawValue)
    }
    return matches.values.max { worth($0) < worth($1) }?.room.room
  }
}

// MARK: - Administration

extension ServerMachine {
  mutating func kick(_ player: PlayerID, from number: MatchNumber, at now: Duration) -> [HostEffect] {
    guard let room = room(of: number), matches[room]?.room.match.players.contains(where: { $0.id == player }) == true else {
      return []
    }
    counts.kicked += 1
    return apply(.command(.kick(player)), to: room, at: now)
  }

  /// The players of a name, in one match or in all, ignoring case.
  public func players(called name: String, in number: MatchNumber?) -> [(match: MatchNumber, player: Player)] {
    let key = name.lowercased()
    return inOrder.filter { number == nil || $0.number == number }.flatMap { match in
      match.room.match.players.filter { $0.name.text.lowercased() == key }.map { (match.number, $0) }
    }
  }
}
