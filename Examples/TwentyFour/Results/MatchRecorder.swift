public import TwentyFour

/// Makes the records of a running match, from the events of its room: of each round, when it has ended.
///
/// Only players who stay to the end have a score: to the end of the match if its number of rounds is known, and otherwise to the
/// end of a round, for the rounds up to there. Who comes, solves a hand and leaves has none.
public struct MatchRecorder: Sendable {
  private let id: String
  private let room: String
  private let began: WallTime
  private let rules: Match.Rules
  /// The fingerprints of the players' keys.
  private var keys: [PlayerID: String] = [:]
  /// The latest round that has ended, and whether it has a score of a player who has left the match before its end.
  private var latest: RoundRecord?
  private var isStale = false

  /// Begins with a match, a new one or one that another process has begun.
  ///
  /// - Parameters:
  ///   - id: The match's ID, unique for all time.
  ///   - room: The room's name.
  ///   - rules: The rules of the match.
  ///   - now: The time at which the match begins here.
  public init(id: String, room: String, rules: Match.Rules, at now: WallTime) {
    self.id = id
    self.room = room
    self.rules = rules
    began = now
  }

  /// Notes the fingerprint of a player's key.
  public mutating func identified(_ player: Player, key: String) { keys[player.id] = key }

  /// In a match with an end, forgets what a player who leaves has done.
  public mutating func left(_ player: Player) {
    keys[player.id] = nil
    guard rules.rounds != nil, let place = latest?.scores.firstIndex(where: { $0.player == player.id }) else { return }
    latest?.scores.remove(at: place)
    isStale = true
  }

  /// The record of a round that has ended; nil if nobody can have a score.
  public mutating func ended(_ result: Match.RoundResult, at now: WallTime) -> RoundRecord? {
    // Those who were there before have left; earlier rounds may have been recorded elsewhere.
    if result.standings.isEmpty, latest == nil, result.number == 1 { return nil }
    let record = RoundRecord(
      match: id, room: room, began: began, hasEnd: rules.rounds != nil, number: result.number,
      // The system's clock may have been set back.
      ended: max(latest?.ended ?? began, now), scores: result.standings.map(score).sorted { $0.player < $1.player })
    (latest, isStale) = (record, false)
    return record
  }

  /// Ends the match, maybe between two rounds.
  ///
  /// - Returns: The record of the last round without those who have left since; nil if there are none.
  public func closed() -> RoundRecord? { isStale ? latest : nil }

  /// What a player has done in the round that has ended.
  private func score(_ standing: Standing) -> MatchRecord.Score {
    var score = MatchRecord.Score(
      player: standing.player.id, name: standing.player.name.text, key: keys[standing.player.id],
      rounds: standing.status == .waiting ? 0 : 1)
    if let time = standing.time {
      (score.solved, score.best) = (1, time)
      score.points = rules.points(forSolvingAfter: time, hints: standing.hints)
    }
    return score
  }
}
