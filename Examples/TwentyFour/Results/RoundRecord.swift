/// The result of one round of a match.
///
/// A round is known by its match and its number, wherever it was played: servers that go on with each other's matches record
/// the rounds that ended at them, and together these are the match.
public struct RoundRecord: Hashable, Sendable {
  /// The match's unique ID, the same at all servers.
  public let match: String
  /// The name of the match's room.
  public let room: String
  /// When the match began here.
  public let began: WallTime
  /// Whether the match has a last round: only those who stay to its end have a score.
  public let hasEnd: Bool
  /// The number of the round in the match, from 1; in results of earlier versions, which did not tell it, less than 1.
  public let number: Int
  /// When the round ended.
  public let ended: WallTime
  /// The number of rounds that the record is about: 1, but in results of earlier versions.
  var count = 1
  /// What each player at a seat has done in the round, by seat; a player who waited has played no round.
  public internal(set) var scores: [MatchRecord.Score]

  /// Makes a record.
  public init(
    match: String, room: String, began: WallTime, hasEnd: Bool, number: Int, ended: WallTime, scores: [MatchRecord.Score]
  ) {
    self.match = match
    self.room = room
    self.began = began
    self.hasEnd = hasEnd
    self.number = number
    self.ended = ended
    self.scores = scores
  }
}
