public import TwentyFour

/// Keeps the score of a running match, from the events of its room.
///
/// Only players who stay to the end have a score: to the end of the match if its number of rounds is known, and otherwise to the
/// end of a round, for the rounds up to there. Who comes, solves a hand and leaves has none.
public struct MatchTally: Sendable {
  /// The largest number of scores of a match.
  public static let limit = Match.Rules.playerLimit

  private let id: String
  private let room: String
  private let began: WallTime
  private var ended: WallTime
  private var rounds = 0
  /// Whether the number of rounds is known.
  private let hasEnd: Bool
  /// The scores of those who have a seat, and of those who left after the end of a round of a match without an end.
  private var scores: [PlayerID: MatchRecord.Score] = [:]
  /// Whether there is a record of the match, and whether it has a score of a player who has left.
  private var hasRecord = false
  private var isStale = false
  /// The fingerprints of the players' keys.
  private var keys: [PlayerID: String] = [:]
  /// What the running round changes for those who stay to its end.
  private var round: [PlayerID: MatchRecord.Score] = [:]

  /// Begins with a new match.
  ///
  /// - Parameters:
  ///   - id: The match's ID, unique for all time.
  ///   - room: The room's name.
  ///   - hasEnd: Whether the number of rounds is known.
  ///   - now: The time at which the match begins.
  public init(id: String, room: String, hasEnd: Bool, at now: WallTime) {
    self.id = id
    self.room = room
    began = now
    ended = now
    self.hasEnd = hasEnd
  }

  /// Continues a match whose record another process has written.
  public init(resuming record: MatchRecord, hasEnd: Bool) {
    id = record.id
    room = record.room
    began = record.began
    ended = record.ended
    rounds = record.rounds
    self.hasEnd = hasEnd
    hasRecord = true
    scores = Dictionary(record.scores.map { ($0.player, $0) }, uniquingKeysWith: { $1 })
  }

  /// Notes the fingerprint of a player's key; a score that the player has already keeps what it had.
  public mutating func identified(_ player: Player, key: String) { keys[player.id] = key }

  /// Adds a solution of the current round, with its time.
  public mutating func solved(_ player: Player, after time: Duration) {
    var score = round[player.id] ?? newScore(of: player)
    score.solved += 1
    score.best = min(score.best ?? time, time)
    round[player.id] = score
  }

  /// Forgets what a player who leaves has done in the current round; in a match with an end, in the match.
  public mutating func left(_ player: Player) {
    round[player.id] = nil
    keys[player.id] = nil
    if hasEnd, scores.removeValue(forKey: player.id) != nil { isStale = true }
  }

  /// Adds a round that has ended.
  ///
  /// - Returns: The record that replaces the earlier one; nil if there is none and nobody has a score.
  public mutating func ended(_ result: Match.RoundResult, at now: WallTime) -> MatchRecord? {
    rounds += 1
    // The system's clock may have been set back.
    ended = max(ended, now)
    if hasEnd {
      let present = Set(result.standings.map(\.player.id))
      scores = scores.filter { present.contains($0.key) }
    }
    for standing in result.standings { take(standing) }
    round = [:]
    forgetTheLeast(but: Set(result.standings.map(\.player.id)))
    guard hasRecord || !scores.isEmpty else { return nil }
    return record()
  }

  /// Ends the match, maybe between two rounds.
  ///
  /// - Returns: The record that replaces the earlier one; nil if the earlier one is right.
  public mutating func closed() -> MatchRecord? { isStale ? record() : nil }

  private mutating func record() -> MatchRecord {
    (hasRecord, isStale) = (true, false)
    return MatchRecord(
      id: id, room: room, began: began, ended: ended, rounds: rounds, scores: scores.values.sorted { $0.player < $1.player })
  }

  private func newScore(of player: Player) -> MatchRecord.Score {
    MatchRecord.Score(player: player.id, name: player.name.text, key: keys[player.id])
  }

  /// Takes over what a player has done in the round that has ended.
  private mutating func take(_ standing: Standing) {
    let player = standing.player
    let done = round[player.id]
    guard standing.status != .waiting || done != nil || scores[player.id] != nil else { return }
    var score = scores[player.id] ?? newScore(of: player)
    score.points = standing.points
    if standing.status != .waiting { score.rounds += 1 }
    if let done {
      score.solved += done.solved
      score.best = [score.best, done.best].compactMap(\.self).min()
    }
    scores[player.id] = score
  }

  /// Keeps at most ``limit`` scores: of the players at their seats, then those with most points.
  private mutating func forgetTheLeast(but present: Set<PlayerID>) {
    guard scores.count > Self.limit else { return }
    func worth(_ score: MatchRecord.Score) -> (Int, Int, Int) {
      (present.contains(score.player) ? 1 : 0, score.points, -score.player.rawValue)
    }
    let kept = scores.values.sorted { worth($0) > worth($1) }.prefix(Self.limit)
    scores = Dictionary(uniqueKeysWithValues: kept.map { ($0.player, $0) })
  }
}
