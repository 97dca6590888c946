import Rooms
import Testing
import TwentyFour

@testable import MatchServer

/// A server whose players have more time, or as much as they need.
struct ServerTimeTests {
  private static let unlimited = Match.Rules(
    time: .unlimited, pause: .seconds(2), rounds: 2, minimumPlayers: 2, maximumPlayers: 4)

  private func rounds(_ server: TestServer, of player: ConnectionID) -> Int {
    server.told(player).count { if case .roundEnded = $0 { true } else { false } }
  }

  @Test func `the server says how much time there is`() throws {
    for time in TimeAllowance.allCases {
      let server = TestServer(Match.Rules(time: time, minimumPlayers: 2))
      #expect(server.machine.advertisement.pairs["time"] == (time == .usual ? nil : time.rawValue))
      #expect(try RoomAdvertisement(pairs: server.machine.advertisement.pairs).time == time)
    }
  }

  @Test func `an administrator ends a round that goes on for ever, and only a running one`() throws {
    var server = TestServer(Self.unlimited)
    let match = MatchNumber(rawValue: 1)
    let ada = server.enter("Ada")
    #expect(server.machine.flaw(of: .next, in: match) == .noRound)
    let bob = server.enter("Bob")
    #expect(server.deal(ada)?.isLimited == false)
    try server.solve(ada)
    server.pass(.seconds(3_000))
    #expect(rounds(server, of: ada) == 0)
    #expect(server.machine.flaw(of: .next, in: match) == nil)
    server.handle(.command(.rule(.next, in: match)))
    #expect(rounds(server, of: bob) == 1)
    #expect(server.machine.flaw(of: .next, in: match) == .noRound)
    server.pass(.seconds(2))
    #expect(server.deal(bob)?.number == 2)
  }

  @Test func `players who are away or idle do not hold up a match for ever`() throws {
    var server = TestServer(Self.unlimited)
    let ada = server.enter("Ada")
    let bob = server.enter("Bob")
    server.guess(bob)
    try server.solve(ada)
    server.lose(bob)
    server.pass(.seconds(60))
    #expect(rounds(server, of: ada) == 1)
    let cy = server.enter("Cy")
    server.pass(.seconds(2))
    #expect(server.deal(cy)?.number == 2)
    try server.solve(ada)
    // Cy's program is there, and nobody looks at it.
    server.pass(.seconds(3_601))
    #expect(rounds(server, of: ada) == 1)
    server.pass(.seconds(1))
    #expect(rounds(server, of: ada) == 2 && server.reason(ada) == .finished)
  }

  @Test func `another server of the group goes on with a round without a limit, and its clock`() throws {
    var member = TestMember(rules: Self.unlimited)
    let players = member.begin("Ada", "Bob")
    member.pass(.seconds(100))
    let orphan = try #require(member.orphans.first)
    var other = TestMember(rules: Match.Rules(rounds: 9, minimumPlayers: 2))
    other.handle(.orphaned(orphan.room, orphan.match))
    other.handle(.owned(orphan.room, stored: 0))
    other.pass(.seconds(3))
    let seatProof = try #require(member.server.welcome(players[0])?.seatProof)
    let ada = other.server.enter("Ada", seat: seatProof)
    #expect(other.server.welcome(ada)?.rules.time == .unlimited)
    let deal = try #require(other.server.deal(ada))
    #expect(!deal.isLimited && deal.remaining > .seconds(3_490) && deal.remaining < .seconds(3_510))
    try other.server.solve(ada)
    #expect((other.server.points(ada) ?? 0) == 10)
  }
}
