import Bonjourish
import Rooms
import Terminal
import TwentyFour

/// The texts on the screens.
extension Phrases {
  // MARK: - The lobby

  static let lobbyTitle = "Rooms on this network"
  static func you(_ name: PlayerName) -> String { "you: \(name.text.escapedForDisplay)" }
  static let lobbyColumns = (
    number: "#", room: "Room", players: "Players", state: "State", lock: "Entry", host: "Host", age: "Seen for"
  )
  static func players(_ room: RoomAdvertisement) -> String { "\(room.players) of \(room.maximumPlayers)" }
  static func state(_ room: RoomAdvertisement) -> String {
    guard room.hasRoom else { return "full" }
    return room.state.rawValue
  }
  /// How a room is protected, in a word.
  static func lock(_ room: RoomAdvertisement) -> String {
    switch room.lock {
    case .open: ""
    case .passcode: "passcode"
    case .none: "UNSAFE"
    }
  }
  static let noRooms = ["No rooms yet; they will show here.", "Press h to host one yourself."]
  static func lobbyKeys(_ glyphs: Glyphs) -> [String] {
    ["\(glyphs.arrows) Enter or number: join", "h: host", "r: any room", "n: name", "q: quit"]
  }
  static let noFreePlace = "There is no room with a free place."
  static func noSuchRoom(_ number: String) -> String { "There is no room \(number)." }
  static let typedNumber = "Room number:"
  static func joining(_ room: String) -> String { "Joining \(room) ..." }
  static let opening = "Opening your room ..."
  static func moreRooms(above: Int, below: Int) -> String {
    [above > 0 ? "\(above) more above" : nil, below > 0 ? "\(below) more below" : nil].compactMap(\.self).joined(
      separator: ", ")
  }

  // MARK: - The game

  static let practice = "Practice"
  static func place(_ place: RoomPlace) -> String { "\(place.name.escapedForDisplay), port \(place.port)" }
  static func roundTitle(_ number: Int, of rounds: Int?) -> String {
    rounds.map { "Round \(number) of \($0)" } ?? "Round \(number)"
  }
  static let entering = "Joining the room ..."
  static let gathering = "The first round begins soon; others may still come."
  static let waitingForRound = "A round is running; you play in the next one."
  static let standings = "Standing"
  static let tries = "Your tries"
  static let helpTitle = "How to play"
  static let tableColumns = (player: "Player", status: "This round", total: "Total", best: "Best")
  static let pointsColumn = "Points"
  static func more(_ count: Int) -> String { "and \(count) more" }
  static func roundColumn(_ number: Int) -> String { "R\(number)" }
  static func shortStatus(_ standing: Standing) -> String {
    if standing.isAway { return "away" }
    switch standing.status {
    case .solved(let time): return Self.time(time)
    case .guessing: return "guessing"
    case .joinedAndGuessing: return "joined, guessing"
    case .waiting: return "waiting"
    case .gaveUp: return "gave up"
    case .outOfTime: return "out of time"
    }
  }
  static func secondsLeft(_ duration: Duration) -> String { "\(wholeSeconds(duration)) s" }
  static func solution(_ result: Match.RoundResult) -> String { "A solution: \(result.solution) = 24" }
  static func nextRound(_ number: Int, in duration: Duration) -> String {
    "Round \(number) begins in \(wholeSeconds(duration)) s"
  }
  static let lastRound = "That was the last round."
  static let sent = "asking the room ..."
  static let right = "= 24, right!"
  static func youSolved(_ time: Duration) -> String { "You have it, after \(seconds(time)) seconds." }
  static let youGaveUp = "You gave up; the others go on."
  static func winner(_ player: Player, isMe: Bool, _ points: Int) -> String {
    "\(isMe ? "You win" : "\(name(player)) wins") with \(Self.points(points))."
  }
  static func tie(_ count: Int, _ points: Int) -> String { "\(count) players win with \(Self.points(points)) each." }
  static let comingBack = "The connection broke."
  static func attempt(_ number: Int, in duration: Duration) -> String {
    duration > .zero ? "Attempt \(number) to come back in \(wholeSeconds(duration)) s" : "Attempt \(number) to come back ..."
  }
  static let prompt = "> "
  static func gameKeys(hintCost: Int) -> [String] {
    ["Enter: answer", "Ctrl-T: hint (-\(hintCost))", "give up", "Tab: table, help", "quit"]
  }
  static let botKeys = ["The program plays", "Tab: table", "q: quit"]
  static let hostKeys = ["Ctrl-X number: kick", "Ctrl-V number: ban", "Ctrl-O: lock"]
  static let hostHelpLines = [
    "Ctrl-X or Ctrl-V and a number: kick or ban the player with this number.", "Ctrl-O: lock the room, or unlock it.",
    "approve, unapprove: newcomers wait for you, or do not.", "Ctrl-G or Ctrl-R: admit or refuse the first who waits.",
    "unban and a number: take a ban back.", "w: show the code and the address for phones.",
  ]
  static let kickQuestion = "Remove player number: "
  static let banQuestion = "Ban player number: "
  static func noSuchPlayer(_ number: String) -> String { "There is no other player \(number)." }
  static let watchKeys = ["Tab: table", "q: quit"]
  static let watching = "watching"
  static let endKeys = ["Enter: go on"]
  static let helpLines = [
    "Combine all four numbers, each once, with + - * / and parentheses into 24.", "Of 8 9 2 5, for instance: 8*(9/(5-2))",
    "hint or Ctrl-T: a hint; it costs points.", "give up: sit out the rest of this round.",
    "table, help or Tab: what stands here.",
    "Up and Down: what you wrote before.", "quit or Ctrl-D: leave the room.",
  ]
  static let tooSmall = "Make the window larger."

  /// Whole seconds, rounded up.
  private static func wholeSeconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return max(0, Int(seconds) + (attoseconds > 0 ? 1 : 0))
  }
}
