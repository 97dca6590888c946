import Foundation
import Testing
import TwentyFour

/// Rounds with more time, and without a limit.
struct TimeTests {
  private let ada = TestMatch.ada
  private let bob = TestMatch.bob

  @Test(arguments: [(TimeAllowance.usual, 100.0), (.half, 150), (.double, 200)])
  func `a round lasts as long as the factor says, and points are counted by it`(time: TimeAllowance, length: Double) throws {
    let length = Duration.seconds(length)
    var room = TestMatch(Match.Rules(time: time))
    #expect(room.match.rules.roundDuration == length && room.match.rules.time == time)
    let deal = try #require(try room.join(ada, "Ada").deal)
    #expect(deal.remaining == length && deal.isLimited)
    #expect(room.match.nextDeadline == room.now + length + .seconds(2))
    // Whoever comes later plays if more than the fifth part is left.
    #expect(try room.join(bob, "Bob", after: length * 4 / 5 - .seconds(1)).deal?.remaining == length / 5 + .seconds(1))
    #expect(try room.join(TestMatch.cy, "Cy", after: .seconds(1)).deal == nil)
    room = TestMatch(Match.Rules(time: time))
    try room.join(ada, "Ada")
    _ = try room.solve(ada, deal.hand, after: length / 2)
    #expect(room.points == ["Ada": 15])
  }

  @Test func `a round without a limit lasts until nobody is guessing`() throws {
    var room = TestMatch(Match.Rules(time: .unlimited))
    let deal = try #require(try room.join(ada, "Ada").deal)
    #expect(!deal.isLimited)
    try room.join(bob, "Bob", after: .seconds(50))
    // By the usual time, and never less than 10 points.
    _ = try room.solve(ada, deal.hand)
    #expect(room.points["Ada"] == 15)
    #expect(room.handle(.timePassed, after: .seconds(2_000)) == [])
    let late = try room.solve(bob, deal.hand)
    #expect(late.first == .solved(room.match.players[1], after: .seconds(2_050)))
    #expect(late.result != nil && room.points["Bob"] == 10)
    #expect(try room.passToDeadline().deal?.isLimited == false)
    room.handle(.act(ada, round: 2, .giveUp))
    #expect(room.handle(.act(bob, round: 2, .giveUp)).result != nil)
  }

  @Test func `somebody who sits there and does nothing holds up the others for an hour, and who is away for a minute`() throws {
    var room = TestMatch(Match.Rules(time: .unlimited))
    let deal = try #require(try room.join(ada, "Ada").deal)
    try room.join(bob, "Bob")
    _ = try room.solve(ada, deal.hand)
    #expect(room.match.nextDeadline == room.now + .seconds(3_602))
    room.handle(.lost(bob))
    #expect(room.handle(.back(bob), after: .seconds(59)).deal?.remaining == .seconds(3_541))
    room.handle(.lost(bob))
    #expect(try room.passToDeadline().result != nil)
    #expect(room.statuses == ["Ada": .solved(.zero)])

    var idle = TestMatch(Match.Rules(time: .unlimited))
    try idle.join(ada, "Ada")
    #expect(try idle.passToDeadline().result?.standings.map(\.status) == [.outOfTime])
    #expect(idle.now == .seconds(1000 + 3_602))
  }

  @Test(arguments: TimeAllowance.allCases)
  func `a round that is ended early is over for those who guess, and the next one begins`(time: TimeAllowance) throws {
    var room = TestMatch(Match.Rules(time: time, rounds: 2))
    let deal = try #require(try room.join(ada, "Ada").deal)
    try room.join(bob, "Bob")
    _ = try room.solve(ada, deal.hand, after: .seconds(1))
    let result = try #require(room.handle(.endRound).result)
    #expect(result.standings.map(\.status) == [.solved(.seconds(1)), .outOfTime])
    #expect(result.pause == .seconds(10))
    #expect(room.handle(.endRound) == [])
    #expect(try room.passToDeadline().deal?.number == 2)
    let last = room.handle(.endRound)
    #expect(last.result?.pause == nil && last.last == .over)
    #expect(room.handle(.endRound) == [])
  }

  @Test func `a match that was written down goes on with its time, and an earlier version's with the usual one`() throws {
    for time in TimeAllowance.allCases {
      var room = TestMatch(Match.Rules(time: time))
      try room.join(ada, "Ada")
      let json = try JSONEncoder().encode(room.match.snapshot(at: room.now + .seconds(70)))
      // What earlier versions do not know stands beside a length that is right for them.
      #expect(String(decoding: json, as: UTF8.self).contains("allowance") == (time != .usual))
      let snapshot = try JSONDecoder().decode(Match.Snapshot.self, from: json)
      let back = try Match(restoring: snapshot, generator: SeededGenerator(seed: 1), at: .zero)
      #expect(back.rules == room.match.rules)
      #expect(back.deal(at: .zero) == room.match.deal(at: room.now + .seconds(70)))
    }
  }

  @Test func `a round without a limit is no shorter than its usual time, and rules for other players are the same`() throws {
    let rules = Match.Rules(roundDuration: .seconds(7_200), time: .unlimited, rounds: 3, hintCost: 5, difficulty: .easy)
    var room = TestMatch(rules)
    #expect(try room.join(ada, "Ada").deal?.remaining == .seconds(7_200))
    let fewer = rules.with(players: 3...5)
    #expect(fewer.minimumPlayers == 3 && fewer.maximumPlayers == 5 && fewer.with(players: 1...16) == rules)
  }
}
