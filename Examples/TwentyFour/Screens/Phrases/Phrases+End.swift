import Rooms
import TwentyFour

/// The end of a match, and of the evening.
extension Phrases {
  static let lastRound = "That was the last round."

  /// Who has won.
  ///
  /// - Parameters:
  ///   - winners: Those with most points; nobody, if nobody has any.
  ///   - count: The number of players.
  ///   - me: The reader.
  static func outcome(_ winners: [Standing], of count: Int, me: PlayerID?) -> String {
    guard let first = winners.first else { return count > 1 ? "Nobody has any points." : "You have no points." }
    let points = Phrases.points(first.points)
    if count == 1 { return first.player.id == me ? "You have \(points)." : "\(name(first.player)) has \(points)." }
    guard winners.count > 1 else {
      return first.player.id == me ? "You win with \(points)!" : "\(name(first.player)) wins with \(points)."
    }
    let others = winners.filter { $0.player.id != me }
    let names = (others.count < winners.count ? ["You"] : []) + others.map { name($0.player) }
    let shown =
      names.count > 3 ? "\(names.count) players" : names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")"
    return "\(shown) win with \(points) each."
  }

  static let matchIsOver = "The match is over."
  static let hostMayPlayAgain = "The host may begin another match."
  static let typeAgain = "Type \"again\" to play another match."
  static let playAgain = "Type \"again\" to play another match with everybody, or \"quit\" to close the room."
  static let matchBegan = "Another match begins: everybody starts with 0 points."
  static func bestTime(_ standings: [Standing], me: PlayerID?) -> String? {
    let best = standings.compactMap { standing in standing.best.map { (time: $0, player: standing.player) } }.min {
      $0.time < $1.time
    }
    return best.map {
      "The fastest solution was \($0.player.id == me ? "yours" : "\(name($0.player))'s"), after \(time($0.time))."
    }
  }
  static func wins(_ wins: [Player: Int]) -> String {
    let rows = wins.sorted { ($1.value, $0.key.name.text) < ($0.value, $1.key.name.text) }
    return "Matches won: " + rows.map { "\(name($0.key)) \($0.value)" }.joined(separator: ", ")
  }

  // MARK: - After the screen

  /// - Parameter ending: Why the room was closed, if somebody else closed it.
  static func summary(_ room: String, ending: String) -> String { "\(room): \(ending)" }
  /// - Parameters:
  ///   - evening: All matches.
  ///   - won: How many of them the player has won.
  ///   - outcome: Who has won the only match, in a sentence.
  ///   - ending: As above.
  static func summary(
    _ room: String, _ evening: GameState.Totals, won: Int, outcome: String?, ending: String?
  ) -> String {
    let best = evening.best.map { ", your best time \(time($0))" } ?? ""
    let rounds = evening.rounds == 1 ? "1 round" : "\(evening.rounds) rounds"
    let text =
      evening.matches > 1
      ? "\(room): \(rounds) in \(evening.matches) matches, you got \(points(evening.points))\(best), and won \(won) of them."
      : "\(room): \(rounds), you have \(points(evening.points))\(best)."
    return [text, outcome, ending].compactMap(\.self).joined(separator: " ")
  }
}
