import Testing
import TwentyFour

/// A first round that waits for a second player, or for whoever hosts the match.
struct CompanyTests {
  private let ada = TestMatch.ada
  private let bob = TestMatch.bob

  private func waiting(_ rules: Match.Rules = Match.Rules(pause: .seconds(2), gathering: .seconds(10))) throws -> TestMatch {
    var room = TestMatch(rules)
    room.match.waitsForCompany = true
    #expect(try room.join(ada, "Ada").deal == nil)
    #expect(room.match.missingPlayers == 1 && room.match.nextDeadline == nil)
    return room
  }

  @Test func `nothing begins while one player is alone`() throws {
    var room = try waiting()
    #expect(room.handle(.timePassed, after: .seconds(3_600)) == [] && room.match.isBeforeFirstRound)
    #expect(try room.join(bob, "Bob").deal == nil)
    #expect(room.match.missingPlayers == 0)
    #expect(try room.passToDeadline().deal?.number == 1)
    #expect(!room.match.isBeforeFirstRound)
  }

  @Test func `whoever hosts it can begin alone`() throws {
    var room = try waiting()
    #expect(room.handle(.start).deal?.number == 1)
    #expect(room.handle(.start) == [])
    // With company it need not wait for more.
    var other = try waiting()
    try other.join(bob, "Bob")
    #expect(other.handle(.start).deal?.number == 1)
  }

  @Test func `company that leaves before the first round is waited for again`() throws {
    var room = try waiting()
    try room.join(bob, "Bob")
    room.handle(.leave(bob))
    #expect(room.match.missingPlayers == 1)
    #expect(try room.passToDeadline() == [] && room.match.nextDeadline == nil)
    try room.join(bob, "Bob")
    #expect(try room.passToDeadline().deal?.number == 1)
    // Later rounds do not wait.
    room.handle(.leave(bob))
    room.handle(.act(ada, round: 1, .giveUp))
    #expect(room.match.missingPlayers == 0)
    #expect(try room.passToDeadline().deal?.number == 2)
  }

  @Test func `another match does not wait`() throws {
    var room = try waiting(Match.Rules(pause: .seconds(2), gathering: .seconds(10), rounds: 1))
    room.match.staysOpen = true
    room.handle(.start)
    room.handle(.act(ada, round: 1, .giveUp))
    room.handle(.again)
    #expect(try room.passToDeadline().deal?.number == 1)
  }

  @Test func `before anybody has come there is nothing to begin`() {
    var room = TestMatch()
    #expect(room.handle(.start) == [] && room.match.isBeforeFirstRound)
  }
}
