/// One line of the standings: how a player stands in the round, and what he has won so far.
public struct Standing: Hashable, Sendable {
  public let player: Player
  public let status: Status
  /// The points of all rounds so far.
  public let points: Int

  public init(player: Player, status: Status, points: Int) {
    self.player = player
    self.status = status
    self.points = points
  }

  /// What a player is doing in the running round, or did in the last one.
  public enum Status: Hashable, Sendable {
    /// Answered correctly, so long after the start of the round.
    case solved(Duration)
    case guessing
    /// Came while the round ran, and plays with the time that remains.
    case joinedAndGuessing
    /// Has not been dealt to yet: the next round will be the first.
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
  }

  /// The time of a solver.
  public var time: Duration? {
    switch status {
    case .solved(let time): time
    case .guessing, .joinedAndGuessing, .waiting, .gaveUp, .outOfTime: nil
    }
  }

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
