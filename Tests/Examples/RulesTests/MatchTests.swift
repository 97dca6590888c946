import Testing
import TwentyFour

struct MatchTests {
  private let ada = TestMatch.ada
  private let bob = TestMatch.bob
  private let cy = TestMatch.cy

  @Test func `starts with the first player and lasts its time and the grace`() throws {
    var room = TestMatch()
    #expect(room.match.nextDeadline == nil)
    let effects = try room.join(ada, "Ada")
    let deal = try #require(effects.deal)
    #expect(deal.number == 1)
    #expect(deal.remaining == .seconds(100))
    #expect(
      effects == [
        .joined(Player(id: ada, name: try PlayerName("Ada"))), .roundStarted(deal), .standings(room.match.standings),
      ])
    #expect(room.match.nextDeadline == room.now + .seconds(102))
    #expect(room.handle(.timePassed, after: .milliseconds(101_999)) == [])
    let result = try #require(room.handle(.timePassed, after: .milliseconds(1)).result)
    #expect(result.number == 1)
    #expect(result.hand == deal.hand)
    #expect(result.pause == .seconds(10))
    #expect(result.standings.map(\.status) == [.outOfTime])
    #expect(try Answer(result.solution, to: deal.hand).expression == result.solution)
    #expect(room.match.nextDeadline == room.now + .seconds(10))
    #expect(try room.passToDeadline().deal?.number == 2)
    #expect(room.statuses == ["Ada": .guessing])
  }

  @Test func `ends at once when no player is guessing`() throws {
    var room = TestMatch()
    try room.join(ada, "Ada")
    let hand = try #require(try room.join(bob, "Bob").deal).hand
    let solved = try room.solve(ada, hand, after: .seconds(12.34))
    #expect(solved.first == .solved(room.match.players[0], after: .seconds(12.34)))
    #expect(solved.result == nil)
    let ended = room.handle(.act(bob, round: 1, .giveUp), after: .seconds(2))
    #expect(ended.result?.standings.map(\.status) == [.solved(.seconds(12.34)), .gaveUp])
    #expect(room.match.nextDeadline == room.now + .seconds(10))
  }

  @Test func `refuses wrong answers with the reason and lets the player go on`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    #expect(
      room.handle(.act(ada, round: 1, .answer("1+"))) == [
        .refused(ada, .wrong(.syntax(SyntaxError(reason: .missingNumber, column: 3))))
      ])
    #expect(room.statuses == ["Ada": .guessing])
    #expect(room.handle(.act(ada, round: 0, .answer("1+"))) == [.refused(ada, .noSuchRound)])
    #expect(try room.solve(ada, hand).result != nil)
    #expect(room.handle(.act(ada, round: 1, .answer("1+"))) == [.refused(ada, .noSuchRound)])
  }

  @Test func `a player cannot answer twice, nor after giving up`() throws {
    var room = TestMatch()
    try room.join(cy, "Cy")
    try room.join(ada, "Ada")
    let hand = try #require(try room.join(bob, "Bob").deal).hand
    _ = try room.solve(ada, hand)
    #expect(try room.solve(ada, hand) == [.refused(ada, .alreadySolved)])
    #expect(room.handle(.act(ada, round: 1, .giveUp)) == [])
    room.handle(.act(bob, round: 1, .giveUp))
    #expect(try room.solve(bob, hand) == [.refused(bob, .gaveUp)])
    #expect(room.handle(.act(cy, round: 2, .giveUp)) == [])
    #expect(room.points == ["Ada": 20, "Bob": 0, "Cy": 0])
    for refusal in [Match.Refusal.alreadySolved, .gaveUp, .noSuchRound, .waiting, .wrong(.wrongValue(Rational(1)))] {
      #expect(refusal.description.hasSuffix("."))
    }
  }

  @Test func `a player who joins while more than 20 seconds remain plays with the remaining time`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    let effects = try room.join(bob, "Bob", after: .seconds(79))
    #expect(effects.contains(.dealt(Match.Deal(number: 1, hand: hand, remaining: .seconds(21)), to: bob)))
    #expect(room.statuses["Bob"] == .joinedAndGuessing)
    let late = try room.join(cy, "Cy", after: .seconds(1))
    #expect(late == [.joined(room.match.players[2]), .standings(room.match.standings)])
    #expect(room.statuses["Cy"] == .waiting)
    #expect(try room.solve(cy, hand) == [.refused(cy, .waiting)])
    // The time counts from the start of the round, not from the coming.
    #expect(try room.solve(bob, hand).first == .solved(room.match.players[1], after: .seconds(80)))
    // A player who waits does not keep the round going.
    #expect(room.handle(.act(ada, round: 1, .giveUp)).result != nil)
    #expect(try room.passToDeadline().deal?.number == 2)
    #expect(room.statuses["Cy"] == .guessing)
  }

  @Test func `an answer within the grace counts as given at the last moment`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    #expect(try room.solve(ada, hand, after: .seconds(101)).first == .solved(room.match.players[0], after: .seconds(100)))
    #expect(room.points == ["Ada": 10])
  }

  @Test func `an answer that comes when the round is due to end is too late`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    let effects = try room.solve(ada, hand, after: .seconds(102))
    #expect(effects.result?.standings.map(\.status) == [.outOfTime])
    #expect(effects.last == .refused(ada, .noSuchRound))
  }

  @Test(arguments: [
    (0.0, 20), (0.001, 19), (10, 19), (10.001, 18), (49.9, 15), (50, 15), (90, 11), (90.001, 10), (100, 10), (101, 10),
  ])
  func `points reward speed`(seconds: Double, points: Int) throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    _ = try room.solve(ada, hand, after: .milliseconds(Int(seconds * 1000)))
    #expect(room.points == ["Ada": points])
  }

  @Test func `points add up over rounds`() throws {
    var room = TestMatch()
    var hand = try #require(try room.join(ada, "Ada").deal).hand
    for round in 1...5 {
      _ = try room.solve(ada, hand, after: .seconds(50))
      #expect(room.points == ["Ada": 15 * round])
      hand = try #require(try room.passToDeadline().deal).hand
    }
  }

  @Test func `lists solvers first, the fastest first, then the others by name`() throws {
    var room = TestMatch()
    let names = ["zoe", "Bob", "anna", "Ada", "Yan", "cy"]
    var deal: Match.Deal?
    for (index, name) in names.enumerated() {
      deal = try room.join(PlayerID(rawValue: index), name).deal ?? deal
    }
    let hand = try #require(deal).hand
    _ = try room.solve(PlayerID(rawValue: 4), hand, after: .seconds(3))
    _ = try room.solve(PlayerID(rawValue: 0), hand, after: .seconds(4))
    room.handle(.act(PlayerID(rawValue: 2), round: 1, .giveUp))
    #expect(room.match.standings.map(\.player.name.text) == ["Yan", "zoe", "Ada", "anna", "Bob", "cy"])
    #expect(room.match.standings.map(\.time) == [.seconds(3), .seconds(7), nil, nil, nil, nil])
  }

  @Test func `numbers players of the same name`() throws {
    var room = TestMatch()
    try room.join(ada, "Bob")
    try room.join(bob, "Bob")
    try room.join(cy, "bob")
    #expect(room.match.players.map(\.name.text) == ["Bob", "Bob 2", "bob 3"])
    room.handle(.leave(bob))
    try room.join(PlayerID(rawValue: 4), "Bob")
    #expect(room.match.players.map(\.name.text) == ["Bob", "bob 3", "Bob 2"])
  }

  @Test func `has room for so many and no more`() throws {
    var room = TestMatch(Match.Rules(maximumPlayers: 2))
    try room.join(ada, "Ada")
    try room.join(bob, "Bob")
    #expect(try room.join(cy, "Cy") == [.joinRefused(cy, .full(maximum: 2))])
    #expect(room.match.players.count == 2)
    room.handle(.leave(bob))
    try room.join(cy, "Cy")
    #expect(room.match.players.map(\.id) == [ada, cy])
    #expect(Match.JoinRefusal.full(maximum: 2).description.contains("2"))
  }

  @Test func `a round ends when the last guesser leaves, and none starts without players`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    try room.join(bob, "Bob")
    _ = try room.solve(ada, hand)
    let player = room.match.players[1]
    let effects = room.handle(.leave(bob))
    #expect(effects.first == .left(player))
    #expect(effects.result?.standings.map(\.player.id) == [ada])
    #expect(room.handle(.leave(ada)).result == nil)
    #expect(try room.passToDeadline() == [])
    #expect(room.match.nextDeadline == nil)
    #expect(room.handle(.timePassed, after: .seconds(1000)) == [])
    #expect(try room.join(bob, "Bob").deal?.number == 2)
  }

  @Test func `the only player's leaving ends the round`() throws {
    var room = TestMatch()
    try room.join(ada, "Ada")
    #expect(room.handle(.leave(ada)).result?.standings == [])
    #expect(room.handle(.leave(ada)) == [])
  }

  @Test func `waits for as many players as are needed`() throws {
    var room = TestMatch(Match.Rules(minimumPlayers: 2))
    #expect(try room.join(ada, "Ada").deal == nil)
    #expect(room.statuses == ["Ada": .waiting])
    #expect(!room.match.isPlaying)
    #expect(try room.join(bob, "Bob").deal?.number == 1)
    room.handle(.leave(bob))
    #expect(room.handle(.act(ada, round: 1, .giveUp)).result != nil)
    #expect(try room.passToDeadline() == [])
    #expect(try room.join(cy, "Cy").deal?.number == 2)
    #expect(room.statuses == ["Ada": .guessing, "Cy": .guessing])
  }

  @Test func `the first round waits for company, and not for ever`() throws {
    var room = TestMatch(Match.Rules(pause: .seconds(2), gathering: .seconds(10)))
    #expect(try room.join(ada, "Ada").deal == nil)
    #expect(room.match.nextDeadline == .seconds(1010))
    #expect(try room.passToDeadline().deal?.number == 1)
    // Later rounds follow the pause alone.
    room.handle(.act(ada, round: 1, .giveUp))
    #expect(room.match.nextDeadline == .seconds(1012))
  }

  @Test func `with company the first round starts after a pause`() throws {
    var room = TestMatch(Match.Rules(pause: .seconds(2), gathering: .seconds(10)))
    try room.join(ada, "Ada")
    #expect(room.handle(.timePassed, after: .seconds(3)) == [])
    #expect(try room.join(bob, "Bob").deal == nil)
    #expect(room.match.nextDeadline == .seconds(1005))
    #expect(room.handle(.timePassed, after: .seconds(1)) == [])
    #expect(try room.join(cy, "Cy").deal == nil)
    #expect(room.match.nextDeadline == .seconds(1005))
    #expect(try room.passToDeadline().deal?.number == 1)
    #expect(room.statuses == ["Ada": .guessing, "Bob": .guessing, "Cy": .guessing])
  }

  @Test func `company that comes late does not put the first round off`() throws {
    var room = TestMatch(Match.Rules(pause: .seconds(10), gathering: .seconds(10)))
    try room.join(ada, "Ada")
    #expect(room.handle(.timePassed, after: .seconds(9)) == [])
    try room.join(bob, "Bob")
    #expect(room.match.nextDeadline == .seconds(1010))
  }

  @Test func `is over after the agreed number of rounds`() throws {
    var room = TestMatch(Match.Rules(pause: .zero, rounds: 2))
    try room.join(ada, "Ada")
    let first = room.handle(.act(ada, round: 1, .giveUp))
    #expect(first.result?.pause == .zero)
    #expect(try room.passToDeadline().deal?.number == 2)
    let last = room.handle(.act(ada, round: 2, .giveUp))
    #expect(last.last == .over)
    #expect(try #require(last.result).pause == nil)
    #expect(room.match.isOver)
    #expect(room.match.nextDeadline == nil)
    #expect(room.handle(.timePassed, after: .seconds(1000)) == [])
    #expect(try room.join(bob, "Bob") == [.joinRefused(bob, .over)])
  }

  @Test func `nothing follows after it was closed`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    #expect(room.handle(.close) == [.over])
    #expect(try room.solve(ada, hand) == [])
    #expect(room.handle(.act(ada, round: 1, .giveUp)) == [])
    #expect(room.handle(.leave(ada)) == [])
    #expect(room.handle(.close) == [])
    #expect(room.match.nextDeadline == nil)
  }

  @Test func `deals the same for the same seed`() throws {
    var hands: [[Hand]] = []
    for seed in [1, 1, 2] as [UInt64] {
      var room = TestMatch(seed: seed)
      var dealt = [try #require(try room.join(ada, "Ada").deal).hand]
      for round in 1...3 {
        room.handle(.act(ada, round: round, .giveUp))
        dealt.append(try #require(try room.passToDeadline().deal).hand)
      }
      hands.append(dealt)
    }
    #expect(hands[0] == hands[1])
    #expect(hands[0] != hands[2])
  }

  @Test func `solvers of the same time are listed by name`() throws {
    var room = TestMatch()
    var deal = try room.join(TestMatch.ada, "zoe").deal
    deal = try room.join(TestMatch.bob, "Ada").deal ?? deal
    _ = try room.join(TestMatch.cy, "cy")
    let hand = try #require(deal).hand
    _ = try room.solve(TestMatch.ada, hand, after: .seconds(3))
    _ = try room.solve(TestMatch.bob, hand)
    #expect(room.match.standings.map(\.player.name.text) == ["Ada", "zoe", "cy"])
  }
}
