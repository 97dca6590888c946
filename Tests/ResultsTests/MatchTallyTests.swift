import Results
import Testing
import TwentyFour

struct MatchTallyTests {
  /// Plays a match and keeps its score as a host does.
  private struct Evening {
    var match: Match
    var tally: MatchTally
    var record: MatchRecord?
    var hand: Hand?

    init(_ rules: Match.Rules) {
      match = Match(rules: rules, generator: SeededGenerator(seed: 24))
      tally = MatchTally(id: "id", room: "room", hasEnd: rules.rounds != nil, at: WallTime(milliseconds: 5))
    }

    mutating func handle(_ event: Match.Event, at second: Int) {
      for effect in match.handle(event, at: .seconds(second)) {
        switch effect {
        case .roundStarted(let deal): hand = deal.hand
        case .solved(let player, let time): tally.solved(player, after: time)
        case .left(let player): tally.left(player)
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

  private func name(_ text: String) throws -> PlayerName { try PlayerName(text) }

  /// Ada and Bob play two rounds; Bob leaves in the second, after solving it.
  private func evening(rounds: Int?) throws -> Evening {
    var evening = Evening(Match.Rules(rounds: rounds, minimumPlayers: 2))
    evening.handle(.join(ada, try name("Ada")), at: 0)
    evening.handle(.join(bob, try name("Bob")), at: 0)
    try evening.solve(ada, at: 20)
    #expect(evening.record == nil)
    try evening.solve(bob, at: 55)
    #expect(evening.record?.rounds == 1)
    evening.handle(.timePassed, at: 65)
    try evening.solve(bob, at: 65)
    evening.handle(.leave(bob), at: 70)
    // Too late for this round.
    evening.handle(.join(cy, try name("Cy")), at: 160)
    evening.handle(.act(ada, round: 2, .giveUp), at: 161)
    return evening
  }

  @Test func `a player who leaves a match before its end has no score`() throws {
    let evening = try self.evening(rounds: 2)
    let record = try #require(evening.record)
    #expect(record.began == WallTime(milliseconds: 5))
    #expect(record.ended == WallTime(milliseconds: 161))
    #expect(record.rounds == 2)
    #expect(record.scores == [.init(player: ada, name: "Ada", points: 18, rounds: 2, solved: 1, best: .seconds(20))])
  }

  @Test func `in a room without a last round, the rounds count that a player stayed in to the end`() throws {
    let evening = try self.evening(rounds: nil)
    let record = try #require(evening.record)
    #expect(
      record.scores == [
        .init(player: ada, name: "Ada", points: 18, rounds: 2, solved: 1, best: .seconds(20)),
        .init(player: bob, name: "Bob", points: 14, rounds: 1, solved: 1, best: .seconds(55)),
      ])
    // After a restart the host continues the record.
    var resumed = MatchTally(resuming: record, hasEnd: false)
    let hand = try #require(evening.hand)
    let third = Match.RoundResult(
      number: 3, hand: hand, solution: try #require(Solver.firstSolution(of: hand)),
      standings: [Standing(player: Player(id: ada, name: try name("Ada")), status: .gaveUp, points: 18)], pause: nil)
    let fourth = resumed.ended(third, at: WallTime(milliseconds: 300))
    let again = try #require(fourth)
    #expect(again.rounds == 3)
    #expect(again.scores.map(\.rounds) == [3, 1])
    #expect(again.scores.map(\.solved) == [1, 1])
  }

  @Test func `puppets that solve a hand and leave have no score`() throws {
    for rounds in [nil, 3] {
      var evening = Evening(Match.Rules(rounds: rounds, maximumPlayers: 16))
      evening.handle(.join(ada, try name("Ada")), at: 0)
      for number in 100..<4_517 {
        let puppet = PlayerID(rawValue: number)
        evening.handle(.join(puppet, try name("Puppet")), at: 1)
        try evening.solve(puppet, at: 1)
        evening.handle(.leave(puppet), at: 1)
      }
      try evening.solve(ada, at: 10)
      #expect(evening.record?.scores.map(\.name) == ["Ada"])
    }
    // Nor is there a match without any player who stayed.
    var alone = Evening(Match.Rules(rounds: 3, minimumPlayers: 2))
    for player in [ada, bob] { alone.handle(.join(player, try name("Puppet")), at: 0) }
    for player in [ada, bob] {
      try alone.solve(player, at: 1)
      alone.handle(.leave(player), at: 1)
    }
    #expect(alone.match.players.isEmpty)
    let last = alone.tally.closed()
    #expect(last?.scores == [])
  }

  @Test func `a match has no more scores than players can play in it, the best`() throws {
    var tally = MatchTally(id: "id", room: "room", hasEnd: false, at: WallTime(milliseconds: 5))
    let hand = try Hand([8, 9, 2, 5])
    let solution = try #require(Solver.firstSolution(of: hand))
    var record: MatchRecord?
    for number in 1...500 {
      let player = Player(id: PlayerID(rawValue: number), name: try name("Puppet"))
      let result = Match.RoundResult(
        number: number, hand: hand, solution: solution,
        standings: [Standing(player: player, status: .gaveUp, points: number % 250)], pause: nil)
      record = tally.ended(result, at: WallTime(milliseconds: number))
    }
    #expect(record?.scores.count == 128)
    #expect(record?.scores.last?.player.rawValue == 500)
    #expect(record?.scores.dropLast().map(\.points).min() == 186)
  }

  @Test func `a match that everyone has left between two rounds has no scores`() throws {
    var evening = Evening(Match.Rules(rounds: 3, minimumPlayers: 2))
    for player in [ada, bob] { evening.handle(.join(player, try name("P")), at: 0) }
    for player in [ada, bob] { try evening.solve(player, at: 1) }
    #expect(evening.record?.scores.count == 2)
    for player in [ada, bob] { evening.handle(.leave(player), at: 2) }
    let last = evening.tally.closed()
    #expect(last?.scores == [])
  }
}
