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

  /// The finished matches of a room, as this player saw them.
  struct Totals: Hashable {
    var matches = 0
    var rounds = 0
    var points = 0
    var best: Duration?
  }

  /// The whole evening in this room.
  var evening: Totals {
    guard endedRounds > 0 else { return former }
    return Totals(
      matches: former.matches + 1, rounds: former.rounds + endedRounds, points: former.points + (own?.points ?? 0),
      best: [former.best, own?.best].compactMap(\.self).min())
  }

  /// A line for after the screen: how the room ended, who has won, and what the player has; nil if there is nothing to say.
  var summary: String? {
    var ending: String?
    // Of a failure, the program's error tells.
    if case .closed(let reason) = phase, !isLeaving, [.finished, .hostLeft].contains(reason.code) {
      ending = Phrases.reason(reason)
    }
    let evening = evening
    guard own != nil, evening.rounds > 0 else { return ending.map { Phrases.summary(title, ending: $0) } }
    // Whoever goes in the middle does not know.
    let isKnown = isClosed && (!isLeaving || hosting != nil)
    let outcome = isKnown && evening.matches == 1 && standings.count > 1 ? outcome : nil
    let won = me.flatMap { wins[$0] } ?? 0
    return Phrases.summary(title, evening, won: won, outcome: outcome, ending: ending)
  }

  mutating func noteWinners() {
    guard !hasEnded, lastResult != nil else { return }
    for winner in winners where standings.count > 1 { wins[winner.player, default: 0] += 1 }
  }

  mutating func beginMatch() {
    former = evening
    (round, endedRounds, lastResult) = (0, 0, nil)
    (tries, hints) = ([], [])
    table = PointsTable()
    phase = .waiting
    panel = .tries
    notice(Phrases.matchBegan)
  }
}

extension RoomReason.Code {
  /// Whether it is about a decision of the host, or the match, and not about an answer.
  var isNotice: Bool { [.noSuchPlayer, .noPasscode, .hasBegun, .noRound, .notBegun, .notOver, .held].contains(self) }
}
