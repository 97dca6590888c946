import Bonjourish
import Rooms
import TwentyFour
import _BonjourishTerminal

/// The texts on the screens.
extension Phrases {
  // MARK: - The lobby

  static func lobbyTitle(_ usesDirectory: Bool) -> String {
    usesDirectory ? "Rooms here and in the directory" : "Rooms on this network"
  }
  static func you(_ name: PlayerName) -> String { "you: \(name.text.escapedForDisplay)" }
  static let lobbyColumns = (
    number: "#", room: "Room", players: "Players", state: "State", time: "Time", lock: "Entry", place: "Where", host: "Host",
    age: "Seen for"
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
  static let noRooms = ["No rooms yet; they will show here.", "Press h to host one yourself, or p to practise alone."]
  static let noRoomsFound = ["No rooms are found.", "Press h to host one all the same, or p to practise alone."]
  static func noRooms(like filter: String) -> [String] {
    ["No room has \"\(filter.escapedForDisplay)\" in its name.", "Press Esc to see all rooms."]
  }
  static func lobbyKeys(_ glyphs: Glyphs) -> [String] {
    ["\(glyphs.arrows) Enter: join", "h: host", "p: practice", "/: filter", "r: any room", "n: name"]
  }
  static let lobbyLastKeys = ["?: help", "q: quit"]
  /// Few and short enough for 40 columns and 12 rows.
  static let lobbyHelp = [
    "Up, Down, Enter: choose a room", "a number: join that room", "h: host a room", "p: practise alone",
    "/: only rooms with a text (Esc: all)", "r: join any room with a free place", "n: change your name", "q: quit",
  ]
  static let lobbyHelpKeys = ["any key: back"]
  static func filter(_ text: String) -> String { "Rooms with: \(text)" }
  static let noFreePlace = "There is no room with a free place."
  static func noSuchRoom(_ number: String, of count: Int) -> String {
    switch count {
    case 0: "There is no room \(number); there are none yet."
    case 1: "There is no room \(number); there is only: 1."
    default: "There is no room \(number); there are: 1 to \(count)."
    }
  }
  static let typedNumber = "Room number:"
  static func joining(_ room: String) -> String { "Joining \(room)" }
  static let opening = "Opening your room"
  static func moreRooms(above: Int, below: Int) -> String {
    [above > 0 ? "\(above) more above" : nil, below > 0 ? "\(below) more below" : nil].compactMap(\.self).joined(
      separator: ", ")
  }

  // MARK: - The game

  static let practice = "Practice"
  /// What a round is about, in one line if possible.
  static func goal(_ columns: Int, _ glyphs: Glyphs) -> String {
    let signs = glyphs == .unicode ? "+ − × ÷ ( )" : "+ - * / ( )"
    let text = "Make 24 with all four numbers, using \(signs)"
    return text.columns <= columns ? text : "All four and \(signs) make 24"
  }
  static func place(_ place: RoomPlace) -> String { "\(place.name.escapedForDisplay), port \(place.port)" }
  static func roundTitle(_ number: Int, of rounds: Int?) -> String {
    rounds.map { "Round \(number) of \($0)" } ?? "Round \(number)"
  }
  static let entering = "Joining the room"
  /// Something that goes on.
  static func going(_ text: String, _ glyphs: Glyphs) -> String { "\(text) \(glyphs.ellipsis)" }
  static let gathering = "The next round begins soon; others may still come."
  static let waitingForRound = "A round is running; you play in the next one."
  static let standings = "Standing"
  static let tries = "Your tries"
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
  static let sent = "asking the room"
  static let right = "= 24, right!"
  static func youSolved(_ time: Duration) -> String { "You have it, after \(seconds(time)) seconds." }
  static func youGaveUp(alone isAlone: Bool) -> String { isAlone ? "You gave up." : "You gave up; the others go on." }
  static let comingBack = "The connection broke."
  static func attempt(_ number: Int, in duration: Duration, _ glyphs: Glyphs) -> String {
    let text = "Attempt \(number) to come back"
    return duration > .zero ? "\(text) in \(wholeSeconds(duration)) s" : going(text, glyphs)
  }
  static let prompt = "> "
  // Keys by their names, and words to type in quotation marks.
  static func hintKey(cost: Int) -> String { "Ctrl-T: hint (-\(cost))" }
  static let helpKey = "?: help"
  static let giveUpKey = "\"give up\""
  static let tableKey = "Tab: table"
  static let answerKey = "Enter: answer"
  static let quitKey = "\"quit\""
  static let botPlays = "The program plays"
  static let againKey = "\"again\": play again"
  static let againKeyOfBot = "a: play again"
  static let startKey = "\"start\": begin"
  static let nextKey = "\"next\": end the round"
  static let phonesKey = "w: phones"
  static let hostKeys = ["Ctrl-X number: kick", "Ctrl-V number: ban", "Ctrl-O: lock"]
  static let kickQuestion = "Remove player number: "
  static let banQuestion = "Ban player number: "
  static func noSuchPlayer(_ number: String) -> String { "There is no other player \(number)." }
  static let quitByKey = "q: quit"
  static let watching = "watching"
  static let endKeys = ["Enter: go on"]

  // MARK: - Help

  static let helpTitle = "How to play"
  static func helpLines(_ rules: Match.Rules, isHost: Bool, isPractice: Bool) -> [String] {
    [
      "Make 24 with all four numbers, each exactly once, and + - * / ( ). Of 8 9 2 5, for instance: 8*(9/(5-2))",
      "Points: 10 for a solution, and 1 more for each tenth of the time that is left.",
      "hint or Ctrl-T: get a hint; there are \(Hint.limit), and each costs \(points(rules.hintCost)).",
      "give up: \(isPractice ? "see a solution" : "sit out the rest of this round").",
      "table, tries, codes, help (?) or Tab: what is shown here.",
      "Up and Down: what you wrote before.",
      "quit or Ctrl-D: \(isPractice ? "stop" : isHost ? "close the room" : "leave the room").",
    ]
  }
  /// The same, for a small window.
  static func shortHelpLines(_ rules: Match.Rules) -> [String] {
    [
      "Make 24 with all four numbers, each once, using + - * / ( ): 8*(9/(5-2))",
      "Points: 10, and 1 more for each tenth of the time left; a hint costs \(rules.hintCost).",
      "hint (Ctrl-T), give up, quit (Ctrl-D)", "Tab or tries, table, help: other views",
    ]
  }
  static let hostHelpTitle = "For the host"
  static let hostHelpLines = [
    "kick, ban or unban and a number: a player. Also Ctrl-X or Ctrl-V and the number.",
    "lock, unlock or Ctrl-O: who may come in.",
    "approve, unapprove: new players wait for you, or do not.",
    "admit, refuse and a number: a new player. Also Ctrl-G or Ctrl-R for the first.",
    "start: begin alone. next: end the round. end: end the match. again: play another one.",
    "reopen: let people try the passcode again. codes: the codes to compare.",
    "w: the code and the address for phones; * marks who plays on one.",
  ]
  static let shortHostHelpLines = [
    "kick N, ban N, unban N; N: the number", "lock, unlock, approve, unapprove,", "admit N, refuse N, reopen, codes",
    "start: begin; next: end the round;", "end: end the match; again; w: phones",
  ]

  // MARK: - Small windows

  static func tooSmall(_ size: TerminalSize, needed: TerminalSize, _ glyphs: Glyphs) -> String {
    let cross = glyphs == .unicode ? "×" : "x"
    return "The game needs \(needed.columns)\(cross)\(needed.rows), not \(size.columns)\(cross)\(size.rows)."
  }

  /// Whole seconds, rounded up.
  private static func wholeSeconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return max(0, Int(seconds) + (attoseconds > 0 ? 1 : 0))
  }
}
