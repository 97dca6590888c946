import FramedSecurity
import Rooms
import TwentyFour

/// One match of a server.
struct ServedMatch: Sendable {
  let number: MatchNumber
  /// The name under which the match is advertised; nil for none.
  var name: String?
  /// Whose hello opened the match; nil after a restart.
  var opener: Peer?
  var room: RoomMachine
  /// What has come while nothing may happen in the match, in order; nil if it is not held.
  var held: [HeldEvent]?
  /// The server's counts of this match.
  var counted = Figures()
  /// The places that the server counts by origin, and the room's state for which they were counted.
  var countedPlaces: [Origin: TakenPlaces] = [:]
  var countedSeating = 0

  struct HeldEvent: Sendable {
    let event: RoomMachine.Event
    let time: Duration

    /// Whose message it is; nil for anything else.
    var sender: ConnectionID? {
      switch event {
      case .received(let id, _), .malformed(let id, _): id
      default: nil
      }
    }
  }

  /// The counts of a match.
  struct Figures: Hashable {
    var players = 0
    var away = 0
    var spectators = 0
    var hasBegun = false
    var isPlaying = false
  }

  var figures: Figures {
    Figures(
      players: room.match.players.count, away: room.match.awayCount, spectators: room.spectatorCount,
      hasBegun: room.match.roundNumber > 0, isPlaying: room.match.isPlaying)
  }

  /// The match's offer to new players; `nil` in its last round, and if it is locked.
  var offer: OpenMatchIndex.Offer? {
    let (match, rules) = (room.match, room.match.rules)
    guard !room.isLocked, match.roundNumber == 0 || match.roundNumber != rules.rounds else { return nil }
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
  public let players: [Player]
  public let watchers: Int
  /// Whether nobody new is let in.
  public let isLocked: Bool

  /// A player, by the number that the administrator's commands take.
  public struct Player: Hashable, Sendable, Codable {
    public let number: Int
    public let name: String
    /// Whether the connection is broken.
    public let away: Bool
    /// The address of the latest connection; nil after a restart, until the player is back.
    public let origin: String?
    /// The fingerprint of the player's key; nil for none.
    public let key: String?
    /// The six digits for people to compare; nil if there are none.
    public let comparison: String?
  }

  init(_ served: ServedMatch) {
    let match = served.room.match
    number = served.number.rawValue
    room = served.room.room.text
    state = (match.isPlaying ? RoomState.playing : .waiting).rawValue
    round = match.roundNumber
    minimum = match.rules.minimumPlayers
    maximum = match.rules.maximumPlayers
    let absent = Set(match.standings.filter(\.isAway).map(\.player))
    players = match.players.map {
      let peer = served.room.peer(of: $0.id)
      return Player(
        number: $0.id.rawValue, name: $0.name.text, away: absent.contains($0), origin: peer?.address.rawValue,
        key: peer?.key?.description, comparison: peer?.comparison)
    }
    watchers = served.room.spectatorCount
    isLocked = served.room.isLocked
  }
}
