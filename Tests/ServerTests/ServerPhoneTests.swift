import SecureTransport
import Testing
import TwentyFour

@testable import MatchServer
@testable import Rooms

/// Pages in browsers on a server that asks for a passcode.
struct ServerPhoneTests {
  private let phone = Peer(address: Origin(rawValue: "10.0.0.2"), isTrusted: false, isWeb: true)

  private func server() -> TestServer {
    var server = TestServer()
    server.machine = ServerMachine(
      server: RoomID(), matchLimit: 3, rules: TestServer.rules, shares: .none, invitation: .random(),
      admission: WebAdmission(isOn: true), generator: SeededGenerator(seed: 24))
    server.handle(.open)
    return server
  }

  @discardableResult
  private func enter(
    _ server: inout TestServer, _ number: Int, _ name: String = "Bob", token: String?, seat: SeatClaim? = nil
  ) -> ConnectionID {
    let id = ConnectionID(rawValue: number)
    server.handle(.connected(id, phone))
    server.handle(.received(id, .hello(.init(name: name, seat: seat, admission: token))))
    return id
  }

  private func token(_ server: TestServer) throws -> String { try #require(server.shownTokens.last?.text) }

  @Test func `a token lets one phone into a match, and the next is shown`() throws {
    var server = server()
    let first = try token(server)
    let bob = enter(&server, 100, token: first)
    #expect(server.welcome(bob)?.player != nil)
    #expect(try token(server) != first)
    let visitor1 = enter(&server, 101, "Cy", token: first)
    #expect(server.reason(visitor1) == .admission)
    let visitor2 = enter(&server, 102, "Cy", token: nil)
    #expect(server.reason(visitor2) == .admission)
    #expect(server.machine.counts.players == 1)
    let visitor3 = enter(&server, 103, "Cy", token: try token(server))
    #expect(server.welcome(visitor3) != nil)
  }

  @Test func `a page that asks whether the host is there gets an answer, in a match or in none`() throws {
    var server = server()
    let id = ConnectionID(rawValue: 100)
    server.handle(.connected(id, phone))
    server.handle(.received(id, .ping))
    #expect(server.inboxes[id] == [.pong])
    server.handle(.received(id, .hello(.init(name: "Bob", admission: try token(server)))))
    server.handle(.received(id, .ping))
    #expect(server.inboxes[id]?.last == .pong)
    #expect(!server.closed.contains(id))
  }

  @Test func `a name that the match refuses uses nothing up`() throws {
    var server = server()
    enter(&server, 100, token: try token(server))
    let present = try token(server)
    let visitor4 = enter(&server, 101, "B\u{43E}b", token: present)
    #expect(server.reason(visitor4) == .name)
    #expect(try token(server) == present)
    let visitor5 = enter(&server, 102, "Cy", token: present)
    #expect(server.welcome(visitor5) != nil)
  }

  @Test func `the token is exchanged as time passes`() throws {
    var server = server()
    let first = try token(server)
    server.pass(.seconds(299))
    #expect(try token(server) == first)
    server.pass(.seconds(1))
    #expect(try token(server) != first && server.shownTokens.count == 2)
    server.handle(.command(.drain))
    server.pass(.seconds(600))
    #expect(server.shownTokens.count == 2)
  }

  @Test func `whoever was in a match comes into the next one, but not after a kick`() throws {
    var server = server()
    let bob = enter(&server, 100, token: try token(server))
    let pass = try #require(server.welcome(bob)?.admission)
    server.lose(bob)
    let again = enter(&server, 101, token: pass)
    let next = try #require(server.welcome(again)?.admission)
    let visitor6 = enter(&server, 102, "Cy", token: pass)
    #expect(server.reason(visitor6) == .admission)
    let match = try #require(server.machine.overview.first)
    server.handle(.command(.rule(.kick(PlayerID(rawValue: match.players[0].number)), in: MatchNumber(rawValue: match.number))))
    #expect(server.reason(again) == .kicked)
    let visitor7 = enter(&server, 103, token: next)
    #expect(server.reason(visitor7) == .admission)
  }

  @Test func `a phone comes back to its match with the secret of the seat`() throws {
    var server = server()
    let bob = enter(&server, 100, token: try token(server))
    enter(&server, 101, "Cy", token: try token(server))
    server.guess(bob)
    let welcome = try #require(server.welcome(bob))
    server.lose(bob)
    let claim = SeatClaim(
      room: welcome.room, player: try #require(welcome.player?.id), secretOverWeb: try #require(welcome.secret))
    let shown = server.shownTokens.count
    let back = enter(&server, 102, token: welcome.admission, seat: claim)
    #expect(server.welcome(back)?.player == welcome.player)
    #expect(server.shownTokens.count == shown)
    #expect(server.machine.webAdmission.passes.count == 2)
  }
}
