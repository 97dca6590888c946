import Testing
import TwentyFour

/// Players whose connection breaks, and who come back or do not.
struct AwayTests {
  private let ada = TestMatch.ada
  private let bob = TestMatch.bob
  private let cy = TestMatch.cy

  /// Ada and Bob in their first round.
  private func playing(_ rules: Match.Rules = Match.Rules()) throws -> (room: TestMatch, hand: Hand) {
    var room = TestMatch(rules)
    let first = try room.join(ada, "Ada").deal
    let hand = try #require(try room.join(bob, "Bob").deal ?? first).hand
    return (room, hand)
  }

  @Test func `a player who comes back has their points and their round`() throws {
    var (room, hand) = try playing()
    _ = try room.solve(bob, hand, after: .seconds(50))
    room.handle(.act(ada, round: 1, .giveUp))
    hand = try #require(try room.passToDeadline().deal).hand
    let player = room.match.players[1]
    #expect(room.handle(.lost(bob), after: .seconds(10)) == [.away(player), .standings(room.match.standings)])
    #expect(room.match.standings.map(\.isAway) == [false, true])
    let effects = room.handle(.back(bob), after: .seconds(40))
    #expect(
      effects == [
        .back(player), .dealt(Match.Deal(number: 2, hand: hand, remaining: .seconds(50)), to: bob),
        .standings(room.match.standings),
      ])
    #expect(try room.solve(bob, hand).first == .solved(player, after: .seconds(50)))
    #expect(room.points == ["Ada": 0, "Bob": 30])
  }

  @Test func `the seat is kept for a minute`() throws {
    var (room, _) = try playing()
    room.handle(.lost(bob))
    #expect(room.match.nextDeadline == room.now + .seconds(60))
    #expect(room.handle(.timePassed, after: .milliseconds(59_999)) == [])
    let player = room.match.players[1]
    let effects = room.handle(.timePassed, after: .milliseconds(1))
    #expect(effects == [.left(player), .standings(room.match.standings)])
    #expect(room.match.players.map(\.id) == [ada])
    #expect(room.handle(.back(bob)) == [])
  }

  @Test func `a round waits for players who are away`() throws {
    var (room, hand) = try playing()
    room.handle(.lost(bob), after: .seconds(60))
    // Not decided, and not by being lost.
    #expect(try room.solve(ada, hand).result == nil)
    // The round's own end comes before that of the seat.
    let result = try #require(try room.passToDeadline().result)
    #expect(result.standings.map(\.status) == [.solved(.seconds(60)), .outOfTime])
    #expect(result.standings.map(\.isAway) == [false, true])
    #expect(room.match.players.count == 2)
  }

  @Test func `a round ends with the seat of the last guesser`() throws {
    var (room, hand) = try playing()
    room.handle(.lost(bob), after: .seconds(10))
    _ = try room.solve(ada, hand, after: .seconds(10))
    let effects = try room.passToDeadline()
    #expect(room.now == .seconds(1070))
    #expect(effects.result?.standings.map(\.player.id) == [ada])
    #expect(room.match.nextDeadline == .seconds(1080))
  }

  @Test func `a player who is away when a round starts does not hold it up, and plays it when back in time`() throws {
    var (room, hand) = try playing(Match.Rules(returnLimit: .seconds(200)))
    room.handle(.lost(bob))
    room.handle(.act(ada, round: 1, .giveUp))
    _ = try room.passToDeadline()
    hand = try #require(try room.passToDeadline().deal).hand
    #expect(room.statuses == ["Ada": .guessing, "Bob": .waiting])
    // 20 seconds or less are too few, as for anyone who comes late.
    var late = room
    #expect(late.handle(.back(bob), after: .seconds(80)).deal == nil)
    #expect(late.statuses["Bob"] == .waiting)
    #expect(room.handle(.back(bob), after: .seconds(79)).deal == Match.Deal(number: 2, hand: hand, remaining: .seconds(21)))
    #expect(room.statuses["Bob"] == .joinedAndGuessing)
    // Nobody waits for one who is not guessing.
    room.handle(.act(bob, round: 2, .giveUp))
    room.handle(.lost(bob))
    #expect(room.handle(.act(ada, round: 2, .giveUp)).result != nil)
  }

  @Test func `a player who solved or gave up before is not dealt to again`() throws {
    var (room, hand) = try playing()
    _ = try room.solve(bob, hand)
    room.handle(.lost(bob))
    #expect(room.handle(.back(bob)) == [.back(room.match.players[1]), .standings(room.match.standings)])
    #expect(try room.solve(bob, hand) == [.refused(bob, .alreadySolved)])
  }

  @Test func `in the grace nothing is left, and an answer still counts`() throws {
    var (room, hand) = try playing()
    room.handle(.lost(bob), after: .seconds(90))
    #expect(room.handle(.back(bob), after: .seconds(11)).deal?.remaining == .zero)
    #expect(try room.solve(bob, hand).first == .solved(room.match.players[1], after: .seconds(100)))
  }

  @Test func `no round starts while all are away, and the first player back starts it`() throws {
    var (room, _) = try playing(Match.Rules(returnLimit: .seconds(300)))
    for id in [ada, bob] { room.handle(.lost(id)) }
    #expect(room.match.missingPlayers == 1)
    #expect(try room.passToDeadline().result != nil)
    #expect(try room.passToDeadline() == [])
    #expect(!room.match.isPlaying)
    #expect(room.match.nextDeadline == .seconds(1300))
    #expect(room.handle(.back(ada)).deal?.number == 2)
    #expect(room.statuses == ["Ada": .guessing, "Bob": .waiting])
    #expect(room.match.missingPlayers == 0)
  }

  @Test func `a player who is away takes a place, and counts among the needed players`() throws {
    var (room, _) = try playing(Match.Rules(minimumPlayers: 2, maximumPlayers: 2))
    room.handle(.lost(bob))
    #expect(room.match.missingPlayers == 0)
    #expect(try room.join(cy, "Cy") == [.joinRefused(cy, .full(maximum: 2))])
    room.handle(.leave(bob))
    #expect(room.match.missingPlayers == 1)
    #expect(try room.join(cy, "Cy").first == .joined(room.match.players[1]))
  }

  @Test func `to be lost again gives the whole time again, and to be back again means nothing`() throws {
    var (room, _) = try playing()
    room.handle(.lost(bob))
    #expect(room.handle(.lost(bob), after: .seconds(30)) == [])
    #expect(room.match.nextDeadline == room.now + .seconds(60))
    room.handle(.back(bob))
    #expect(room.handle(.back(bob)) == [])
    #expect(room.handle(.lost(cy)) == [])
  }

  @Test func `a match that keeps no seats removes lost players`() throws {
    var (room, _) = try playing(Match.Rules(returnLimit: .zero))
    #expect(room.handle(.lost(bob)).first == .left(Player(id: bob, name: try PlayerName("Bob"))))
  }

  @Test func `no player is back, or gone, after the end`() throws {
    var (room, _) = try playing()
    room.handle(.lost(bob))
    room.handle(.close)
    #expect(room.match.nextDeadline == nil)
    #expect(room.handle(.back(bob)) == [])
    #expect(room.handle(.lost(ada)) == [])
    #expect(room.handle(.timePassed, after: .seconds(100)) == [])
  }

  @Test func `the first round gathers the players who are back`() throws {
    var room = TestMatch(Match.Rules(pause: .seconds(2), gathering: .seconds(10)))
    try room.join(ada, "Ada")
    room.handle(.lost(ada))
    #expect(try room.passToDeadline() == [])
    #expect(room.handle(.back(ada), after: .seconds(5)).deal == nil)
    #expect(room.match.nextDeadline == room.now + .seconds(10))
    #expect(try room.passToDeadline().deal?.number == 1)
  }

  @Test func `whoever has been away longest is known`() throws {
    var (room, _) = try playing()
    #expect(room.match.longestAway == nil && room.match.awayCount == 0)
    room.handle(.lost(bob))
    room.handle(.lost(ada), after: .seconds(1))
    #expect(room.match.longestAway == bob && room.match.awayCount == 2)
    // The time begins again.
    room.handle(.lost(bob), after: .seconds(1))
    #expect(room.match.longestAway == ada)
    room.handle(.back(ada))
    #expect(room.match.longestAway == bob && room.match.awayCount == 1)
  }

  @Test func `the last result is known between rounds, and of those who have a seat`() throws {
    var (room, hand) = try playing(Match.Rules(rounds: 2))
    #expect(TestMatch().match.lastResult == nil && room.match.lastResult == nil)
    _ = try room.solve(ada, hand, after: .seconds(10))
    let ended = room.handle(.act(bob, round: 1, .giveUp)).result
    let last = try #require(room.match.lastResult)
    #expect(last.number == 1 && last.hand.sorted == hand.sorted && last.solution == ended?.solution)
    #expect(last.standings == ended?.standings && last.pause == .seconds(10) && ended?.pause == .seconds(10))
    room.handle(.leave(bob))
    #expect(room.match.lastResult?.standings.map(\.player.id) == [ada])
    _ = try room.passToDeadline()
    #expect(room.match.lastResult == nil)
    room.handle(.act(ada, round: 2, .giveUp))
    #expect(room.match.lastResult?.number == 2 && room.match.lastResult?.pause == nil)
  }
}
