package import TwentyFour

/// Keeps the score of a match while it is played, from what everyone in it is told.
package struct MatchTally: Sendable {
  private let id: String
  private let room: String
  private let began: WallTime
  private var ended: WallTime
  private var rounds = 0
  private var scores: [PlayerID: MatchRecord.Score] = [:]

  /// Begins to keep the score.
  ///
  /// - Parameters:
  ///   - id: Which match it is: no other may ever have the same.
  ///   - room: What its room is called.
  package init(id: String, room: String, at now: WallTime) {
    self.id = id
    self.room = room
    began = now
    ended = now
  }

  /// Goes on to keep the score of a match that another process had kept it of.
  package init(resuming record: MatchRecord) {
    id = record.id
    room = record.room
    began = record.began
    ended = record.ended
    rounds = record.rounds
    scores = Dictionary(record.scores.map { ($0.player, $0) }, uniquingKeysWith: { $1 })
  }

  /// Someone solved the running round.
  package mutating func solved(_ player: Player, after time: Duration) {
    score(player) { score in
      score.solved += 1
      score.best = min(score.best ?? time, time)
    }
  }

  /// Everyone's points, also of those who go before the round ends.
  package mutating func stand(_ standings: [Standing]) {
    for standing in standings where standing.points > 0 {
      score(standing.player) { $0.points = standing.points }
    }
  }

  /// A round is over.
  ///
  /// - Returns: What is to be kept now, instead of what was before.
  package mutating func ended(_ result: Match.RoundResult, at now: WallTime) -> MatchRecord {
    rounds += 1
    // A clock may have been set back.
    ended = max(ended, now)
    stand(result.standings)
    for standing in result.standings where standing.status != .waiting {
      score(standing.player) { $0.rounds += 1 }
    }
    return MatchRecord(
      id: id, room: room, began: began, ended: ended, rounds: rounds,
      scores: scores.values.sorted { $0.player < $1.player })
  }

  private mutating func score(_ player: Player, _ change: (inout MatchRecord.Score) -> Void) {
    change(&scores[player.id, default: MatchRecord.Score(player: player.id, name: player.name.text)])
  }
}
