import Rooms
import TwentyFour

/// One match of a server.
struct ServedMatch: Sendable {
  let number: MatchNumber
  var room: RoomMachine
  /// The server's counts of this match.
  var counted = Figures()

  /// The counts of a match.
  struct Figures: Hashable {
    var players = 0
    var away = 0
    var watchers = 0
    var hasBegun = false
    var isPlaying = false
  }

  var figures: Figures {
    Figures(
      players: room.match.players.count, away: room.match.awayCount, watchers: room.spectatorCount,
      hasBegun: room.match.roundNumber > 0, isPlaying: room.match.isPlaying)
  }

  /// The match's offer to new players; `nil` in its last round.
  var offer: OpenMatchIndex.Offer? {
    let (match, rules) = (room.match, room.match.rules)
    guard match.roundNumber == 0 || match.roundNumber != rules.rounds else { return nil }
    return OpenMatchIndex.Offer(
      size: rules.minimumPlayers...rules.maximumPlayers, hasBegun: match.roundNumber > 0, players: match.players.count)
  }
}

/// Identifies a match of a server: counted from 1, and never reused.
public struct MatchNumber: RawRepresentable, Hashable, Comparable, Codable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static func < (left: MatchNumber, right: MatchNumber) -> Bool { left.rawValue < right.rawValue }
}

extension MatchNumber: CustomStringConvertible {
  public var description: String { String(rawValue) }
}

/// The state of a match, for the administrator.
public struct MatchOverview: Hashable, Sendable, Codable {
  public let number: Int
  public let room: String
  /// `waiting` for players or for the next round, or `playing`.
  public let state: String
  public let round: Int
  public let minimum: Int
  public let maximum: Int
  public let players: [String]
  /// The players whose connection is broken.
  public let away: [String]
  public let watchers: Int

  init(_ served: ServedMatch) {
    let match = served.room.match
    number = served.number.rawValue
    room = served.room.room.text
    state = (match.isPlaying ? RoomState.playing : .waiting).rawValue
    round = match.roundNumber
    minimum = match.rules.minimumPlayers
    maximum = match.rules.maximumPlayers
    players = match.players.map(\.name.text)
    let absent = Set(match.standings.filter(\.isAway).map(\.player))
    away = match.players.filter(absent.contains).map(\.name.text)
    watchers = served.room.spectatorCount
  }
}
