import TwentyFour

/// One match of a house: its room, and what the house has to know of who is in it.
struct HostedMatch: Sendable {
  let number: MatchNumber
  /// From how many players on it is played, and how many can play.
  let size: ClosedRange<Int>
  var room: RoomMachine
  private(set) var players: [PlayerID: Player] = [:]
  private(set) var away: Set<PlayerID> = []
  /// The secrets of the seats.
  private(set) var tokens: [PlayerID: String] = [:]
  /// Everyone who is connected.
  var connections: Set<ConnectionID> = []
  /// The number of the running or last round; 0 before the first.
  private(set) var round = 0
  private(set) var isPlaying = false

  /// What the house has counted of this match.
  var counted = Figures()

  /// What is counted of a match.
  struct Figures: Hashable {
    var players = 0
    var away = 0
    var watchers = 0
    var hasBegun = false
    var isPlaying = false
  }

  init(number: MatchNumber, size: ClosedRange<Int>, room: RoomMachine) {
    self.number = number
    self.size = size
    self.room = room
  }

  /// A match that another process had, and that is not open yet.
  init(number: MatchNumber, resuming room: RoomMachine) {
    let rules = room.match.rules
    self.init(number: number, size: rules.minimumPlayers...rules.maximumPlayers, room: room)
    for player in room.match.players { players[player.id] = player }
    for (player, token) in room.tokens { tokens[player] = token.text }
    round = room.roundNumber
    isPlaying = room.match.isPlaying
    // Not until they are told that they are away does anybody count for connected.
    away = Set(room.match.standings.filter(\.isAway).map(\.player.id))
  }

  var hasBegun: Bool { round > 0 }

  /// After how many rounds it is over; nil for no end.
  var rounds: Int? { room.match.rules.rounds }

  /// How many look on.
  var watchers: Int { connections.count - (players.count - away.count) }

  var figures: Figures {
    Figures(players: players.count, away: away.count, watchers: watchers, hasBegun: hasBegun, isPlaying: isPlaying)
  }

  /// Takes in what everyone in the room is told.
  ///
  /// - Returns: The token of a seat that is given up.
  mutating func note(_ event: RoomEvent) -> String? {
    switch event {
    case .joined(let player):
      players[player.id] = player
    case .left(let player):
      players[player.id] = nil
      away.remove(player.id)
      return tokens.removeValue(forKey: player.id)
    case .away(let player):
      away.insert(player.id)
    case .back(let player):
      away.remove(player.id)
    case .round(let deal):
      round = deal.number
      isPlaying = true
    case .roundEnded, .closed:
      isPlaying = false
    case .open, .missing, .answer, .refused, .hint, .standings, .reconnecting, .resumed:
      break
    }
    return nil
  }

  /// Notes the secret of a player's seat.
  mutating func note(token: String, of player: PlayerID) {
    tokens[player] = token
  }
}

/// How a match stands, for whoever runs the house.
package struct MatchOverview: Hashable, Sendable, Codable {
  package let number: Int
  package let room: String
  /// `waiting` for players or for the next round, or `playing`.
  package let state: String
  package let round: Int
  package let minimum: Int
  package let maximum: Int
  package let players: [String]
  /// Those of the players whose connection broke.
  package let away: [String]
  package let watchers: Int

  init(_ match: HostedMatch) {
    let players = match.players.values.sorted { $0.id < $1.id }
    number = match.number.rawValue
    room = match.room.room.text
    state = match.isPlaying ? RoomState.playing.rawValue : RoomState.waiting.rawValue
    round = match.round
    minimum = match.size.lowerBound
    maximum = match.size.upperBound
    self.players = players.map(\.name.text)
    away = players.filter { match.away.contains($0.id) }.map(\.name.text)
    watchers = match.watchers
  }
}
