import Rooms
import TwentyFour

/// New connections and their placement.
extension ServerMachine {
  mutating func connected(_ id: ConnectionID, _ peer: Peer) -> [HostEffect] {
    precondition(places[id] == nil, "connection \(id) must not be added twice")
    switch phase {
    case .open, .draining: places[id] = Place(peer: peer)
    case .closed(let reason): return [.disconnect(id, because: reason)]
    case .unopened: preconditionFailure("a server must be open before it takes connections")
    }
    return []
  }

  mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let place = places[id] else { return [] }
    guard messages.allows(place.peer, at: now) else { return malformed(.tooManyMessages, from: id, at: now) }
    switch place.room {
    // Answered also while a match is held.
    case .some where message == .ping: return [.send(.pong, to: id)]
    case let room?:
      if case .act(_, .answer) = message { counts.answers += 1 }
      return apply(.received(id, message), to: room, at: now)
    case nil:
      switch message {
      case .hello(let hello) where isElsewhere(hello): return dismiss(id, because: nil)
      case .hello(let hello): return self.hello(hello, from: id, place.peer, at: now)
      case .look(let look): return introduce(look, to: id, place.peer, at: now)
      case .leaving: return dismiss(id, because: nil)
      case .ping: return [.send(.pong, to: id)]
      case .unknown: return []
      case .act, .room, .welcome, .approval, .pong, .event: return dismiss(id, because: .outOfOrder)
      }
    }
  }

  mutating func malformed(_ reason: RoomReason, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let place = places[id] else { return [] }
    return place.room.map { apply(.malformed(id, reason), to: $0, at: now) } ?? dismiss(id, because: reason)
  }

  mutating func disconnected(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let place = places.removeValue(forKey: id), let room = place.room else { return [] }
    if let used = place.used { webAdmission.restore(used) }
    return apply(.disconnected(id), to: room, at: now)
  }

  /// Tells a page whose server it is, and whether it may come in with what it shows. Nothing is used up.
  private mutating func introduce(
    _ look: RoomMessage.Look, to id: ConnectionID, _ peer: Peer, at now: Duration
  ) -> [HostEffect] {
    do throws(RoomReason) {
      let admits = try webAdmission.admits(peer, showing: look, at: now, isOwnerIn: isOwnerIn(look.hello))
      return [.send(.room(.init(room: server, title: title, admits: admits)), to: id)]
    } catch {
      return dismiss(id, because: error)
    }
  }

  /// Ends the connection of a spectator who is back over another one. The seat of a player is replaced by its match.
  private mutating func replace(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard places[id] != nil else { return [] }
    return [.disconnect(id, because: .replaced)] + disconnected(id, at: now)
  }

  private mutating func dismiss(_ id: ConnectionID, because reason: RoomReason?) -> [HostEffect] {
    places[id] = nil
    if let reason { counts.refused[reason.code.rawValue, default: 0] += 1 }
    return [.disconnect(id, because: reason)]
  }
}

// MARK: - Hello

extension ServerMachine {
  private mutating func hello(
    _ hello: RoomMessage.Hello, from id: ConnectionID, _ peer: Peer, at now: Duration
  ) -> [HostEffect] {
    do throws(RoomReason) {
      // Checked here too, so that no match is opened for a player who cannot play in it.
      _ = try hello.checked()
      guard joins.allows(peer, at: now) else { throw .tooManyJoins }
      let isBack = seat(for: hello, from: peer) != nil
      let (room, effects) = try place(for: hello, from: peer, at: now)
      places[id]?.room = room
      // The match knows neither the invitation nor the tokens; a seat is shown to the match.
      var admitted = peer
      admitted.isTrusted = !isBack || isTrusted(peer, hello)
      let entering =
        apply(.connected(id, admitted), to: room, at: now) + apply(.received(id, .hello(hello)), to: room, at: now)
      // Only now, so that whoever is refused for another reason can try again with it.
      guard places[id] != nil, !isTrusted(peer, hello) else { return effects + entering }
      let used = isBack ? webAdmission.usePass(hello) : webAdmission.use(hello)
      let waits = entering.contains { if case .send(.approval, to: id) = $0 { true } else { false } }
      if waits { places[id]?.used = used }
      // Not `used?.former.map`: the optimiser of Swift 6.3.1 fails.
      guard let used, let former = used.former else { return effects + entering }
      return effects + entering + replace(former, at: now)
    } catch {
      return dismiss(id, because: error)
    }
  }

