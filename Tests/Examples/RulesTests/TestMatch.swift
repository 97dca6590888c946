import Testing
import TwentyFour

/// A match on a clock that is moved by hand.
struct TestMatch {
  var match: Match
  var now = Duration.seconds(1000)

  /// Before the first round, between two, or after the last.
  enum Moment: Sendable { case before, between, after }

  static let ada = PlayerID(rawValue: 1)
  static let bob = PlayerID(rawValue: 2)
  static let cy = PlayerID(rawValue: 3)

  init(_ rules: Match.Rules = Match.Rules(), seed: UInt64 = 24) {
    match = Match(rules: rules, generator: SeededGenerator(seed: seed))
  }

  @discardableResult
  mutating func handle(_ event: Match.Event, after time: Duration = .zero) -> [Match.Effect] {
    now += time
    return match.handle(event, at: now)
  }

  /// Lets someone come in under a name, and gives the hand when a round starts or runs.
  @discardableResult
  mutating func join(_ id: PlayerID, _ name: String, after time: Duration = .zero) throws -> [Match.Effect] {
    handle(.join(id, try PlayerName(name)), after: time)
  }

  /// A correct answer to what was dealt last.
  mutating func solve(_ id: PlayerID, _ hand: Hand, after time: Duration = .zero) throws -> [Match.Effect] {
    let solution = try #require(Solver.firstSolution(of: hand))
    return handle(.act(id, round: match.roundNumber, .answer(solution.description)), after: time)
  }

  mutating func passToDeadline() throws -> [Match.Effect] {
    now = try #require(match.nextDeadline)
    return handle(.timePassed)
  }

  var statuses: [String: Standing.Status] {
    Dictionary(uniqueKeysWithValues: match.standings.map { ($0.player.name.text, $0.status) })
  }

  var points: [String: Int] {
    Dictionary(uniqueKeysWithValues: match.standings.map { ($0.player.name.text, $0.points) })
  }
}

extension [Match.Effect] {
  var deal: Match.Deal? {
    for case .roundStarted(let deal) in self { return deal }
    for case .dealt(let deal, _) in self { return deal }
    return nil
  }

  var result: Match.RoundResult? {
    for case .roundEnded(let result) in self { return result }
    return nil
  }
}
