import Names
public import TwentyFour

/// Connections and their messages.
extension RoomMachine {
  mutating func connected(_ id: ConnectionID, _ peer: Peer) -> [HostEffect] {
    precondition(clients[id] == nil, "connection \(id) must not be added twice")
    guard isOpen else { return [.disconnect(id, because: closingReason)] }
    clients[id] = Client(peer: peer)
    return []
  }

  mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let client = clients[id] else { return [] }
    switch (message, client.role) {
    case (.hello(let hello), .stranger): return self.hello(hello, from: id, at: now)
    case (.look(let look), .stranger): return introduce(look, to: id, at: now)
    case (.act(let round, let action), .player(let player)):
      // So the welcome has arrived.
      secrets[player]?.confirm()
      return apply(.act(player, round: round, action), at: now)
    case (.leaving, _):
      giveBack(to: id)
      return [.disconnect(id, because: nil)] + forget(id, at: now)
    case (.ping, _): return [.send(.pong, to: id)]
    case (.unknown, _): return []
    case (.hello, _), (.look, _), (.room, _), (.act, _), (.welcome, _), (.approval, _), (.pong, _), (.event, _):
      return dismiss(id, because: .outOfOrder, at: now)
    }
  }

  /// Removes a broken connection. The seat of a player who has sent an answer is kept.
  mutating func lose(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    if case .player(let player)? = clients[id]?.role, answered.contains(player) {
      clients[id] = nil
      return apply(.lost(player), at: now)
    }
    giveBack(to: id)
    return forget(id, at: now)
  }

  /// Removes a connection and its player.
  private mutating func forget(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let client = clients.removeValue(forKey: id) else { return [] }
    switch client.role {
    case .player(let player): return apply(.leave(player), at: now)
    case .applicant(let applicant):
      seating += 1
      return [.report(room, .left(applicant.player))]
    case .spectator:
      seating += 1
      return []
    case .stranger: return []
    }
  }

  /// Ends a connection from this side, with a reason.
  mutating func dismiss(_ id: ConnectionID, because reason: RoomReason, at now: Duration) -> [HostEffect] {
    guard clients[id] != nil else { return [] }
    return [.disconnect(id, because: reason)] + forget(id, at: now)
  }

  func connection(of player: PlayerID) -> ConnectionID? { clients.first { $0.value.role == .player(player) }?.key }

  /// The number of spectators.
  public var spectatorCount: Int { clients.values.count { $0.role == .spectator } }

  /// The places that each origin has, including those of new players who wait. Players who have not come back since the host was
  /// restarted are not counted.
  public var takenPlaces: [Origin: TakenPlaces] {
    var taken: [Origin: TakenPlaces] = [:]
    func take(_ peer: Peer, _ place: WritableKeyPath<TakenPlaces, Int>) {
      for origin in peer.origins { taken[origin, default: TakenPlaces()][keyPath: place] += 1 }
    }
    for peer in peers.values { take(peer, \.seats) }
    for client in clients.values {
      switch client.role {
      case .spectator: take(client.peer, \.spectators)
      case .applicant(let applicant): take(client.peer, applicant.spectates ? \.spectators : \.seats)
      case .stranger, .player: break
      }
    }
    return taken
  }

  /// Who was at the other end of a player's latest connection.
  public func peer(of player: PlayerID) -> Peer? { peers[player] }
}

// MARK: - Hello

extension RoomMachine {
  mutating func newPlayerID() -> PlayerID {
    lastPlayerNumber += 1
    return PlayerID(rawValue: lastPlayerNumber)
  }

