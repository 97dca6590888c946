import Console
import Framing
import Rooms

/// What is said over the socket by which a house is administered: a command as a line of text in one frame, and the answer as one
/// JSON object in another.
enum AdminChannel {
  static let format = FrameFormat(maximumBodySize: 1024 * 1024)
}

/// What whoever runs a house can tell it.
enum AdminCommand: Equatable {
  case list
  case statistics
  case kick(name: String, match: MatchNumber?)
  case close(MatchNumber)
  case drain

  static let help = "list, stats, kick [MATCH] PLAYER, close MATCH, or drain"

  /// Reads a line; nil when it is none of these.
  init?(_ line: String) {
    let words = line.split(whereSeparator: \.isWhitespace)
    switch (words.first, words.count) {
    case ("list", 1): self = .list
    case ("stats", 1): self = .statistics
    case ("drain", 1): self = .drain
    case ("close", 2):
      guard let number = Int(words[1]) else { return nil }
      self = .close(MatchNumber(rawValue: number))
    case ("kick", 2...):
      // A name may be a number, and have blanks in it: "kick 7" is a player, "kick 7 Bob" is Bob in match 7.
      let number = words.count > 2 ? Int(words[1]) : nil
      let name = words.dropFirst(number == nil ? 1 : 2).joined(separator: " ")
      self = .kick(name: name, match: number.map { MatchNumber(rawValue: $0) })
    default: return nil
    }
  }
}

/// What a house answers.
struct AdminReply: Codable, Equatable {
  /// Why nothing was done.
  var error: String?
  /// What was done.
  var done: String?
  var matches: [MatchOverview]?
  var statistics: HouseStatistics?
}
