import TwentyFour

/// What those who come in are told, and what the host is told of them.
extension RoomMachine {
  /// The effects of admitting a connection.
  mutating func welcome(_ id: ConnectionID, as player: Player?) -> [HostEffect] {
    welcomed.append(id)
    let pass = clients[id].flatMap {
      webAdmission.pass(for: .init(room: room, player: player?.id), called: player?.name, over: id, $0.peer)
    }
    let welcome = RoomMessage.Welcome(
      room: room, player: player, secret: player.flatMap { secrets[$0.id]?.latest }, admission: pass?.text,
      returnLimit: match.rules.returnLimit, rules: RoomRules(match.rules))
    let end: [HostEffect] = match.hasEnded ? [.send(.event(.matchEnded), to: id)] : []
    return [admission(of: id), .send(.welcome(welcome), to: id)] + end + identification(of: player, over: id)
  }

  /// Tells the host who a player is.
  private func identification(of player: Player?, over id: ConnectionID) -> [HostEffect] {
    guard let player, let peer = clients[id]?.peer, peer.key != nil || peer.comparison != nil else { return [] }
    return [.report(room, .identified(player, key: peer.key, comparison: peer.comparison))]
  }
}
