import FramedJSON
import FramedTransport
import MatchServer
import Rooms
import TwentyFour

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
  case rule(word: String, match: MatchNumber, player: PlayerID?)
  case close(MatchNumber)
  case drain
  case reopen
  case passcode
  case web

  /// Parses a line; returns nil if it is not a command.
  init?(_ line: String) {
    let words = line.split(whereSeparator: \.isWhitespace)
    switch (words.first, words.count) {
    case ("list", 1): self = .list
    case ("stats", 1): self = .statistics
    case ("drain", 1): self = .drain
    case ("reopen", 1): self = .reopen
    case ("passcode", 1): self = .passcode
    case ("web", 1): self = .web
    case ("close", 2):
      guard let number = Int(words[1]) else { return nil }
      self = .close(MatchNumber(rawValue: number))
    default:
      // The number of the match comes before that of the player.
      guard words.count > 1, let match = Int(words[1]),
        let rule = HostRule(([words[0]] + words.dropFirst(2)).map(String.init)), AdminCommand.rules.contains(rule.word)
      else { return nil }
      self = .rule(word: rule.word, match: MatchNumber(rawValue: match), player: rule.player)
    }
  }

  /// The words of the rules for the players of a match. Nobody waits to be admitted to a match.
  private static let rules: Set = ["kick", "ban", "unban", "lock", "unlock", "next"]

  /// The rule of a command, and the match; nil for another command.
  var rule: (HostRule, MatchNumber)? {
    guard case .rule(let word, let match, let player) = self,
      let rule = HostRule([word] + [player?.description].compactMap(\.self)), Self.rules.contains(rule.word)
    else { return nil }
    return (rule, match)
  }
}

/// A server's reply after it carried out a command.
struct AdminReply: Codable, Equatable {
  /// The result, a sentence.
  var done: String?
  var matches: [MatchOverview]?
  var statistics: ServerStatistics?
}
