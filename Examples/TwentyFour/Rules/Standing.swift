/// A line of the standings: a player's status in the round and their points so far.
public struct Standing: Hashable, Sendable {
  public let player: Player
  public let status: Status
  /// The points of all rounds so far.
  public let points: Int
  /// Whether the player's connection is broken and the seat is kept.
  public let isAway: Bool
  /// The player's fastest solution in this match.
  public let best: Duration?
  /// The number of hints taken in the running or last round.
  public let hints: Int
  /// Whether the player plays on a phone, or in another browser. The match does not know that; a room fills it in.
  public var isOnPhone: Bool

  public init(
    player: Player, status: Status, points: Int, isAway: Bool = false, best: Duration? = nil, hints: Int = 0,
    isOnPhone: Bool = false
  ) {
    self.player = player
    self.status = status
    self.points = points
    self.isAway = isAway
    self.best = best
    self.hints = hints
    self.isOnPhone = isOnPhone
  }

  /// A player's status in the running or last round.
  public enum Status: Hashable, Codable, Sendable {
    /// Answered correctly, with the time since the start of the round.
    case solved(Duration)
    case guessing
    /// Joined during the round, and plays with the remaining time.
    case joinedAndGuessing
    /// Was not dealt the hand: came too late for this round, or was away when it started.
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
