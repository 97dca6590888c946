import Rooms
import TwentyFour

/// Describes the events of a room, in lines for a person.
struct EventLines {
  private let own: PlayerName
  private let isHost: Bool
  /// Whether players are shown with their numbers.
  private let isNumbered: Bool
  /// Whether nobody else can come.
  private let isPractice: Bool
  private var me: PlayerID?
  private var missing = 0
  private var hasBegun = false
  private var latest: [Standing] = []
  /// Whether a round has ended since somebody was told who has won.
  private var isUntold = false

  init(own: PlayerName, isHost: Bool, isNumbered: Bool = false, isPractice: Bool = false) {
    self.own = own
    self.isHost = isHost
    self.isNumbered = isNumbered
    self.isPractice = isPractice
  }

  mutating func lines(for event: RoomEvent, at place: RoomPlace?) -> [String] {
    switch event {
    case .open(_, let player?, let rules):
      let isAgain = me != nil
      me = player.id
      let welcome = isPractice ? Phrases.practising(player.name) : Phrases.welcome(player.name, at: place)
      return [welcome] + time(rules) + (isAgain ? ["* \(Phrases.seatNotKept)"] : []) + admission(of: place) + [
        Phrases.help(isPractice: isPractice)
      ] + (isNumbered ? [Phrases.helpToHost] : [])
    case .open(_, nil, let rules):
      me = nil
      return isHost
        ? [Phrases.welcome(own, at: place)] + time(rules) + admission(of: place)
        : [Phrases.lookingOn(at: place)] + time(rules) + [Phrases.helpToSpectate]
    case .joined(let player): return ["* \(Phrases.came(player))"]
    case .left(let player): return ["* \(Phrases.went(player))"]
    case .away(let player): return ["* \(Phrases.isAway(player))"]
    case .back(let player): return ["* \(Phrases.isBack(player))"]
    case .missing(let count):
      defer { missing = count }
      if isHost, !hasBegun, count > 0, count != missing, latest.count <= 1 {
        return [Phrases.howToJoinInLines, Phrases.waitingForCompany].map { "* \($0)" }
      }
      return count > 0 && count != missing ? ["* \(Phrases.missing(count))"] : []
    case .spectators(let count): return ["* \(Phrases.spectators(count))"]
    case .round(let deal):
      hasBegun = true
      return ["", Phrases.round(deal)]
    case .answer(let player, let time): return ["* \(Phrases.solved(player, isMe: player.id == me, time))"]
    case .refused(let reason) where reason.code == .held: return ["* \(Phrases.reason(reason))"]
    case .refused(let reason): return ["  \(Phrases.refused(reason))"]
    case .hint(let hint, let cost): return ["  \(Phrases.hint(hint, cost: cost))"]
    case .standings(let standings):
      latest = standings
      return table(standings)
    case .roundEnded(let result):
      (latest, isUntold) = (result.standings, true)
      return [Phrases.ending(result)] + table(result.standings) + [result.pause.map(Phrases.next) ?? Phrases.lastRound]
    case .matchEnded:
      return (["* \(Phrases.matchIsOver)"] + outcome())
        + ["* \(isHost ? Phrases.playAgain : Phrases.hostMayPlayAgain)"]
    case .matchBegan: return ["", "* \(Phrases.matchBegan)"]
    case .reconnecting(let attempt, let delay): return ["* \(Phrases.reconnecting(attempt: attempt, in: delay))"]
    case .resumed: return ["* \(Phrases.resumed)"]
    case .asked(let player): return ["* \(Phrases.asked(player))"]
    case .rule(let rule, let player): return ["* \(Phrases.decided(rule, player))"]
    case .identified(let player, let key, let comparison):
      return Phrases.identified(player, key, comparison).map { ["* \($0)"] } ?? []
    case .guess(let address, let remaining): return ["* \(Phrases.guessed(from: address, remaining: remaining))"]
    case .passcode(let passcode): return ["* \(passcode.map(Phrases.passcodeIs) ?? Phrases.passcodeUsedUp)"]
    case .web(let addresses): return addresses.first.map { ["* \(Phrases.webAddress($0))"] } ?? []
    case .waiting(let limit): return ["* \(Phrases.waitingForHost(limit))"]
    case .closed(let reason) where isHost && reason.code == .hostLeft:
      return outcome() + ["* \(isPractice ? Phrases.practiceOver : Phrases.youClosed)"]
    case .closed(let reason): return outcome() + ["* \(Phrases.reason(reason))"]
    }
  }

  private func time(_ rules: RoomRules) -> [String] { Phrases.time(rules).map { ["* \($0)"] } ?? [] }

  /// Who has won, once.
  private mutating func outcome() -> [String] {
    defer { isUntold = false }
    let most = latest.map(\.points).max() ?? 0
    let winners = latest.filter { most > 0 && $0.points == most }
    return isUntold ? ["* \(Phrases.outcome(winners, of: latest.count, me: me))"] : []
  }

  /// What the host has to tell to those who want to come in.
  private func admission(of place: RoomPlace?) -> [String] {
    [place?.passcode.map(Phrases.passcodeIs), place?.web?.first.map(Phrases.webAddress)].compactMap(\.self)
  }

  private func table(_ standings: [Standing]) -> [String] { Self.table(standings, me: me, isNumbered: isNumbered) }

  private static func table(_ standings: [Standing], me: PlayerID?, isNumbered: Bool) -> [String] {
    standings.map { standing in
      let number = isNumbered ? "\(standing.player.id) " : ""
      return "  \(standing.player.id == me ? ">" : " ") \(number)\(Phrases.standing(standing))"
    }
  }

  /// The answer to a question about the room.
  static func answer(to command: PlayerCommand, _ company: Company, isNumbered: Bool) -> [String] {
    let game = company.game
    switch command {
    case .time: return ["  \(company.timeInWords)"]
    case .standings:
      let spectators = game.spectators > 0 ? ["  \(Phrases.spectators(game.spectators))"] : []
      return table(game.standings, me: game.me?.id, isNumbered: isNumbered) + spectators
    case .codes:
      guard !game.codes.isEmpty else { return ["  \(Phrases.noCodes)"] }
      return game.codes.map { code in
        "  " + (code.player.map { Phrases.code(code.digits, of: $0, isNumbered: isNumbered) } ?? Phrases.ownCode(code.digits))
      }
    case .none, .help, .table, .tries, .quit, .act, .unknown: return []
    }
  }
}
