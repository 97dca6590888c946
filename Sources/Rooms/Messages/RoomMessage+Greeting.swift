package import TwentyFour

extension RoomMessage {
  /// What a player says first.
  package struct Hello: Hashable, Sendable {
    package var version: Int
    package var name: String
    /// The token of the seat that the player comes back to, from an earlier welcome.
    package var token: String?
    /// How many players the match should have, where there are several to choose from.
    package var players: ClosedRange<Int>?
    /// Whether he only wants to look on.
    package var watches: Bool

    package init(
      version: Int = RoomMessage.version, name: String, token: String? = nil, players: ClosedRange<Int>? = nil,
      watches: Bool = false
    ) {
      self.version = version
      self.name = name
      self.token = token
      self.players = players
      self.watches = watches
    }
  }

  /// What the host answers to a good hello.
  package struct Welcome: Hashable, Sendable {
    package var version: Int
    package var room: RoomID
    /// Who the receiver is in the room; `nil` when he looks on.
    package var player: Player?
    package var state: RoomState
    /// The secret of the seat, to come back to it; `nil` when that is not possible.
    package var token: String?
    /// How long the seat is kept when the connection breaks.
    package var returnLimit: Duration
    package var rules: RoomRules

    package init(
      version: Int = RoomMessage.version, room: RoomID, player: Player?, state: RoomState, token: String? = nil,
      returnLimit: Duration, rules: RoomRules
    ) {
      self.version = version
      self.room = room
      self.player = player
      self.state = state
      self.token = token
      self.returnLimit = returnLimit
      self.rules = rules
    }
  }
}

/// The fields of how many players a match should have.
struct PlayersFields: Codable {
  let min: Int
  let max: Int

  init(_ players: ClosedRange<Int>) {
    min = players.lowerBound
    max = players.upperBound
  }

  func players() throws(MalformedMessage) -> ClosedRange<Int> {
    guard 1 <= min, min <= max, max <= Match.Rules.playerLimit else { throw .invalid(field: "players") }
    return min...max
  }
}