  private mutating func hello(_ hello: RoomMessage.Hello, from id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let peer = clients[id]?.peer else { return [] }
    do throws(RoomReason) {
      let name = try hello.checked()
      guard joins.allows(peer, at: now) else { throw .tooManyJoins }
      if !hello.spectates, let proof = hello.seat, keepsSeat(for: proof, of: peer) {
        webAdmission.usePass(hello)
        return resume(proof, over: id, at: now)
      }
      guard hello.room == nil || hello.room == room else { throw .otherRoom }
      let isTrusted = peer.isTrusted || hello.proves(invitation, over: peer)
      let isOwnerIn = webAdmission.owner(of: hello).map { $0.room == room && hasSeat($0.player) } ?? false
      if !isTrusted { try webAdmission.check(hello, from: peer, at: now, isOwnerIn: isOwnerIn) }
      try check(peer, spectates: hello.spectates, at: now)
      if !hello.spectates, let refusal = refusal(ofLookalike: name) { throw refusal }
      if approves, applicants.count >= match.rules.maximumPlayers { throw .tooManyWait }
      // Only now, so that whoever is refused for another reason can try again with it.
      let used = isTrusted ? nil : webAdmission.use(hello)
      var replaced: [HostEffect] = []
      // Not `used?.former.map`: the optimiser of Swift 6.3.1 fails.
      if let used, let former = used.former { replaced = dismiss(former, because: .replaced, at: now) }
      let player = Player(id: newPlayerID(), name: name)
      if approves { return replaced + letWait(player, spectates: hello.spectates, used, over: id, at: now) }
      return replaced + (hello.spectates ? letSpectate(id, at: now) : letPlay(player, over: id, at: now))
    } catch {
      return dismiss(id, because: error, at: now)
    }
  }

  /// Checks whether somebody new may come in.
  ///
  /// - Throws: The reason why they may not.
  private func check(_ peer: Peer, spectates: Bool, at now: Duration) throws(RoomReason) {
    guard !bans.contains(peer) else { throw .banned }
    guard !isLocked else { throw .locked }
    let maximum = match.rules.maximumPlayers
    let places = takenPlaces
    let taken = peer.origins.map { places[$0] ?? TakenPlaces() }
    // Whoever would not get a place without shares either is told so.
    if !spectates, match.players.count == maximum, absentee(at: now) == nil {
      throw RoomReason(Match.JoinRefusal.full(maximum: maximum))
    }
    for taken in taken { try shares.check(taken, spectates: spectates) }
    if spectates {
      guard spectatorCount < maximum else { throw .tooManySpectators(maximum) }
    } else {
      for taken in taken { try shares.check(taken.seats, lastQuarterOf: maximum, occupied: match.players.count) }
    }
  }

  mutating func letPlay(_ player: Player, over id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let peer = clients[id]?.peer else { return [] }
    var effects: [HostEffect] = []
    if match.players.count == match.rules.maximumPlayers, let absent = absentee(at: now) {
      effects = apply(.leave(absent), at: now)
    }
    guard isOpen else { return effects }
    clients[id]?.role = .player(player.id)
    peers[player.id] = peer
    return effects + apply(.join(player.id, player.name), at: now)
  }

  /// Whose seat goes to a new player when all are taken; nil if there is nobody. When a room goes on from a snapshot, all of its players are
  /// away for no fault of theirs, and none of them loses the seat while the others come back.
  public func absentee(at now: Duration) -> PlayerID? { now < returnsUntil ? nil : match.longestAway }

  mutating func letSpectate(_ id: ConnectionID, at now: Duration) -> [HostEffect] {
    clients[id]?.role = .spectator
    seating += 1
    let events = [match.deal(at: now).map { .round($0) }, .standings(standings)].compactMap { $0 as RoomEvent? }
    return welcome(id, as: nil) + events.map { .send(.event($0), to: id) }
  }

  /// Whether a player has a seat in this room, present or away.
  public func hasSeat(_ player: PlayerID?) -> Bool { match.players.contains { $0.id == player } }

  /// Whether a peer shows the secret of a seat of this room.
  public func keepsSeat(for proof: SeatProof, of peer: Peer) -> Bool {
    proof.room == room && secrets[proof.player]?.isShown(by: proof, over: peer) == true
  }

  /// Gives a player their seat back, over a new connection that replaces the old one if it still exists.
  private mutating func resume(_ proof: SeatProof, over id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let peer = clients[id]?.peer else { return [] }
    let player = proof.player
    var effects: [HostEffect] = []
    if let old = connection(of: player) {
      let isSame = clients[old]?.peer.isSame(as: peer) == true
      effects = [.disconnect(old, because: isSame ? .replaced : .takenOver)]
      clients[old] = nil
      effects += apply(.lost(player), at: now)
    }
    secrets[player]?.exchange(after: proof, over: peer, makeSeed: makeSecret)
    clients[id]?.role = .player(player)
    peers[player] = peer
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

  /// Whether the new player proves an invitation; false if there is none. Over the web nothing can be proved: whoever reads along could do
  /// the same.
  public func proves(_ invitation: Invitation?, over peer: Peer) -> Bool {
    guard !peer.isWeb, let invitation, let proof = self.invitation else { return false }
    return invitation.isProved(by: proof, over: peer.binding)
  }
}
