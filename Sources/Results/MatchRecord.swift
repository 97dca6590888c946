package import TwentyFour

/// What is kept of a match: of one that goes on, how it stood after its latest round.
package struct MatchRecord: Hashable, Sendable {
  /// Which match it is: no two have the same.
  package let id: String
  /// What its room was called.
  package let room: String
  package let began: WallTime
  /// When the latest round ended.
  package let ended: WallTime
  /// How many rounds were played.
  package let rounds: Int
  /// Everyone who has played, those who have left too, by seat.
  package let scores: [Score]

  package init(id: String, room: String, began: WallTime, ended: WallTime, rounds: Int, scores: [Score]) {
    self.id = id
    self.room = room
    self.began = began
    self.ended = ended
    self.rounds = rounds
    self.scores = scores
  }

  /// What one player has won in a match.
  package struct Score: Hashable, Sendable {
    /// Which of the match's players it was.
    package let player: PlayerID
    package let name: String
    package var points: Int
    /// How many rounds he was dealt.
    package var rounds: Int
    /// How many of them he solved.
    package var solved: Int
    /// His fastest solution, to the millisecond.
    package var best: Duration?

    package init(player: PlayerID, name: String, points: Int = 0, rounds: Int = 0, solved: Int = 0, best: Duration? = nil) {
      self.player = player
      self.name = name
      self.points = points
      self.rounds = rounds
      self.solved = solved
      self.best = best
    }
  }
}
