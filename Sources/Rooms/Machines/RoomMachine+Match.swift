import TwentyFour

/// What the match does, and who is told of it.
extension RoomMachine {
  mutating func ownEvent(at now: Duration, _ event: (PlayerID, Int) -> Match.Event) -> [Effect] {
    guard isOpen, let own else { return [] }
    return apply(event(own.id, match.roundNumber), at: now)
  }

  /// Lets the match take in an event, and tells everyone whom it concerns.
  mutating func apply(_ event: Match.Event, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for effect in match.handle(event, at: now) { effects += tell(effect) }
    return effects
  }

  /// The players of a match that was restored are away, and have the whole time to come back.
  mutating func loseEveryoneElse(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for player in match.players where player.id != own?.id { effects += apply(.lost(player.id), at: now) }
    return effects
  }

  /// What the host's own player, who was never away, sees of a match that was restored.
  func dealAgain(at now: Duration) -> [Effect] {
    let isGuessing = match.standings.contains { $0.player == own && $0.status.isGuessing }
    let deal = isGuessing ? match.deal(at: now) : nil
    return [deal.map { .report(.round($0)) }, .report(.standings(match.standings))].compactMap(\.self)
  }

  private mutating func tell(_ effect: Match.Effect) -> [Effect] {
    switch effect {
    case .joined(let player): return tellJoined(player)
    case .joinRefused(let player, let refusal):
      guard let id = connection(of: player) else { preconditionFailure("only guests can be refused") }
      guests[id] = nil
      return [.disconnect(id, after: .refused(RoomReason(refusal)))]
    case .left(let player):
      tokens[player.id] = nil
      return tellAll(.left(player), .left(player))
    case .away(let player): return tellAll(.away(player), .away(player))
    case .back(let player):
      guard let id = connection(of: player.id) else { preconditionFailure("who is back has a connection") }
      return welcome(id, as: player) + tellOthers(.back(player), than: id) + [.report(.back(player))]
    case .roundStarted(let deal): return tellAll(.round(deal), .round(deal))
    case .dealt(let deal, let player): return tell(player, .round(deal), .round(deal))
    case .solved(let player, let time): return tellAll(.accepted(player, time: time), .answer(player, time: time))
    case .answerRefused(let player, let refusal):
      let reason = RoomReason(refusal)
      return tell(player, .answerRefused(reason), .refused(reason))
    case .hinted(let hint, let player):
      let cost = match.rules.hintCost
      return tell(player, .hinted(round: match.roundNumber, hint, cost: cost), .hint(hint, cost: cost))
    case .hintRefused(let player, let refusal):
      let reason = RoomReason(refusal)
      return tell(player, .hintRefused(reason), .refused(reason))
    case .standings(let standings): return tellAll(.standings(standings), .standings(standings))
    case .roundEnded(let result): return tellAll(.roundEnded(result), .roundEnded(result))
    case .over: return close(because: .finished)
    }
  }

  private mutating func tellJoined(_ player: Player) -> [Effect] {
    guard let id = connection(of: player.id) else {
      own = player
      return [opened(as: player)]
    }
    if match.rules.returnLimit > .zero { tokens[player.id] = makeToken() }
    return welcome(id, as: player) + tellOthers(.joined(player), than: id) + [.report(.joined(player))]
  }

  private func tell(_ player: PlayerID, _ message: RoomMessage, _ event: RoomEvent) -> [Effect] {
    if player == own?.id { return [.report(event)] }
    // Who is away is told nothing.
    return connection(of: player).map { [.send(message, to: [$0])] } ?? []
  }

  func tellAll(_ message: RoomMessage, _ event: RoomEvent) -> [Effect] {
    send(message, to: audience) + [.report(event)]
  }

  private func tellOthers(_ message: RoomMessage, than id: ConnectionID) -> [Effect] {
    send(message, to: audience.filter { $0 != id })
  }

  func send(_ message: RoomMessage, to connections: [ConnectionID]) -> [Effect] {
    connections.isEmpty ? [] : [.send(message, to: connections)]
  }
}
