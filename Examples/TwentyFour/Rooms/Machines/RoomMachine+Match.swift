import TwentyFour

/// The effects of the match, and their receivers.
extension RoomMachine {
  /// Whether the room stays open after the last round, so that the host may begin another match.
  public var staysOpen: Bool {
    get { match.staysOpen }
    set { match.staysOpen = newValue }
  }

  /// Whether the first round waits for a second player, or for the host.
  public var waitsForCompany: Bool {
    get { match.waitsForCompany }
    set { match.waitsForCompany = newValue }
  }

  /// Passes an event to the match, and tells all receivers.
  mutating func apply(_ event: Match.Event, at now: Duration) -> [HostEffect] {
    guard isOpen else { return [] }
    var effects: [HostEffect] = []
    for effect in match.handle(event, at: now) {
      note(effect)
      effects += tell(effect)
    }
    return effects
  }

  /// The players of a restored match are away, and have the full time to come back.
  mutating func loseEveryoneElse(at now: Duration) -> [HostEffect] {
    var effects: [HostEffect] = []
    for player in match.players where player.id != own?.id { effects += apply(.lost(player.id), at: now) }
    return effects
  }

  /// The view of a restored match for the host's own player, who was never away.
  func dealAgain(at now: Duration) -> [HostEffect] {
    let isGuessing = match.standings.contains { $0.player == own && $0.status.isGuessing }
    let deal = isGuessing ? match.deal(at: now) : nil
    return [deal.map { .report(room, .round($0)) }, .report(room, .standings(standings))].compactMap(\.self)
  }

  /// What the host's app has to know of a restored match beside its standings.
  var continued: [HostEffect] {
    let began = matchNumber > 1 ? HostEffect.report(room, .matchBegan(number: matchNumber)) : nil
    return [began, match.hasEnded ? .report(room, .matchEnded) : nil].compactMap(\.self)
  }

  /// Records who has sent an answer, and whose seat is gone.
  private mutating func note(_ effect: Match.Effect) {
    switch effect {
    case .solved(let player, _): answered.insert(player.id)
    case .refused(let player, .wrong): answered.insert(player)
    case .left(let player):
      secrets[player.id] = nil
      peers[player.id] = nil
      answered.remove(player.id)
      seating += 1
    case .began: matchNumber += 1
    default: break
    }
  }

  private mutating func tell(_ effect: Match.Effect) -> [HostEffect] {
    switch effect {
    case .joined(let player): return joined(player)
    case .joinRefused(let player, let refusal):
      guard let id = connection(of: player) else { preconditionFailure("only players with a connection can be refused") }
      clients[id] = nil
      peers[player] = nil
      return [.disconnect(id, because: RoomReason(refusal))]
    case .left(let player): return update(.left(player))
    case .away(let player): return update(.away(player))
    case .back(let player):
      guard let id = connection(of: player.id) else { preconditionFailure("a player who is back must have a connection") }
      // A new player is admitted after the others were told.
      return update(.back(player)) + welcome(id, as: player)
    case .roundStarted(let deal): return broadcastAtOnce(.round(deal))
    case .dealt(let deal, let player): return tell(player, .round(deal))
    case .solved(let player, let time): return broadcastAtOnce(.answer(player, time: time))
    case .refused(let player, let refusal): return tell(player, .refused(RoomReason(refusal)))
    case .hinted(let hint, let player): return tell(player, .hint(hint, cost: match.rules.hintCost))
    case .standings(let standings): return update(.standings(marked(standings)))
    case .roundEnded(let result): return broadcastAtOnce(.roundEnded(marked(result)))
    case .ended: return broadcastAtOnce(.matchEnded)
    case .began: return broadcastAtOnce(.matchBegan(number: matchNumber))
    case .over: return close(because: .finished)
    }
  }

  private mutating func joined(_ player: Player) -> [HostEffect] {
    guard let id = connection(of: player.id) else {
      own = player
      return [opened(as: player)]
    }
    if match.rules.returnLimit > .zero {
      secrets[player.id] = SeatSecret(makeSecret(), seed: makeSecret(), isWeb: clients[id]?.peer.isWeb == true)
    }
    seating += 1
    return update(.joined(player)) + welcome(id, as: player)
  }

  /// Tells one player, unless they are away.
  private func tell(_ player: PlayerID, _ event: RoomEvent) -> [HostEffect] {
    if player == own?.id { return [.report(room, event)] }
    return connection(of: player).map { [.send(.event(event), to: $0)] } ?? []
  }
}
