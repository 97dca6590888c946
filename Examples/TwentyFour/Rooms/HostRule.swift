public import TwentyFour

/// What whoever runs a room may decide about its players. Players are meant by their numbers, which no two players of a room ever
/// share.
public enum HostRule: Hashable, Sendable {
  /// Removes a player; the program of the player may come back.
  case kick(PlayerID)
  /// Removes a player, and lets nobody in any more from where that player came.
  case ban(PlayerID)
  /// Takes the ban of a player back.
  case unban(PlayerID)
  /// Lets nobody in any more, except players who come back; or everyone again.
  case lock(Bool)
  /// Lets new players wait until they are admitted one by one; or not any more.
  case approve(Bool)
  /// Lets a waiting new player in.
  case admit(PlayerID)
  /// Sends a waiting new player away.
  case refuse(PlayerID)
  /// Evaluates passcodes again, after too many were wrong.
  case reopen
  /// Begins the first round now, without waiting for more players.
  case start
  /// Ends the running round now, for all who are still guessing.
  case next
  /// Ends the match: the running round is the last one.
  case end
  /// Begins another match, after one has ended.
  case again

  /// The words of all rules.
  public static let words = [
    "kick", "ban", "unban", "lock", "unlock", "approve", "unapprove", "admit", "refuse", "reopen", "start", "next", "end",
    "again",
  ]

  /// Reads a line such as `kick 3` or `lock`; nil if it is none.
  public init?(_ line: String) {
    self.init(line.lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
  }

  /// Reads the words of a line; nil if they are none.
  public init?(_ words: [String]) {
    let player = words.dropFirst().first.flatMap { Int($0) }.map { PlayerID(rawValue: $0) }
    switch (words.first, player, words.count) {
    case ("kick", let player?, 2): self = .kick(player)
    case ("ban", let player?, 2): self = .ban(player)
    case ("unban", let player?, 2): self = .unban(player)
    case ("admit", let player?, 2): self = .admit(player)
    case ("refuse", let player?, 2): self = .refuse(player)
    case ("lock", nil, 1): self = .lock(true)
    case ("unlock", nil, 1): self = .lock(false)
    case ("approve", nil, 1): self = .approve(true)
    case ("unapprove", nil, 1): self = .approve(false)
    case ("reopen", nil, 1): self = .reopen
    case ("start", nil, 1): self = .start
    case ("next", nil, 1): self = .next
    case ("end", nil, 1): self = .end
    case ("again", nil, 1): self = .again
    default: return nil
    }
  }

  /// The word of the command.
  public var word: String {
    switch self {
    case .kick: "kick"
    case .ban: "ban"
    case .unban: "unban"
    case .lock(true): "lock"
    case .lock(false): "unlock"
    case .approve(true): "approve"
    case .approve(false): "unapprove"
    case .admit: "admit"
    case .refuse: "refuse"
    case .reopen: "reopen"
    case .start: "start"
    case .next: "next"
    case .end: "end"
    case .again: "again"
    }
  }

  /// The player that the rule is about, if it is about one.
  public var player: PlayerID? {
    switch self {
    case .kick(let player), .ban(let player), .unban(let player), .admit(let player), .refuse(let player): player
    case .lock, .approve, .reopen, .start, .next, .end, .again: nil
    }
  }
}
