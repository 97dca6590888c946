import MatchServer
import Rooms
import TestSupport
import Testing
import TwentyFour
import _BonjourishBase

/// Evenings at a server, at random: whatever people do, what must hold holds.
struct ServerPropertyTests {
  private struct Person {
    var connection: ConnectionID
    var seat: SeatProof?
  }

  @Test(arguments: seeds(8, of: 30)) func `any evening keeps to the rules`(seed: UInt64) throws {
    var generator = _BonjourishBase.SeededGenerator(seed: seed)
    let rounds = Bool.random(using: &generator) ? Int.random(in: 1...3, using: &generator) : nil
    let limit = Int.random(in: 1...4, using: &generator)
    let rules = Match.Rules(
      gathering: Bool.random(using: &generator) ? .zero : .seconds(10), rounds: rounds, minimumPlayers: 2, maximumPlayers: 4)
    var server = TestServer(rules, matches: limit, seed: seed)
    var people: [Person] = []
    var lost: [SeatProof] = []
    var hasDrained = false
    for _ in 0..<300 {
      people.removeAll { server.closed.contains($0.connection) }
      let someone = people.indices.randomElement(using: &generator)
      switch (Int.random(in: 0..<12, using: &generator), someone) {
      case (0...2, _):
        let lower = Int.random(in: 1...5, using: &generator)
        let wish = Bool.random(using: &generator) ? lower...Int.random(in: lower...8, using: &generator) : nil
        let seatProof = lost.isEmpty || Bool.random(using: &generator) ? nil : lost.removeFirst()
        let id = server.enter(
          "Player", players: wish, seat: seatProof, spectates: Int.random(in: 0..<6, using: &generator) == 0)
        if !server.closed.contains(id) { people.append(Person(connection: id, seat: server.welcome(id)?.seatProof)) }
      case (3...6, let index?) where server.deal(people[index].connection) != nil:
        if server.welcome(people[index].connection)?.player != nil { try server.solve(people[index].connection) }
      case (7, let index?):
        server.leave(people.remove(at: index).connection)
      case (8, let index?):
        let person = people.remove(at: index)
        server.lose(person.connection)
        if let seat = person.seat { lost.append(seat) }
      case (9, _):
        let match = server.machine.overview.randomElement(using: &generator)
        if let match, Int.random(in: 0..<4, using: &generator) == 0 {
          server.handle(.command(.closeMatch(.init(rawValue: match.number))))
        }
      case (10, _) where Int.random(in: 0..<40, using: &generator) == 0:
        hasDrained = true
        server.handle(.command(.drain))
      default:
        server.pass(.seconds(Int.random(in: 1...70, using: &generator)))
      }
      let flaws = flaws(of: server, people, limit: limit, rules)
      guard flaws.isEmpty else {
        Issue.record("wrong: \(flaws.joined(separator: ", "))")
        return
      }
      if server.isClosed { break }
    }
    #expect(!server.isClosed || hasDrained)
    server.handle(.close(because: .hostLeft))
    #expect(server.isClosed)
    people.removeAll { server.closed.contains($0.connection) }
    #expect(people.isEmpty)
    // Every match was told to be open first and closed last, once each.
    for (_, reports) in Dictionary(grouping: server.reports, by: \.room) {
      let opened = reports.indices.filter { if case .open = reports[$0].event { true } else { false } }
      let closed = reports.indices.filter { if case .closed = reports[$0].event { true } else { false } }
      #expect(opened == [0])
      #expect(closed == [reports.count - 1])
    }
  }

  /// What is not as it must be; #expect would take most of the time of this test.
  private func flaws(of server: TestServer, _ people: [Person], limit: Int, _ rules: Match.Rules) -> [String] {
    let counts = server.machine.counts
    let overview = server.machine.overview
    let inside = people.count { !server.closed.contains($0.connection) }
    let truths: [(String, Bool)] = [
      ("the number of matches", overview.count <= limit && counts.matches == overview.count),
      ("those that have not begun", counts.gathering == overview.count { $0.round == 0 }),
      ("players", counts.players == overview.map(\.players.count).reduce(0, +)),
      ("those who are away", counts.away == overview.flatMap(\.players).count(where: \.away)),
      ("spectators", counts.watchers == overview.map(\.watchers).reduce(0, +)),
      ("everyone who is connected is somewhere", inside == counts.players - counts.away + counts.watchers),
      ("no match has more than it may", overview.allSatisfy { 1...$0.maximum ~= $0.players.count }),
      ("sizes", overview.allSatisfy { rules.minimumPlayers <= $0.minimum && $0.maximum <= rules.maximumPlayers }),
      ("names are told apart", overview.allSatisfy { Set($0.players.map(\.name)).count == $0.players.count }),
      ("the next deadline is to come", server.nextDeadline.map { $0 >= server.now } ?? true),
    ]
    return truths.filter { !$0.1 }.map(\.0)
  }
}
