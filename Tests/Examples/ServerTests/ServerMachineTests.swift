import MatchServer
import Rooms
import Testing
import TwentyFour

struct ServerMachineTests {
  @Test func `players wait, are told how many are missing, and start together`() throws {
    var server = TestServer(Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 3, maximumPlayers: 4))
    let ada = server.enter("Ada")
    #expect(server.told(ada).contains(.missing(2)))
    let bob = server.enter("Bob")
    #expect(server.told(ada).last == .missing(1))
    #expect(server.deal(ada) == nil)
    #expect(server.machine.counts.gathering == 1)
    let cy = server.enter("Cy")
    #expect(Set([ada, bob, cy].map { server.room($0) }).count == 1)
    #expect(Set([ada, bob, cy].map { server.deal($0) }).count == 1)
    #expect(server.deal(ada)?.remaining == .seconds(100))
    #expect(server.machine.counts.gathering == 0)
    #expect(server.audiences[server.room(ada)!] == [ada, bob, cy])
  }

  @Test func `matches are filled before others are opened, and a full server refuses`() {
    var server = TestServer(matches: 2)
    let first = (0..<4).map { server.enter("Player \($0)") }
    let second = (4..<8).map { server.enter("Player \($0)") }
    #expect(Set(first.map { server.room($0) }).count == 1)
    #expect(Set(second.map { server.room($0) }).count == 1)
    #expect(server.room(first[0]) != server.room(second[0]))
    #expect(server.machine.advertisement.hasRoom == false)
    let heard = server.inboxes
    let late = server.enter("Late")
    #expect(server.reason(late) == .full)
    #expect(server.closed == [late])
    // Nobody else has noticed anything.
    #expect(server.inboxes.filter { $0.key != late } == heard)
    #expect(server.machine.counts.refused == ["full": 1])
    server.leave(first[2])
    let applicant1 = server.enter("Later")
    #expect(server.room(applicant1) == server.room(first[0]))
  }

  @Test func `no player is put into a match after its last round has begun`() {
    var server = TestServer(Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 2, maximumPlayers: 4), matches: 2)
    let ada = server.enter("Ada")
    server.enter("Bob")
    #expect(server.deal(ada)?.number == 1)
    let cy = server.enter("Cy")
    #expect(server.room(cy) != server.room(ada))
  }

  @Test func `a wish for a number of players is kept`() {
    var server = TestServer(Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 2, maximumPlayers: 8), matches: 5)
    let pair = server.enter("Ada", players: 2...2)
    let crowd = server.enter("Bob", players: 4...8)
    let any = server.enter("Cy")
    #expect(Set([pair, crowd, any].map { server.room($0) }).count == 2)
    #expect(server.room(any) == server.room(crowd))
    let other = server.enter("Dan", players: 2...2)
    #expect(server.room(other) == server.room(pair))
    #expect(server.deal(pair) != nil)
    // Wider than the server allows.
    let applicant2 = server.enter("Eve", players: 1...128)
    #expect(server.room(applicant2) == server.room(crowd))
    let applicant3 = server.enter("Fay", players: 9...12)
    #expect(server.reason(applicant3) == .size)
    let applicant4 = server.enter("Gus", players: 1...1)
    #expect(server.reason(applicant4) == .size)
  }

  @Test func `a player who comes back with the secret continues, in play or while waiting`() throws {
    var server = TestServer()
    let ada = server.enter("Ada")
    let seatProof = try #require(server.welcome(ada)?.seatProof)
    let bob = server.enter("Bob")
    server.guess(ada)
    server.lose(ada)
    #expect(server.machine.counts.away == 1)
    let again = server.enter("Ada", seat: seatProof)
    #expect(server.welcome(again)?.player == server.welcome(ada)?.player)
    try server.solve(again)
    server.lose(again)
    #expect(server.told(bob).contains(.away(server.welcome(ada)!.player!)))
    server.pass(.seconds(40))
    let third = server.enter("Somebody", seat: server.welcome(again)?.seatProof)
    #expect(server.room(third) == server.room(bob))
    #expect(server.points(third) == 20)
    #expect(server.machine.counts.returns == 2)
    #expect(server.machine.counts.players == 2)
    // Another connection of the same player takes the place of the former.
    let fourth = server.enter("Ada", seat: server.welcome(third)?.seatProof)
    #expect(server.reason(third) == .takenOver)
    #expect(server.machine.counts.watchers == 0)
    // After the limit the seat is gone, and they are new.
    server.lose(fourth)
    server.pass(.seconds(61))
    #expect(server.machine.counts.players == 1)
    let fifth = server.enter("Ada", seat: server.welcome(fourth)?.seatProof)
    #expect(server.welcome(fifth)?.seatProof != seatProof)
  }

  @Test func `a match that is over frees its place and its tokens`() throws {
    var server = TestServer(Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 2, maximumPlayers: 2), matches: 1)
    let ada = server.enter("Ada")
    let bob = server.enter("Bob")
    let applicant5 = server.enter("Cy")
    #expect(server.reason(applicant5) == .full)
    try server.solve(ada)
    try server.solve(bob)
    #expect(server.reason(ada) == .finished)
    #expect(server.machine.counts.matches == 0)
    #expect(server.nextDeadline == nil)
    let seatProof = server.welcome(ada)?.seatProof
    let again = server.enter("Ada", seat: seatProof)
    #expect(server.room(again) != server.room(ada))
    #expect(server.machine.overview.map(\.number) == [2])
  }

  @Test func `a match that everyone has left is closed`() {
    var server = TestServer()
    let ada = server.enter("Ada")
    let bob = server.enter("Bob")
    server.guess(bob)
    server.lose(bob)
    let spectator = server.enter("Eve", spectates: true)
    server.leave(ada)
    #expect(server.machine.counts.matches == 1)
    server.pass(.seconds(60))
    #expect(server.machine.counts.matches == 0)
    #expect(server.reason(spectator) == .finished)
    guard case .closed(let reason)? = server.reports.last?.event else {
      Issue.record("the last report is that the match is closed")
      return
    }
    #expect(reason.text == "Everyone has left.")
  }

  @Test func `a spectator gets the match with most players, and takes no place`() {
    var server = TestServer()
    let applicant6 = server.enter("Eve", spectates: true)
    #expect(server.reason(applicant6) == .noMatch)
    let pair = server.enter("Ada", players: 2...2)
    server.enter("Bob", players: 2...2)
    let three = server.enter("Cy", players: 3...4)
    let applicant7 = server.enter("Eve", spectates: true)
    #expect(server.room(applicant7) == server.room(pair))
    server.enter("Dan", players: 3...4)
    server.enter("Fay", players: 3...4)
    let spectator = server.enter("Gus", spectates: true)
    #expect(server.room(spectator) == server.room(three))
    #expect(server.welcome(spectator)?.player == nil)
    #expect(server.deal(spectator) == server.deal(three))
    #expect(server.machine.counts.players == 5)
    #expect(server.machine.counts.watchers == 2)
    #expect(server.machine.overview.map(\.watchers) == [1, 1])
    server.leave(spectator)
    #expect(server.machine.counts.watchers == 1)
  }

  @Test(
    arguments: [
      (.hello(.init(version: 1, name: "Bob")), .version), (.hello(.init(name: "")), .name),
      (.act(round: 1, .answer("1")), .outOfOrder),
      (.event(.left(Player(id: .init(rawValue: 1), name: try! .init("x")))), .outOfOrder),
    ] as [(RoomMessage, RoomReason.Code)])
  func `no match is opened without a valid hello`(message: RoomMessage, code: RoomReason.Code) {
    var server = TestServer()
    let id = ConnectionID(rawValue: 77)
    server.handle(.connected(id))
    server.handle(.received(id, message))
    #expect(server.reason(id) == code)
    #expect(server.machine.counts.matchesOpened == 0)
    #expect(server.audiences == [:])
    // What still comes of it has no effect.
    server.handle(.received(id, message))
    server.handle(.malformed(id, RoomReason(.malformed, "")))
    server.handle(.disconnected(id))
  }

  @Test func `nonsense ends its own connection and no other`() {
    var server = TestServer()
    let applicant = ConnectionID(rawValue: 77)
    server.handle(.connected(applicant))
    server.handle(.received(applicant, .unknown(kind: "dance")))
    #expect(server.closed == [])
    server.handle(.malformed(applicant, RoomReason(.malformed, "")))
    #expect(server.reason(applicant) == .malformed)
    let ada = server.enter("Ada")
    let bob = server.enter("Bob")
    server.handle(.malformed(ada, RoomReason(.malformed, "")))
    #expect(server.reason(ada) == .malformed)
    #expect(!server.closed.contains(bob))
  }
}

extension ConnectionID {
  func next(_ count: Int) -> ConnectionID { ConnectionID(rawValue: rawValue + count) }
}
