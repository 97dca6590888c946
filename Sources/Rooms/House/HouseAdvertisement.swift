import Bonjourish
import TwentyFour

/// What a house tells about itself on the network.
///
/// It is that of one large room, so that a program that knows only rooms lists it and can come in: `players` and `max` say whether
/// there is a free place. Three keys more tell what it is:
///
/// | key | value |
/// | --- | --- |
/// | `matches` | how many matches there are |
/// | `limit` | how many there can be |
/// | `total` | how many people play in them |
package struct HouseAdvertisement: Hashable, Sendable {
  package let house: RoomID
  package let matches: Int
  package let matchLimit: Int
  package let players: Int
  /// How many can play altogether.
  package let places: Int
  /// Whether somebody who comes now finds a place.
  package let hasRoom: Bool
  package let isPlaying: Bool

  /// What a program sees that knows only rooms.
  package var room: RoomAdvertisement {
    let maximum = min(places, Match.Rules.playerLimit)
    return RoomAdvertisement(
      room: house, players: hasRoom ? min(players, maximum - 1) : maximum, maximumPlayers: maximum,
      state: isPlaying ? .playing : .waiting)
  }

  /// The pairs of the TXT record.
  package var pairs: [String: String] {
    var pairs = room.pairs
    pairs["matches"] = String(matches)
    pairs["limit"] = String(matchLimit)
    pairs["total"] = String(players)
    return pairs
  }
}

extension HouseAdvertisement {
  /// The advertisement as a TXT record.
  var txt: TXTRecord { TXTRecord(of: pairs) }
}
