import TwentyFour

/// Who plays on a phone, or in another browser.
extension RoomMachine {
  /// The present standings, marked.
  var standings: [Standing] { marked(match.standings) }

  func marked(_ standings: [Standing]) -> [Standing] {
    standings.map { standing in
      var standing = standing
      standing.isOnPhone = isOnPhone(standing.player.id)
      return standing
    }
  }

  func marked(_ result: Match.RoundResult) -> Match.RoundResult {
    Match.RoundResult(
      number: result.number, hand: result.hand, solution: result.solution, standings: marked(result.standings),
      pause: result.pause)
  }

  /// Tells a page whose room it is, and whether it may come in with what it shows. Nothing is used up.
  mutating func introduce(_ look: RoomMessage.Look, to id: ConnectionID, at now: Duration) -> [HostEffect] {
    guard let peer = clients[id]?.peer else { return [] }
    do throws(RoomReason) {
      let isOwnerIn = webAdmission.owner(of: look.hello).map { $0.room == room && hasSeat($0.player) } ?? false
      let admits = try webAdmission.admits(peer, showing: look, at: now, isOwnerIn: isOwnerIn)
      return [.send(.room(.init(room: room, title: title, admits: admits)), to: id)]
    } catch {
      return dismiss(id, because: error, at: now)
    }
  }

  /// After a restart, only the secret of the seat tells.
  private func isOnPhone(_ player: PlayerID) -> Bool { peers[player]?.isWeb ?? secrets[player]?.isWeb ?? false }
}
