public import Rooms
public import TwentyFour

/// A server's advertisement on the network.
///
/// It looks like that of one large room, so that a program that knows only rooms can list and join it: `players` and `max` tell
/// whether there is a free place. Three more keys describe the server:
///
/// | key | value |
/// | --- | --- |
/// | `matches` | the number of matches |
/// | `limit` | the largest number of matches |
/// | `total` | the number of players in all matches |
public struct ServerAdvertisement: Hashable, Sendable {
  public let server: RoomID
  public let matches: Int
  public let matchLimit: Int
  public let players: Int
  /// The largest number of players in all matches.
  public let places: Int
  /// Whether a new player finds a place.
  public let hasRoom: Bool
  public let isPlaying: Bool
  /// How much time the players of a new match have.
  public let time: TimeAllowance

  /// The view of a program that knows only rooms.
  public var room: RoomAdvertisement {
    let maximum = min(places, Match.Rules.playerLimit)
    return RoomAdvertisement(
      room: server, players: hasRoom ? min(players, maximum - 1) : maximum, maximumPlayers: maximum,
      state: isPlaying ? .playing : .waiting, time: time)
  }

  /// The pairs of the TXT record.
  public var pairs: [String: String] {
    var pairs = room.pairs
    pairs["matches"] = String(matches)
    pairs["limit"] = String(matchLimit)
    pairs["total"] = String(players)
    return pairs
  }
}
