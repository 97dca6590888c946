public import TwentyFour

/// Keeps the score of a running match, from the events of its room.
public struct MatchTally: Sendable {
  private let id: String
  private let room: String
  private let began: WallTime
  private var ended: WallTime
  private var rounds = 0
  private var scores: [PlayerID: MatchRecord.Score] = [:]

  /// Begins with a new match.
  ///
  /// - Parameters:
  ///   - id: The match's ID, unique for all time.
  ///   - room: The room's name.
  ///   - now: The time at which the match begins.
  public init(id: String, room: String, at now: WallTime) {
    self.id = id
    self.room = room
    began = now
    ended = now
  }

  /// Continues a match whose record another process has written.
  public init(resuming record: MatchRecord) {
    id = record.id
    room = record.room
    began = record.began
    ended = record.ended
    rounds = record.rounds
    scores = Dictionary(record.scores.map { ($0.player, $0) }, uniquingKeysWith: { $1 })
  }

  /// Adds a solution of the current round, with its time.
  public mutating func solved(_ player: Player, after time: Duration) {
    score(player) { score in
      score.solved += 1
      score.best = min(score.best ?? time, time)
    }
  }

  /// Takes all players' points, including players who leave before the round ends.
  public mutating func stand(_ standings: [Standing]) {
    for standing in standings where standing.points > 0 {
      score(standing.player) { $0.points = standing.points }
    }
  }

  /// Adds a round that has ended.
  ///
  /// - Returns: The record that replaces the earlier one.
  public mutating func ended(_ result: Match.RoundResult, at now: WallTime) -> MatchRecord {
    rounds += 1
    // The system's clock may have been set back.
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
