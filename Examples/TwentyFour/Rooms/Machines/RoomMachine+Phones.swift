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

  /// After a restart, only the secret of the seat tells.
  private func isOnPhone(_ player: PlayerID) -> Bool { peers[player]?.isWeb ?? secrets[player]?.isWeb ?? false }
}