  /// The match for a player or spectator, and the effects of opening it if it is new.
  private mutating func place(
    for hello: RoomMessage.Hello, from peer: Peer, at now: Duration
  ) throws(RoomReason) -> (room: RoomID, effects: [HostEffect]) {
    if let room = seat(for: hello, from: peer) { return (room, []) }
    if !isTrusted(peer, hello) {
      try webAdmission.check(hello, from: peer, at: now, isOwnerIn: isOwnerIn(hello))
    }
    guard phase == .open else { throw .closing }
    guard !bans.contains(peer) else { throw .banned }
    for origin in peer.origins { try shares.check(taken[origin] ?? TakenPlaces(), spectates: hello.spectates) }
    // The seat is gone. There may be another one; in any case the match tells.
    if !hello.spectates, let room = hello.seat?.room, matches[room] != nil { return (room, []) }
    if let room = hello.room {
      guard matches[room] != nil else { throw .otherRoom }
      return (room, [])
    }
    if let room = hello.place.flatMap({ advertisedMatches[$0] }) { return (room, []) }
    if hello.spectates {
      guard let room = matchToSpectate() else { throw .noMatch }
      return (room, [])
    }
    let wish = hello.players ?? size
    guard wish.overlaps(size) else { throw .size(size) }
    if let room = openMatches.match(for: wish.clamped(to: size)) { return (room, []) }
    if freePlaces > 0 {
      for origin in peer.origins { try checkMatches(of: origin) }
      if let opened = openMatch(wish.clamped(to: size), for: peer, at: now) { return opened }
    }
    guard let room = matchWithAbsentPlayer(for: wish, at: now) else { throw .serverFull(matchLimit) }
    return (room, [])
  }

  /// Whether the owner of the pass that a hello shows still has a seat.
  private func isOwnerIn(_ hello: RoomMessage.Hello) -> Bool {
    webAdmission.owner(of: hello).map { matches[$0.room]?.room.hasSeat($0.player) == true } ?? false
  }

  /// The match with the seat that a peer comes back to; nil if there is none.
  private func seat(for hello: RoomMessage.Hello, from peer: Peer) -> RoomID? {
    guard !hello.spectates, let proof = hello.seat, matches[proof.room]?.room.keepsSeat(for: proof, of: peer) == true else {
      return nil
    }
    return proof.room
  }

  /// Whether a peer needs no further proof to come in.
  private func isTrusted(_ peer: Peer, _ hello: RoomMessage.Hello) -> Bool {
    peer.isTrusted || hello.proves(invitation, over: peer)
  }

  /// Checks whether an origin may open one more match.
  ///
  /// - Throws: The reason why it may not.
  private func checkMatches(of origin: Origin) throws(RoomReason) {
    guard let limit = shares.matches else { return }
    let opened = matches.values.count { $0.opener?.origins.contains(origin) == true }
    guard opened < limit else { throw .matchShare(limit) }
    try shares.check(opened, lastQuarterOf: matchLimit, occupied: occupied)
  }

  /// A full match in which somebody is away, and whose size is wanted.
  private func matchWithAbsentPlayer(for wish: ClosedRange<Int>, at now: Duration) -> RoomID? {
    guard counts.away > 0 else { return nil }
    // Only when all places are taken.
    return matches.values.first { match in
      guard match.room.absentee(at: now) != nil, let offer = match.offer else { return false }
      return offer.size.upperBound <= wish.upperBound && offer.players >= wish.lowerBound
    }?.room.room
  }

  /// The best match to watch: the running match with the most players.
  private func matchToSpectate() -> RoomID? {
    // Rare enough to search all matches.
    func worth(_ match: ServedMatch) -> (Int, Int, Int) {
      (match.figures.hasBegun ? 1 : 0, match.figures.players, -match.number.rawValue)
    }
    return matches.values.max { worth($0) < worth($1) }?.room.room
  }
}

// MARK: - Administration

extension ServerMachine {
  mutating func decide(_ rule: HostRule, in number: MatchNumber, at now: Duration) -> [HostEffect] {
    guard flaw(of: rule, in: number) == nil else { return [] }
    if case .unban(let player) = rule {
      _ = bans.lift(BannedPlayer(match: number, player: player))
      return []
    }
    guard let room = room(of: number) else { return [] }
    switch rule {
    case .kick(let player):
      counts.kicked += 1
      webAdmission.revokePasses(of: .init(room: room, player: player))
    case .ban(let player):
      counts.kicked += 1
      webAdmission.revokePasses(of: .init(room: room, player: player))
      if let peer = matches[room]?.room.peer(of: player) { bans.ban(BannedPlayer(match: number, player: player), peer) }
    case .unban, .lock, .approve, .admit, .refuse, .reopen, .start, .next, .end, .again: break
    }
    return apply(.command(.rule(rule)), to: room, at: now)
  }

  /// The reason why a rule has no effect; nil if it has one.
  func flaw(of rule: HostRule, in number: MatchNumber) -> RoomReason? {
    if case .unban(let player) = rule {
      return bans.contains(BannedPlayer(match: number, player: player)) ? nil : .noSuchBan(player)
    }
    guard let room = room(of: number), let match = matches[room] else { return .noSuchMatch(number) }
    // Carried out later, it could end a round that nobody has seen.
    if rule == .next, match.held != nil { return .heldMatch }
    if rule == .next, !match.room.match.isPlaying { return .noRound }
    return rule.player.flatMap { match.room.knows($0) ? nil : .noSuchPlayer($0) }
  }
}
