import Rooms
import TwentyFour
import _BonjourishConsole

/// The meaning of a player's line in a room.
enum PlayerCommand: Hashable {
  case none
  case help, table, tries, standings, codes, time, quit
  case act(Match.Action)
  /// A word that is no command, and what to say about it.
  case unknown(String)

  /// The commands by which players know them.
  static let words = ["hint", "give up", "time", "standings", "table", "tries", "codes", "help", "quit"]

  init(_ line: String) {
    let words = line.lowercased().split(whereSeparator: \.isWhitespace)
    switch words.joined(separator: " ") {
    case "": self = .none
    case "hint": self = .act(.hint)
    case "give up", "giveup": self = .act(.giveUp)
    case "help", "?": self = .help
    case "table": self = .table
    case "tries": self = .tries
    case "standings": self = .standings
    case "codes": self = .codes
    case "time": self = .time
    case "quit", "q", "exit": self = .quit
    case let text:
      // An answer begins with a digit or a parenthesis; x is a sign.
      let isWord = words.first.map { $0.allSatisfy(\.isLetter) && $0.contains { $0 != "x" } } ?? false
      self = isWord ? .unknown(Self.sentence(about: text)) : .act(.answer(line))
    }
  }

  private static func sentence(about text: String) -> String {
    if HostRule(text) != nil { return Phrases.onlyHost }
    let first = String(text.prefix { $0 != " " })
    let question = Suggestion.question(for: text, among: words)
    let meant = question.isEmpty ? Suggestion.question(for: first, among: words + HostRule.words) : question
    return Phrases.noSuchCommand(text, meant)
  }
}
