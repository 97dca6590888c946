/// One line of the standings: how a player stands in the round, and what he has won so far.
public struct Standing: Hashable, Sendable {
  public let player: Player
  public let status: Status
  /// The points of all rounds so far.
  public let points: Int
  /// Whether the player's connection broke, and his seat is kept for him.
  public let isAway: Bool
  /// The player's fastest solution in this match.
  public let best: Duration?
  /// How many hints the player took in the running round, or took in the last one.
  public let hints: Int

  public init(player: Player, status: Status, points: Int, isAway: Bool = false, best: Duration? = nil, hints: Int = 0) {
    self.player = player
    self.status = status
    self.points = points
    self.isAway = isAway
    self.best = best
    self.hints = hints
  }

  /// What a player is doing in the running round, or did in the last one.
  public enum Status: Hashable, Codable, Sendable {
    /// Answered correctly, so long after the start of the round.
    case solved(Duration)
    case guessing
    /// Came while the round ran, and plays with the time that remains.
    case joinedAndGuessing
    /// Has not been dealt to: came too late for this round, or was away when it started.
    case waiting
    case gaveUp
    /// The round ended before an answer came.
    case outOfTime

    /// Whether an answer may still come.
    public var isGuessing: Bool {
      switch self {
      case .guessing, .joinedAndGuessing: true
      case .solved, .waiting, .gaveUp, .outOfTime: false
      }
    }

    /// The time of a solver.
    var time: Duration? {
      switch self {
      case .solved(let time): time
      case .guessing, .joinedAndGuessing, .waiting, .gaveUp, .outOfTime: nil
      }
    }
  }

  /// The time of a solver.
  public var time: Duration? { status.time }

  /// Whether `left` is listed above `right`: solvers first, fastest first; then the others by name, upper and lower case alike.
  public static func precedes(_ left: Standing, _ right: Standing) -> Bool {
    switch (left.time, right.time) {
    case (let fast?, let slow?) where fast != slow: fast < slow
    case (_?, nil): true
    case (nil, _?): false
    case (_?, _?), (nil, nil):
      (left.player.name.sortKey, left.player.id) < (right.player.name.sortKey, right.player.id)
    }
  }
}
