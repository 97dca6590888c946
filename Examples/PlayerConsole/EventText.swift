import Bonjourish
import Console
import Rooms
import TwentyFour

/// What happens in a room, in words for a person.
struct EventText {
  static let help = """
      Combine all four numbers with + - * / and parentheses into 24, such as 8*(9/(5-2)).
      give up   not to guess on in this round
      hint      for a hint, which costs points
      quit      to leave the room
    """

  private let own: PlayerName
  private var me: PlayerID?

  init(own: PlayerName) {
    self.own = own
  }

  mutating func lines(for event: RoomEvent, at place: RoomPlace?) -> [String] {
    switch event {
    case .open(_, let player, _):
      me = player?.id
      let name = (player?.name ?? own).text.visible
      let room = place.map { "\"\($0.name.visible)\", port \($0.port)" } ?? "the room"
      return ["You are \(name) in \(room).", Self.help]
    case .joined(let player):
      return ["* \(player.name.text.visible) came."]
    case .left(let player):
      return ["* \(player.name.text.visible) left."]
    case .away(let player):
      return ["* \(player.name.text.visible) is away; the seat is kept for a while."]
    case .back(let player):
      return ["* \(player.name.text.visible) is back."]
    case .missing(let count):
      return count == 0 ? [] : ["* Players still missing: \(count)."]
    case .hint(let hint, let cost):
      return ["  Hint \(hint.step) of \(Hint.limit), for \(cost) points: \(Self.words(for: hint))"]
    case .reconnecting(let attempt, let wait):
      return ["* The connection broke; attempt \(attempt) to come back in \(Self.seconds(wait)) s."]
    case .resumed:
      return ["* You are back."]
    case .round(let deal):
      let hand = deal.hand.numbers.map(String.init).joined(separator: "   ")
      return ["", "Round \(deal.number):   \(hand)      \(Self.seconds(deal.remaining)) s to make 24"]
    case .answer(let player, let time):
      let who = player.id == me ? "You have" : "\(player.name.text.visible) has"
      return ["* \(who) it, after \(Self.seconds(time)) seconds."]
    case .refused(let reason):
      return ["  No: \(reason.text.visible)"]
    case .standings(let standings):
      return table(standings)
    case .roundEnded(let result):
      let next = result.pause.map { "The next round starts in \(Self.seconds($0)) s." } ?? "That was the last round."
      return ["Round \(result.number) is over. A solution: \(result.solution) = 24"] + table(result.standings) + [next]
    case .closed(let reason):
      return ["* \(reason.text.visible)"]
    }
  }

  private func table(_ standings: [Standing]) -> [String] {
    standings.map { standing in
      let mark = standing.player.id == me ? ">" : " "
      return
        "  \(mark) \(standing.player.name.text.visible): \(Self.words(for: standing.status)), \(standing.points) points"
        + (standing.isAway ? ", away" : "")
    }
  }

  private static func words(for hint: Hint) -> String {
    switch hint {
    case .lastOperation(let operation): "the last sign is \(operation.rawValue)"
    case .firstStep(let expression): "begin with \(expression)"
    case .lastStep(let left, let operation, let right): "at the end there is \(left) \(operation.rawValue) \(right)"
    }
  }

  private static func words(for status: Standing.Status) -> String {
    switch status {
    case .solved(let time): "\(seconds(time)) seconds"
    case .guessing: "guessing"
    case .joinedAndGuessing: "joined mid-round, guessing"
    case .waiting: "just joined, waiting"
    case .gaveUp: "gave up"
    case .outOfTime: "out of time"
    }
  }

  /// Seconds with two decimals, fewer when those are zeros.
  private static func seconds(_ duration: Duration) -> String {
    let hundredths = (duration / .milliseconds(10)).rounded()
    guard hundredths.truncatingRemainder(dividingBy: 100) != 0 else { return String(Int(hundredths) / 100) }
    let rest = Int(hundredths) % 100
    return "\(Int(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
