import MatchServer
import Rooms
import Testing
import TwentyFour

/// Attacks on a server from one address, and what honest players still get.
struct FairShareTests {
  private let attacker = Origin(rawValue: "10.0.0.66")

  @Test func `one address cannot open all matches`() {
    var server = TestServer(matches: 100)
    let ids = (2...101).map { server.enter("Puppet", players: $0 % 3 + 2...$0 % 3 + 2, from: attacker) }
    for id in ids where !server.closed.contains(id) { server.guess(id) }
    #expect(server.machine.counts.players == 4)
    #expect(server.machine.counts.matches == 2)
    let (ada, bob) = (server.enter("Ada", players: 2...2), server.enter("Bob", players: 2...2))
    #expect([ada, bob].allSatisfy { server.welcome($0) != nil })
    #expect(server.machine.counts.refused["share"] ?? 0 > 0)
  }

  @Test func `an address with a match opens none of the last quarter`() {
    var server = TestServer(
      Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 2, maximumPlayers: 4), matches: 4,
      shares: ShareLimits(seats: 8, matches: 8))
    for size in [2, 3, 4] { server.enter("P", players: size...size, from: attacker) }
    server.enter("P", players: 2...2, from: attacker)
    let refused = server.enter("P", players: 2...2, from: attacker)
    #expect(server.reason(refused) == .share)
    let honest = server.enter("Ada", players: 2...2)
    #expect(server.reason(honest) == nil)
    #expect(server.machine.counts.matches == 4)
  }

  @Test func `seats and spectators of all matches count together, and are free again`() {
    var server = TestServer(matches: 10, shares: ShareLimits(seats: 2, matches: 8, joinsPerSecond: 100))
    let first = server.enter("Ada", players: 2...2, from: attacker)
    server.enter("Bob", players: 3...3, from: attacker)
    let refused = server.enter("Cy", players: 4...4, from: attacker)
    #expect(server.reason(refused) == .share)
    let spectators = (1...3).map { _ in server.enter("Eve", spectates: true, from: attacker) }
    #expect(spectators.map { server.reason($0) } == [nil, nil, .share])
    server.leave(first)
    let again = server.enter("Ada", players: 4...4, from: attacker)
    #expect(server.reason(again) == nil)
    // A match that is closed frees what it had.
    for match in server.machine.overview { server.handle(.command(.closeMatch(MatchNumber(rawValue: match.number)))) }
    let later = (1...3).map { _ in server.enter("Ada", from: attacker) }
    #expect(later.map { server.reason($0) } == [nil, nil, .share])
  }

  @Test func `joins and messages of an address are limited`() {
    var server = TestServer(matches: 100)
    for _ in 0..<20 {
      let id = server.enter("Puppet", from: attacker)
      if !server.closed.contains(id) { server.leave(id) }
    }
    #expect(server.machine.counts.refused["tooFast"] == 12)
    server.pass(.seconds(2))
    let flooder = server.enter("Flood", from: attacker)
    for _ in 0..<1_000 where !server.closed.contains(flooder) { server.handle(.received(flooder, .unknown(kind: "x"))) }
    #expect(server.reason(flooder) == .tooFast)
    let honest = server.enter("Ada")
    #expect(server.reason(honest) == nil)
  }

  @Test func `without limits one address may fill a server`() {
    var server = TestServer(matches: 3, shares: .none)
    for _ in 0..<12 { server.enter("Bot", from: attacker) }
    #expect(server.machine.counts.players == 12)
  }

  @Test func `whoever is banned comes into no match any more`() throws {
    var server = TestServer(matches: 5)
    let origin = Origin(rawValue: "10.0.0.2")
    let bad = server.enter("Ada", players: 2...2, from: origin)
    let number = try #require(server.welcome(bad)?.player?.id)
    let ban = HostRule.ban(number)
    server.handle(.command(.rule(ban, in: MatchNumber(rawValue: 1))))
    #expect(server.reason(bad) == .banned)
    for spectates in [true, false] {
      let id = server.enter("Other", players: 3...3, spectates: spectates, from: origin)
      #expect(server.reason(id) == .banned)
    }
    // Also after a restart.
    let snapshot = try #require(server.machine.snapshot(at: server.now))
    server.replace(
      try ServerMachine(
        restoring: snapshot, matchLimit: 5, rules: TestServer.rules, generator: SeededGenerator(seed: 1), at: server.now))
    server.handle(.open)
    let again = server.enter("Other", from: origin)
    #expect(server.reason(again) == .banned)
    server.handle(.command(.rule(.unban(number), in: MatchNumber(rawValue: 1))))
    let late = server.enter("Other", from: origin)
    #expect(server.reason(late) == nil)
  }

  @Test func `nobody new is put into a locked match`() {
    var server = TestServer(matches: 5)
    let ada = server.enter("Ada")
    server.handle(.command(.rule(.lock(true), in: MatchNumber(rawValue: 1))))
    let bob = server.enter("Bob")
    #expect(server.room(bob) != server.room(ada))
    #expect(server.machine.overview.map(\.isLocked) == [true, false])
  }

  @Test func `on a full server a new player gets the seat of a player who is away`() throws {
    var server = TestServer(matches: 1)
    let ids = (1...4).map { server.enter("Player \($0)") }
    let refused = server.enter("Late")
    #expect(server.reason(refused) == .full)
    server.guess(ids[2])
    server.lose(ids[2])
    let late = server.enter("Late")
    #expect(server.welcome(late)?.player != nil)
    #expect(server.machine.counts.players == 4)
    #expect(server.machine.counts.away == 0)
  }
}
