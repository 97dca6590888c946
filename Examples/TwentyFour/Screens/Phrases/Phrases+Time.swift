import Rooms
import TwentyFour

/// How much time the players of a room have.
extension Phrases {
  static let noTimeLimit = "There is no time limit."

  /// In a column of the lobby.
  static func time(_ room: RoomAdvertisement) -> String {
    switch room.time {
    case .usual: ""
    case .half: "x 1.5"
    case .double: "x 2"
    case .unlimited: "no limit"
    }
  }

  /// In a list; nil for the usual time.
  static func timeInWords(_ time: TimeAllowance) -> String? {
    switch time {
    case .usual: nil
    case .half: "1.5 times the time"
    case .double: "twice the time"
    case .unlimited: "no time limit"
    }
  }

  /// In a sentence, for those who wait for a round; nil for the usual time.
  static func time(_ rules: RoomRules?) -> String? {
    guard let rules, let words = timeInWords(rules.time) else { return nil }
    let start = words.prefix(1).uppercased() + words.dropFirst()
    return rules.time.isLimited
      ? "\(start): \(seconds(rules.roundDuration)) s for each round."
      : "\(start): a round ends when everybody has answered or given up."
  }
}
