import Foundation
import Results
import TestSupport
import Testing
import TwentyFour

@Suite(.timeLimit(.minutes(1))) struct MatchRecorderTests {
  private let folder = try! TemporaryFolder()

  /// Plays a match and makes its records as a host does.
  private struct Evening {
    var match: Match
    var recorder: MatchRecorder
    var records: [RoundRecord] = []
    var hand: Hand?

    init(_ rules: Match.Rules) {
      match = Match(rules: rules, generator: SeededGenerator(seed: 24))
      recorder = MatchRecorder(id: "id", room: "room", rules: rules, at: WallTime(milliseconds: 5))
    }

    mutating func handle(_ event: Match.Event, at second: Int) {
      for effect in match.handle(event, at: .seconds(second)) {
        switch effect {
        case .roundStarted(let deal): hand = deal.hand
        case .left(let player): recorder.left(player)
        case .roundEnded(let result):
          if let record = recorder.ended(result, at: WallTime(milliseconds: second)) { records.append(record) }
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
    #expect(evening.records.isEmpty)
    try evening.solve(bob, at: 55)
    #expect(evening.records.count == 1)
    evening.handle(.timePassed, at: 65)
    try evening.solve(bob, at: 65)
    evening.handle(.leave(bob), at: 70)
    // Too late for this round.
    evening.handle(.join(cy, try name("Cy")), at: 160)
    evening.handle(.act(ada, round: 2, .giveUp), at: 161)
    return evening
  }

  /// What a host's results say of the match; nil for nothing.
  private func result(of evening: Evening) async throws -> MatchRecord? {
    let store = try await ResultStore.open(at: folder.file)
    for record in evening.records { store.record(record) }
    if let last = evening.recorder.closed() { store.record(last) }
    let matches = try await store.history(limit: 9)
    try await store.close()
    return matches.first
  }

  @Test func `a player who leaves a match before its end has no score`() async throws {
    let record = try #require(try await result(of: try evening(rounds: 2)))
    #expect(record.began == WallTime(milliseconds: 5))
    #expect(record.ended == WallTime(milliseconds: 161))
    #expect(record.rounds == 2)
    #expect(record.scores == [.init(player: ada, name: "Ada", points: 18, rounds: 2, solved: 1, best: .seconds(20))])
  }

  @Test func `in a room without a last round, the rounds count that a player stayed in to the end`() async throws {
    let record = try #require(try await result(of: try evening(rounds: nil)))
    #expect(
      record.scores == [
        .init(player: ada, name: "Ada", points: 18, rounds: 2, solved: 1, best: .seconds(20)),
        .init(player: bob, name: "Bob", points: 14, rounds: 1, solved: 1, best: .seconds(55)),
      ])
  }

  @Test func `a round has the points that it brought, at whatever server it began`() async throws {
    let rules = Match.Rules(rounds: 9, minimumPlayers: 2)
    var here = Evening(rules)
    here.handle(.join(ada, try name("Ada")), at: 0)
    here.handle(.join(bob, try name("Bob")), at: 0)
    try here.solve(ada, at: 20)
    try here.solve(bob, at: 55)
    here.handle(.timePassed, at: 65)
    here.handle(.act(bob, round: 2, .hint), at: 66)
    try here.solve(bob, at: 75)
    // Another server goes on in the middle of the round.
    var there = Evening(rules)
    there.match = try Match(
      restoring: here.match.snapshot(at: .seconds(76)), generator: SeededGenerator(seed: 1), at: .seconds(1_000))
    there.handle(.act(ada, round: 2, .giveUp), at: 1_001)
    #expect(here.records.map(\.number) == [1] && there.records.map(\.number) == [2])
    #expect(there.records.first?.scores.map(\.points) == [0, 17])
    #expect(there.records.first?.scores.map(\.best) == [nil, .seconds(10)])
    #expect(Set(there.match.standings.map(\.points)) == [18, 31])
  }

  @Test func `puppets that solve a hand and leave have no score`() async throws {
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
      #expect(evening.records.flatMap(\.scores).map(\.name) == ["Ada"])
    }
    // Nor is there a match without any player who stayed.
    var alone = Evening(Match.Rules(rounds: 3, minimumPlayers: 2))
    for player in [ada, bob] { alone.handle(.join(player, try name("Puppet")), at: 0) }
    for player in [ada, bob] {
      try alone.solve(player, at: 1)
      alone.handle(.leave(player), at: 1)
    }
    #expect(alone.match.players.isEmpty)
    #expect(try await result(of: alone) == nil)
  }

  @Test func `a match that everyone has left between two rounds has no scores`() async throws {
    var evening = Evening(Match.Rules(rounds: 3, minimumPlayers: 2))
    for player in [ada, bob] { evening.handle(.join(player, try name("P")), at: 0) }
    for player in [ada, bob] { try evening.solve(player, at: 1) }
    #expect(evening.records.first?.scores.count == 2)
    for player in [ada, bob] { evening.handle(.leave(player), at: 2) }
    #expect(evening.recorder.closed()?.scores == [])
    #expect(try await result(of: evening) == nil)
  }

  @Test func `a round ends no earlier than the one before, and its players are listed by their seats`() throws {
    var recorder = MatchRecorder(id: "id", room: "room", rules: Match.Rules(rounds: 3), at: WallTime(milliseconds: 500))
    let hand = Hand(.eight, .nine, .two, .five)
    let solution = try #require(Solver.firstSolution(of: hand))
    func result(_ number: Int, _ standings: [Standing]) -> Match.RoundResult {
      Match.RoundResult(number: number, hand: hand, solution: solution, standings: standings, pause: nil)
    }
    // Nobody has stayed.
    #expect(recorder.ended(result(1, []), at: WallTime(milliseconds: 600)) == nil)
    let standings = try [bob, ada].map {
      Standing(player: Player(id: $0, name: try name("P")), status: .guessing, points: 0)
    }
    let earlier = recorder.ended(result(1, standings), at: WallTime(milliseconds: 400))
    let first = try #require(earlier)
    #expect(first.began == WallTime(milliseconds: 500) && first.ended == WallTime(milliseconds: 500))
    #expect(first.scores.map(\.player) == [ada, bob] && first.scores.map(\.rounds) == [1, 1] && first.hasEnd)
    #expect(recorder.ended(result(2, standings), at: WallTime(milliseconds: 900))?.ended == WallTime(milliseconds: 900))
    // The clock was set back.
    let third = recorder.ended(result(3, []), at: WallTime(milliseconds: 700))
    #expect(third?.ended == WallTime(milliseconds: 900) && third?.scores == [])
    // A later round without anybody is one: earlier ones may be recorded elsewhere.
    var other = MatchRecorder(id: "id", room: "room", rules: Match.Rules(), at: WallTime(milliseconds: 500))
    let second = other.ended(result(2, []), at: WallTime(milliseconds: 600))
    #expect(second?.number == 2 && second?.hasEnd == false)
  }

  @Test func `times are on the calendar, and solutions to the millisecond`() async throws {
    #expect(abs(Double(WallTime.now.milliseconds) / 1_000 - Date.now.timeIntervalSince1970) < 60)
    let store = try await ResultStore.open(at: folder.file)
    store.record(
      RoundRecord(
        match: "id", room: "room", began: .now, hasEnd: true, number: 1, ended: .now,
        scores: [.init(player: ada, name: "Ada", rounds: 1, solved: 1, best: .microseconds(12_345_600))]))
    #expect(try await store.history(limit: 1).first?.scores.first?.best == .milliseconds(12_346))
    try await store.close()
  }
}
