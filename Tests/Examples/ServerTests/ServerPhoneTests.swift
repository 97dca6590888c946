import FramedSecurity
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
    _ server: inout TestServer, _ number: Int, _ name: String = "Bob", token: String?, seat: SeatProof? = nil,
    spectates: Bool = false
  ) -> ConnectionID {
    let id = ConnectionID(rawValue: number)
    server.handle(.connected(id, phone))
    server.handle(.received(id, .hello(.init(name: name, seat: seat, admission: token, spectates: spectates))))
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

  @Test func `a phone that has no answer in a match asks again with the same token, and not after a refusal`() throws {
    var server = server()
    let match = MatchNumber(rawValue: 1)
    let bob = enter(&server, 100, token: try token(server))
    let room = try #require(server.welcome(bob)?.room)
    server.handle(.command(.rule(.approve(true), in: match)))
    let code = try token(server)
    let first = enter(&server, 101, "Cy", token: code)
    #expect(server.inboxes[first]?.count == 1 && server.reason(first) == nil)
    let stranger = enter(&server, 102, "Eve", token: code)
    #expect(server.reason(stranger) == .admission)
    server.handle(.timePassed(room), after: .seconds(60))
    #expect(server.reason(first) == .unanswered)
    let second = enter(&server, 103, "Cy", token: code)
    #expect(server.reason(second) == nil)
    server.lose(second)
    let third = enter(&server, 104, "Cy", token: code)
    #expect(server.reason(third) == nil)
    server.handle(.command(.rule(.refuse(PlayerID(rawValue: 4)), in: match)))
    #expect(server.reason(third) == .notApproved)
    let fourth = enter(&server, 105, "Cy", token: code)
    #expect(server.reason(fourth) == .admission)
  }

  @Test func `a token is used up when its phone was let in, also if that goes at once`() throws {
    var server = server()
    let match = MatchNumber(rawValue: 1)
    _ = enter(&server, 100, token: try token(server))
    server.handle(.command(.rule(.approve(true), in: match)))
    let code = try token(server)
    let cy = enter(&server, 101, "Cy", token: code)
    #expect(server.welcome(cy) == nil && server.reason(cy) == nil)
    server.handle(.command(.rule(.admit(PlayerID(rawValue: 2)), in: match)))
    #expect(server.welcome(cy)?.player?.name.text == "Cy")
    server.lose(cy)
    let stranger = enter(&server, 102, "Eve", token: code)
    #expect(server.reason(stranger) == .admission)
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

  @Test func `a page asks whose server it is, and comes into no other match than its own`() throws {
    var server = server()
    server.machine.title = RoomTitle(name: "Arena")
    let token = try token(server)
    let look = ConnectionID(rawValue: 100)
    server.handle(.connected(look, phone))
    server.handle(.received(look, .look(.init(admission: token))))
    server.handle(.received(look, .look(.init())))
    let answers = [true, false].map { admits in
      RoomMessage.room(.init(room: server.machine.server, title: RoomTitle(name: "Arena"), admits: admits))
    }
    #expect(server.inboxes[look] == answers && server.machine.matches.isEmpty)
    server.handle(.received(look, .hello(.init(name: "Bob", admission: token, room: RoomID()))))
    #expect(server.reason(look) == .otherRoom && server.machine.matches.isEmpty)
    // Its match is still there, and its seat is not: a place in the same match.
    let bob = enter(&server, 101, token: token)
    let welcome = try #require(server.welcome(bob))
    let cy = enter(&server, 102, "Cy", token: try self.token(server))
    #expect(server.welcome(cy)?.room == welcome.room)
    server.handle(.disconnected(bob))
    let back = ConnectionID(rawValue: 103)
    server.handle(.connected(back, phone))
    server.handle(.received(back, .hello(.init(name: "Bob", admission: welcome.admission, room: welcome.room))))
    #expect(server.welcome(back)?.room == welcome.room)
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

  @Test func `one phone that was let in brings in no other, and a board is there once`() throws {
    var server = server()
    let bob = enter(&server, 100, token: try token(server))
    enter(&server, 99, "Dora", token: try token(server))
    server.guess(bob)
    let pass = try #require(server.welcome(bob)?.admission)
    for (number, name) in ["Cy", "Bob"].enumerated() {
      let visitor = enter(&server, 101 + number, name, token: pass)
      #expect(server.reason(visitor) == .admission)
    }
    server.lose(bob)
    let visitor = enter(&server, 103, token: pass)
    #expect(server.reason(visitor) == .admission)
    #expect(server.machine.counts.players == 2)

    let board = enter(&server, 104, "Television", token: try token(server), spectates: true)
    let again = enter(&server, 105, "Television", token: server.welcome(board)?.admission, spectates: true)
    #expect(server.welcome(again) != nil && server.reason(board) == .replaced && server.closed.contains(board))
  }

  @Test func `a phone comes back to its match with the secret of the seat`() throws {
    var server = server()
    let bob = enter(&server, 100, token: try token(server))
    enter(&server, 101, "Cy", token: try token(server))
    server.guess(bob)
    let welcome = try #require(server.welcome(bob))
    server.lose(bob)
    let seatProof = SeatProof(
      room: welcome.room, player: try #require(welcome.player?.id), secretOverWeb: try #require(welcome.secret))
    let shown = server.shownTokens.count
    let back = enter(&server, 102, token: welcome.admission, seat: seatProof)
    #expect(server.welcome(back)?.player == welcome.player)
    #expect(server.shownTokens.count == shown)
    #expect(server.machine.webAdmission.passes.count == 2)
  }
}
