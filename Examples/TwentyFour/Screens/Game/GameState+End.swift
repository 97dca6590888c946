import Rooms
import TwentyFour

/// The end of a match, and of the evening.
extension GameState {
  /// Whoever has most points; nobody, if nobody has any.
  var winners: [Standing] {
    guard let most = standings.map(\.points).max(), most > 0 else { return [] }
    return standings.filter { $0.points == most }
  }

  /// Who has won, in a sentence; nil before the end of the first round.
  var outcome: String? {
    guard lastResult != nil else { return nil }
    return Phrases.outcome(winners, of: standings.count, me: me?.id)
  }

  /// A line for after the screen: how the room ended, and what the player has; nil if there is nothing to say.
  var summary: String? {
    var ending: String?
    // Of a failure, the program's error tells.
    if case .closed(let reason) = phase, !isLeaving, [.finished, .hostLeft].contains(reason.code) {
      ending = Phrases.reason(reason)
    }
    guard let own, !table.columns.isEmpty else { return ending.map { Phrases.summary(title, ending: $0) } }
    return Phrases.summary(title, rounds: table.columns.count, points: own.points, best: own.best, ending: ending)
  }

  mutating func noteWinners() {
    guard !hasEnded, lastResult != nil else { return }
    for winner in winners where standings.count > 1 { wins[winner.player, default: 0] += 1 }
  }

  mutating func beginMatch() {
    (round, lastResult) = (0, nil)
    (tries, hints) = ([], [])
    table = PointsTable()
    phase = .waiting
    panel = .tries
    notice(Phrases.matchBegan)
  }
}

extension RoomReason.Code {
  /// Whether it is about a decision of the host, and not about an answer.
  var isAboutDecision: Bool { [.noSuchPlayer, .noPasscode, .notBegun, .notOver].contains(self) }
}
