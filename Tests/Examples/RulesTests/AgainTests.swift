import Foundation
import Testing
import TwentyFour

/// The end of a match, and the next one.
struct AgainTests {
  private let ada = TestMatch.ada
  private let bob = TestMatch.bob

  /// Ada and Bob after the only round, which Ada solved.
  private func ended(_ rules: Match.Rules = Match.Rules(rounds: 1)) throws -> TestMatch {
    var room = TestMatch(rules)
    room.match.staysOpen = true
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    try room.join(bob, "Bob")
    _ = try room.solve(ada, hand, after: .seconds(10))
    let last = room.handle(.act(bob, round: 1, .giveUp))
    #expect(try #require(last.result).pause == nil)
    #expect(last.last == .ended)
    return room
  }

  @Test func `a match that stays open keeps its players and points after the last round`() throws {
    var room = try ended()
    #expect(room.match.hasEnded && !room.match.isOver && !room.match.isPlaying && room.match.nextDeadline == nil)
    #expect(room.points == ["Ada": 19, "Bob": 0])
    #expect(room.handle(.timePassed, after: .seconds(3600)) == [])
    #expect(room.handle(.act(bob, round: 1, .hint)) == [.refused(bob, .noSuchRound)])
    // People still come, go and lose their connections, and no round starts.
    #expect(try room.join(TestMatch.cy, "Cy").count == 2)
    #expect(room.handle(.lost(bob)).contains(.away(Player(id: bob, name: try PlayerName("Bob")))))
    #expect(try room.passToDeadline().contains(.left(Player(id: bob, name: try PlayerName("Bob")))))
    #expect(room.match.hasEnded && room.match.players.count == 2)
  }

  @Test func `another match begins with the same players, without points, after a pause`() throws {
    var room = try ended()
    #expect(room.handle(.again) == [.began, .standings(room.match.standings)])
    #expect(room.points == ["Ada": 0, "Bob": 0] && room.match.standings.allSatisfy { $0.best == nil && $0.hints == 0 })
    #expect(room.match.roundNumber == 0 && !room.match.hasEnded)
    #expect(room.match.nextDeadline == room.now + .seconds(10))
    let deal = try #require(try room.passToDeadline().deal)
    #expect(deal.number == 1)
    _ = try room.solve(bob, deal.hand)
    room.handle(.act(ada, round: 1, .giveUp))
    #expect(room.points == ["Ada": 0, "Bob": 20] && room.match.hasEnded)
    #expect(room.handle(.again).first == .began)
    #expect(room.handle(.again) == [])
  }

  @Test func `another match waits for those who are missing`() throws {
    var room = try ended(Match.Rules(rounds: 1, minimumPlayers: 1))
    for player in [ada, bob] { room.handle(.lost(player)) }
    #expect(room.handle(.again).first == .began)
    #expect(room.match.nextDeadline == room.now + .seconds(60))
    #expect(room.handle(.back(bob)).deal?.number == 1)
  }

  @Test func `a match without a number of rounds is ended in a round or after one, not before the first`() throws {
    for staysOpen in [true, false] {
      let last: Match.Effect = staysOpen ? .ended : .over
      var room = TestMatch(Match.Rules(gathering: .seconds(10)))
      room.match.staysOpen = staysOpen
      try room.join(ada, "Ada")
      #expect(room.handle(.end) == [] && room.match.nextDeadline != nil)
      _ = try room.passToDeadline()
      var after = room
      let effects = room.handle(.end)
      #expect(effects.result?.pause == nil && effects.result?.standings.first?.status == .outOfTime && effects.last == last)
      after.handle(.act(ada, round: 1, .giveUp))
      #expect(after.handle(.end) == [last])
      #expect(after.handle(.end) == [] && after.match.isOver != staysOpen)
    }
  }

  @Test func `a stored match that has ended waits for another one, or is over if none can begin`() throws {
    let snapshot = try JSONDecoder().decode(
      Match.Snapshot.self, from: JSONEncoder().encode(try ended().match.snapshot(at: .seconds(2_000))))
    for staysOpen in [true, false] {
      var match = try Match(restoring: snapshot, generator: SeededGenerator(seed: 1), at: .zero)
      match.staysOpen = staysOpen
      #expect(match.hasEnded)
      #expect(match.handle(.timePassed, at: .zero) == (staysOpen ? [] : [.over]))
      if staysOpen { #expect(match.handle(.again, at: .zero).first == .began) }
    }
  }
}
