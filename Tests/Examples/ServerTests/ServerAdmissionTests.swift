import FramedSecurity
import Testing
import TwentyFour

@testable import MatchServer
@testable import Rooms

/// A server that asks for a passcode.
struct ServerAdmissionTests {
  private let stranger = Peer(address: Origin(rawValue: "elsewhere"), isTrusted: false)

  private func enter(
    _ server: inout TestServer, _ number: Int, _ peer: Peer, seat: SeatProof? = nil, spectates: Bool = false
  ) -> ConnectionID {
    let id = ConnectionID(rawValue: number)
    server.handle(.connected(id, peer))
    server.handle(.received(id, .hello(.init(name: "Eve", seat: seat, spectates: spectates))))
    return id
  }

  @Test func `who has proved nothing gets no match, opens none, and watches none`() {
    var server = TestServer()
    let ada = server.enter("Ada")
    for (number, spectates) in [(100, false), (101, true)] {
      let id = enter(&server, number, stranger, spectates: spectates)
      #expect(server.reason(id) == .passcode)
    }
    #expect(server.machine.counts.players == 1 && server.machine.counts.matches == 1)
    #expect(server.welcome(ada) != nil)
  }

  @Test func `a seat is no ticket for the spectators' places, and an invitation is one`() throws {
    let invitation = Invitation.random()
    var server = TestServer()
    server.machine = ServerMachine(
      server: RoomID(), matchLimit: 3, rules: TestServer.rules, invitation: invitation, generator: SeededGenerator(seed: 24))
    server.handle(.open)
    let ada = server.enter("Ada")
    let id = enter(&server, 100, stranger, seat: server.welcome(ada)?.seatProof, spectates: true)
    #expect(server.reason(id) == .passcode)
    for (number, proof) in [invitation.proof(over: []), Invitation.random().proof(over: [])].enumerated() {
      let id = ConnectionID(rawValue: 110 + number)
      server.handle(.connected(id, stranger))
      server.handle(.received(id, .hello(.init(name: "Bob", invitation: proof))))
      #expect(server.reason(id) == (number == 0 ? nil : .passcode))
    }
  }

  @Test func `whoever proves a seat comes back without the passcode, and is known by the key`() throws {
    var server = TestServer()
    let key = try #require(KeyFingerprint([UInt8](repeating: 5, count: KeyFingerprint.byteCount)))
    let trusted = Peer(address: Origin(rawValue: "home"), key: key)
    let ada = enter(&server, 200, trusted)
    server.enter("Bob")
    server.guess(ada)
    server.lose(ada)
    let back = enter(&server, 201, stranger, seat: server.welcome(ada)?.seatProof)
    #expect(server.welcome(back)?.player == server.welcome(ada)?.player)
    #expect(server.machine.overview.first?.players.first?.key == nil)
    let again = enter(&server, 202, trusted, seat: server.welcome(back)?.seatProof)
    #expect(server.reason(back) == .takenOver)
    #expect(server.machine.overview.first?.players.first?.key == key.description)
    #expect(server.reason(again) == nil)
  }
}
