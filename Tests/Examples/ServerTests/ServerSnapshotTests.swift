import Foundation
import MatchServer
import Rooms
import Testing
import TwentyFour

/// A server that is started anew.
struct ServerSnapshotTests {
  /// The server as another process has it that read what this one wrote.
  private func restart(_ server: inout TestServer, matches: Int = 3) throws {
    let written = try JSONEncoder().encode(try #require(server.machine.snapshot(at: server.now)))
    server.handle(.suspend)
    #expect(!server.isClosed)
    let read = try JSONDecoder().decode(ServerMachine.Snapshot.self, from: written)
    server.replace(
      try ServerMachine(
        restoring: read, matchLimit: matches, rules: TestServer.rules, generator: SeededGenerator(seed: 25), at: server.now))
  }

  @Test func `matches go on, and players come back to their seats, points and rounds`() throws {
    var server = TestServer()
    let (ada, bob) = (server.enter("Ada"), server.enter("Bob"))
    let waiting = server.enter("Cy", players: 3...3)
    let rooms = [ada, waiting].map { server.room($0) }
    try server.solve(ada)
    server.pass(.seconds(30))
    try restart(&server)
    // Without a word, so that they come back.
    #expect(server.reason(ada) == nil && server.closed.contains(ada))
    server.handle(.open)
    #expect(server.machine.counts.players == 3)
    #expect(server.machine.counts.away == 3)
    #expect(server.machine.counts.gathering == 1)
    server.pass(.seconds(20))
    let bobAgain = server.enter("Bob", seat: server.welcome(bob)?.seatProof)
    #expect(server.deal(bobAgain)?.hand == server.deal(bob)?.hand)
    #expect(server.deal(bobAgain)?.remaining == .seconds(50))
    let adaAgain = server.enter("Ada", seat: server.welcome(ada)?.seatProof)
    let cyAgain = server.enter("Cy", seat: server.welcome(waiting)?.seatProof)
    #expect([adaAgain, cyAgain].map { server.room($0) } == rooms)
    #expect(server.points(adaAgain) == 20)
    #expect(server.machine.counts.away == 0)
    #expect(server.machine.overview.map(\.number) == [1, 2])
    // What is new is numbered on, and named apart.
    let dan = server.enter("Dan", players: 4...4)
    #expect(server.machine.overview.map(\.number) == [1, 2, 3])
    #expect(!rooms.contains(server.room(dan)))
  }

  @Test func `a player who does not come back is gone after the limit, and so is an empty match`() throws {
    var server = TestServer()
    server.enter("Ada")
    server.enter("Bob")
    try restart(&server)
    server.handle(.open)
    server.pass(.seconds(61))
    #expect(server.machine.counts.matches == 0)
    #expect(server.machine.counts.players == 0)
  }

  @Test func `a server that is smaller now plays what it has to the end`() throws {
    var server = TestServer()
    for number in 0..<12 { server.enter("Player \(number)") }
    #expect(server.machine.counts.matches == 3)
    try restart(&server, matches: 1)
    server.handle(.open)
    #expect(server.machine.counts.matches == 3)
  }

  @Test func `what no server can have been is refused`() throws {
    var server = TestServer()
    server.enter("Ada")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let written = try encoder.encode(try #require(server.machine.snapshot(at: server.now)))
    let text = String(decoding: written, as: UTF8.self)
    func restore(_ text: String) throws {
      let snapshot = try JSONDecoder().decode(ServerMachine.Snapshot.self, from: Data(text.utf8))
      _ = try ServerMachine(
        restoring: snapshot, matchLimit: 1, rules: TestServer.rules, generator: SeededGenerator(seed: 25), at: .zero)
    }
    try restore(text)
    for (part, other) in [("\"lastNumber\":1", "\"lastNumber\":0"), ("\"number\":1", "\"number\":-1")] {
      let changed = text.replacing(part, with: other)
      #expect(changed != text, "\(part) is in \(text)")
      #expect(throws: DamagedSnapshot.self, "\(other)") { try restore(changed) }
    }
    // Numbers that would overflow, and a match that is there twice, by its number or its room.
    let twice = text.replacing(/"matches":\[(.*)\],"server"/) { #""matches":[\#($0.1),\#($0.1)],"server""# }
    let twoRooms = twice.replacing("\"lastNumber\":1", with: "\"lastNumber\":2")
      .replacing("\"number\":1", with: "\"number\":2", maxReplacements: 1)
    for changed in [text.replacing("\"lastNumber\":1", with: "\"lastNumber\":\(Int.max / 2)"), twice, twoRooms] {
      #expect(changed != text)
      #expect(throws: DamagedSnapshot.self, "\(changed)") { try restore(changed) }
    }
    try restore(text.replacing("\"lastNumber\":1", with: "\"lastNumber\":\(Int.max / 2 - 1)"))
    let renamed = text.replacing("\"server\":\"", with: "\"server\":\"x")
    #expect(renamed != text)
    #expect(throws: DecodingError.self) { try restore(renamed) }
  }
}
