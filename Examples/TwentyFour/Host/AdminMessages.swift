import FramedTransport
import JSONMessages
import MatchServer

/// The messages on a server's administration socket: requests and replies in JSON.
enum AdminChannel {
  static let format = FrameFormat(maximumBodySize: 1024 * 1024)
  static let requests = JSONCodec<AdminCommand>()
  static let replies = JSONCodec<AdminReply>()
}

/// A command of the administrator.
enum AdminCommand: Codable, Equatable {
  case list
  case statistics
  case kick(name: String, match: MatchNumber?)
  case close(MatchNumber)
  case drain

  static let help = "list, stats, kick [MATCH] PLAYER, close MATCH, or drain"

  /// Parses a line; returns nil if it is not a command.
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
      // A name may be a number and contain blanks: "kick 7" is the player 7, "kick 7 Bob" is Bob in match 7.
      let number = words.count > 2 ? Int(words[1]) : nil
      let name = words.dropFirst(number == nil ? 1 : 2).joined(separator: " ")
      self = .kick(name: name, match: number.map { MatchNumber(rawValue: $0) })
    default: return nil
    }
  }
}

/// A server's reply after it carried out a command.
struct AdminReply: Codable, Equatable {
  /// The result, a sentence.
  var done: String?
  var matches: [MatchOverview]?
  var statistics: ServerStatistics?
}
