import Results
import Testing
import TwentyFour

struct MatchTallyTests {
  /// Plays a match and keeps its score as a host does.
  private struct Evening {
    var match: Match
    var tally = MatchTally(id: "id", room: "room", at: WallTime(milliseconds: 5))
    var record: MatchRecord?
    var hand: Hand?

    init(_ rules: Match.Rules) {
      match = Match(rules: rules, generator: SeededGenerator(seed: 24))
    }

    mutating func handle(_ event: Match.Event, at second: Int) {
      for effect in match.handle(event, at: .seconds(second)) {
        switch effect {
        case .roundStarted(let deal): hand = deal.hand
        case .solved(let player, let time): tally.solved(player, after: time)
        case .standings(let standings): tally.stand(standings)
        case .roundEnded(let result): record = tally.ended(result, at: WallTime(milliseconds: second))
        default: break
        }
      }
    }

    mutating func solve(_ player: PlayerID, at second: Int) throws {
      let solution = try #require(hand.flatMap { Solver.firstSolution(of: $0) })
      handle(.act(player, round: match.roundNumber, .answer(solution.description)), at: second)
    }
  }

  private let ada = PlayerID(rawValue: 1)
  private let bob = PlayerID(rawValue: 2)
  private let cy = PlayerID(rawValue: 3)

  @Test func `points, rounds, solutions and the best time are kept, also for players who left`() throws {
    var evening = Evening(Match.Rules(rounds: 2, minimumPlayers: 2))
    evening.handle(.join(ada, try PlayerName("Ada")), at: 0)
    evening.handle(.join(bob, try PlayerName("Bob")), at: 0)
    try evening.solve(ada, at: 20)
    #expect(evening.record == nil)
    try evening.solve(bob, at: 55)
    #expect(evening.record?.rounds == 1)
    evening.handle(.timePassed, at: 65)
    try evening.solve(bob, at: 65)
    evening.handle(.leave(bob), at: 70)
    // Too late for this round.
    evening.handle(.join(cy, try PlayerName("Cy")), at: 160)
    evening.handle(.act(ada, round: 2, .giveUp), at: 161)
    let record = try #require(evening.record)
    // After a restart the host continues the record.
    var resumed = MatchTally(resuming: record)
    let hand = try #require(evening.hand)
    let third = Match.RoundResult(
      number: 3, hand: hand, solution: try #require(Solver.firstSolution(of: hand)),
      standings: [Standing(player: Player(id: ada, name: try PlayerName("Ada")), status: .gaveUp, points: 18)], pause: nil)
    let again = resumed.ended(third, at: WallTime(milliseconds: 300))
    #expect(again.rounds == 3)
    #expect(again.scores.map(\.rounds) == [3, 1])
    #expect(again.scores.map(\.solved) == [1, 2])
    #expect(record.began == WallTime(milliseconds: 5))
    #expect(record.ended == WallTime(milliseconds: 161))
    #expect(record.rounds == 2)
    #expect(
      record.scores == [
        .init(player: ada, name: "Ada", points: 18, rounds: 2, solved: 1, best: .seconds(20)),
        .init(player: bob, name: "Bob", points: 34, rounds: 1, solved: 2, best: .zero),
      ])
  }
}
