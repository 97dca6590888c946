public import TwentyFour

/// The result of a match: what the rounds that were recorded come to.
public struct MatchRecord: Hashable, Sendable {
  /// The match's unique ID.
  public let id: String
  /// The name of the match's room.
  public let room: String
  /// When the match began.
  public let began: WallTime
  /// When the latest recorded round ended.
  public let ended: WallTime
  /// The number of recorded rounds.
  public let rounds: Int
  /// The players by seat.
  public let scores: [Score]

  /// Makes a record.
  public init(id: String, room: String, began: WallTime, ended: WallTime, rounds: Int, scores: [Score]) {
    self.id = id
    self.room = room
    self.began = began
    self.ended = ended
    self.rounds = rounds
    self.scores = scores
  }

  /// The result of one player in a match, or in a round.
  public struct Score: Hashable, Sendable {
    /// The player's ID in the match.
    public let player: PlayerID
    /// The player's name.
    public let name: String
    /// The fingerprint of the player's key, by which the results of a person are found together; nil for none.
    public let key: String?
    /// The player's points in the recorded rounds.
    public var points: Int
    /// The number of rounds that the player took part in.
    public var rounds: Int
    /// The number of rounds that the player solved.
    public var solved: Int
    /// The player's fastest solution, to the millisecond; nil if there is none.
    public var best: Duration?

    /// Makes a score.
    public init(
      player: PlayerID, name: String, key: String? = nil, points: Int = 0, rounds: Int = 0, solved: Int = 0,
      best: Duration? = nil
    ) {
      self.player = player
      self.name = name
      self.key = key
      self.points = points
      self.rounds = rounds
      self.solved = solved
      self.best = best
    }
  }
}
