import MatchServer
import Rooms
import Testing
import TwentyFour

/// What whoever runs the server does.
extension ServerMachineTests {
  @Test func `a player is removed from their match`() throws {
    var server = TestServer()
    let ada = server.enter("Ada")
    let bob = server.enter("Bob")
    server.enter("Ada", players: 3...3)
    let player = try #require(server.welcome(ada)?.player)
    #expect(server.machine.overview.first?.players.first?.number == player.id.rawValue)
    server.handle(.command(.rule(.kick(player.id), in: MatchNumber(rawValue: 1))))
    #expect(server.reason(ada) == .kicked)
    #expect(server.told(bob).contains(.left(player)))
    let back = server.enter("Ada", seat: server.welcome(ada)?.seatProof)
    #expect(server.welcome(back)?.player?.id != player.id)
    #expect(server.machine.counts.kicked == 1)
    server.handle(.command(.rule(.kick(player.id), in: MatchNumber(rawValue: 99))))
    #expect(server.machine.counts.kicked == 1)
  }

  @Test func `a match can be closed, and the others go on`() {
    var server = TestServer()
    let ada = server.enter("Ada")
    let other = server.enter("Bob", players: 3...3)
    #expect(server.machine.counts.gathering == 2 && server.machine.counts.players == 2)
    server.handle(.command(.closeMatch(MatchNumber(rawValue: 1))))
    #expect(server.machine.counts.gathering == 1 && server.machine.counts.players == 1)
    #expect(server.reason(ada) == .hostLeft)
    #expect(server.closed == [ada])
    #expect(server.machine.overview.map { $0.players.map(\.name) } == [["Bob"]])
    server.handle(.command(.closeMatch(MatchNumber(rawValue: 1))))
    #expect(!server.closed.contains(other))
  }

  @Test func `a draining server refuses new players, lets players come back, and closes with the last match`() throws {
    var server = TestServer()
    let ada = server.enter("Ada")
    let bob = server.enter("Bob")
    let waiting = server.enter("Cy", players: 3...3)
    server.handle(.command(.drain))
    #expect(server.reason(waiting) == .closing)
    let applicant8 = server.enter("Dan")
    #expect(server.reason(applicant8) == .closing)
    #expect(server.machine.advertisement.hasRoom == false)
    #expect(server.machine.isDraining)
    server.guess(ada)
    server.lose(ada)
    let again = server.enter("Ada", seat: server.welcome(ada)?.seatProof)
    #expect(server.welcome(again)?.player?.name.text == "Ada")
    let applicant = ConnectionID(rawValue: 77)
    for round in 1...2 {
      #expect(server.deal(bob)?.number == round)
      try server.solve(again)
      server.handle(.connected(applicant.next(round)))
      #expect(!server.isClosed)
      try server.solve(bob)
      server.pass(.seconds(10))
    }
    #expect(server.reason(bob) == .finished)
    #expect(server.isClosed)
    // Those who had not said hello yet are told too.
    #expect(server.reason(applicant.next(1)) == .closing)
  }

  @Test func `drained, a match without an end ends with its round`() throws {
    var server = TestServer(Match.Rules(gathering: .zero, minimumPlayers: 2, maximumPlayers: 4))
    let ada = server.enter("Ada")
    let bob = server.enter("Bob")
    server.handle(.command(.drain))
    #expect(!server.isClosed)
    try server.solve(ada)
    try server.solve(bob)
    #expect(server.reason(ada) == .closing)
    #expect(server.isClosed)
  }

  @Test func `an empty server that is drained is closed at once`() {
    var server = TestServer()
    server.handle(.command(.drain))
    #expect(server.isClosed)
    let late = server.enter("Late")
    #expect(server.reason(late) == .closing)
  }

  @Test func `closing tells everyone`() {
    var server = TestServer()
    let ids = (0..<7).map { server.enter("Player \($0)") }
    let applicant = ConnectionID(rawValue: 77)
    server.handle(.connected(applicant))
    server.handle(.close(because: .hostLeft))
    #expect((ids + [applicant]).allSatisfy { server.reason($0) == .hostLeft })
    #expect(server.isClosed)
    #expect(server.machine.counts.matches == 0)
    #expect(server.nextDeadline == nil)
  }

  @Test func `a program that knows only rooms sees one that it can enter as long as there is a place`() throws {
    var server = TestServer(matches: 100)
    func seen() throws -> RoomAdvertisement { try RoomAdvertisement(pairs: server.machine.advertisement.pairs) }
    #expect(try seen().hasRoom)
    #expect(try seen().maximumPlayers == 128)
    for number in 0..<399 { server.enter("Player \(number)") }
    #expect(try seen().hasRoom)
    #expect(try seen().players == 127)
    #expect(try seen().state == .playing)
    server.enter("The last")
    #expect(try !seen().hasRoom)
    #expect(server.machine.advertisement.pairs["matches"] == "100")
    #expect(server.machine.advertisement.pairs["total"] == "400")
  }
}
