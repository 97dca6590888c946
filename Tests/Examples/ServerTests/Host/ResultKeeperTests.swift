import Foundation
import FramedSecurity
import MatchServer
import Results
import Rooms
import Synchronization
import TestSupport
import Testing
import TwentyFour
import _BonjourishConsole

@testable import twentyfour_host

/// What a host writes to its results of the events of its rooms.
@Suite(.timeLimit(.minutes(1))) struct ResultKeeperTests {
  private let folder = try! TemporaryFolder()
  private var path: String { folder.path + "/results.sqlite" }
  private let diagnostics = Diagnostics(level: .error) { _, _ in }
  private let room = RoomID()
  private let hand = Hand(.eight, .nine, .two, .five)

  private func player(_ number: Int, _ name: String) throws -> Player {
    Player(id: PlayerID(rawValue: number), name: try PlayerName(name))
  }

  private func key(_ number: UInt8) throws -> KeyFingerprint {
    try #require(KeyFingerprint([UInt8](repeating: number, count: KeyFingerprint.byteCount)))
  }

  private func ended(_ number: Int, _ standings: Standing...) throws -> RoomEvent {
    .roundEnded(
      Match.RoundResult(
        number: number, hand: hand, solution: try #require(Solver.firstSolution(of: hand)), standings: standings, pause: nil))
  }

  /// Records the events of a room, as a host called Arena whose own player has the key `own`.
  private func record(_ words: [String], _ body: (ResultKeeper?) async throws -> Void) async throws {
    let arguments = try DedicatedMode.command.arguments(of: words)
    try await ResultKeeper.recording(arguments, for: "Arena", key: "own", diagnostics, body)
  }

  private func history() async throws -> [MatchRecord] {
    let store = try await ResultStore.open(reading: path)
    let matches = try await store.history(limit: 9)
    try await store.close()
    return matches
  }

  @Test func `each match of a room is one, with the keys of its players, and without those who have left it`() async throws {
    let (ada, bob, cy) = (try player(1, "Ada"), try player(2, "Bob"), try player(3, "Cy"))
    let rules = RoomRules(Match.Rules(roundDuration: .seconds(50), rounds: 2))
    try await record(["--results", path]) { keeper in
      let keeper = try #require(keeper)
      func tell(_ events: RoomEvent...) { for event in events { keeper.observe(room, event) } }
      tell(.open(room: room, player: ada, rules: rules), .joined(bob), .joined(cy))
      tell(.identified(bob, key: try key(1), comparison: nil), .identified(cy, key: try key(2), comparison: "047 113"))
      // Whoever the host is, and whoever has no key, is no key of a player.
      tell(.identified(nil, key: try key(3), comparison: nil))
      tell(
        try ended(
          1, Standing(player: ada, status: .solved(.seconds(25)), points: 15, hints: 1),
          Standing(player: bob, status: .gaveUp, points: 0), Standing(player: cy, status: .waiting, points: 0)))
      tell(.left(bob), .matchEnded, .matchBegan(number: 2))
      tell(
        try ended(
          1, Standing(player: ada, status: .outOfTime, points: 0),
          Standing(player: cy, status: .solved(.seconds(5)), points: 19)))
      // Whoever leaves after the end has played to it.
      tell(.matchEnded, .left(cy), .closed(.hostLeft))
      // What is told of a room that is not open is nobody's.
      tell(.matchBegan(number: 3), try ended(1, Standing(player: ada, status: .gaveUp, points: 0)))
    }
    let matches = try await history()
    #expect(matches.map(\.id).sorted() == [room.text, "\(room.text)-2"])
    let first = try #require(matches.first { $0.id == room.text })
    #expect(first.room == "Arena" && first.rounds == 1 && first.began <= first.ended)
    #expect(
      first.scores == [.init(player: ada.id, name: "Ada", key: "own", points: 13, rounds: 1, solved: 1, best: .seconds(25))])
    let second = try #require(matches.first { $0.id != room.text })
    #expect(second.room == "Arena" && second.rounds == 1)
    #expect(
      second.scores == [
        .init(player: ada.id, name: "Ada", key: "own", rounds: 1),
        .init(player: cy.id, name: "Cy", key: try key(2).description, points: 19, rounds: 1, solved: 1, best: .seconds(5)),
      ])
  }

  @Test func `a match that is closed between two rounds has nobody who left in its last one`() async throws {
    let (ada, bob) = (try player(1, "Ada"), try player(2, "Bob"))
    try await record(["--results", path]) { keeper in
      let keeper = try #require(keeper)
      keeper.observe(room, .open(room: room, player: nil, rules: RoomRules(Match.Rules(rounds: 9))))
      keeper.observe(
        room,
        try ended(
          1, Standing(player: ada, status: .solved(.seconds(10)), points: 19), Standing(player: bob, status: .gaveUp, points: 0)
        ))
      keeper.observe(room, .left(bob))
      keeper.observe(room, .closed(.hostLeft))
    }
    #expect(try await history().map { $0.scores.map(\.name) } == [["Ada"]])
    #expect(try await history().first?.scores.map(\.key) == [nil])
  }

  @Test func `nothing is recorded unless it is asked for, and what the host throws is thrown`() async throws {
    struct End: Error {}
    try await record([]) { #expect($0 == nil) }
    #expect(try folder.contents() == [])
    await #expect(throws: End.self) {
      try await record(["--results", path]) { keeper in
        keeper?.observe(room, .open(room: room, player: nil, rules: RoomRules(Match.Rules())))
        keeper?.observe(room, try ended(1, Standing(player: try player(1, "Ada"), status: .gaveUp, points: 0)))
        throw End()
      }
    }
    // It was written all the same.
    #expect(try await history().map { $0.scores.map(\.name) } == [["Ada"]])
    let failure = await #expect(throws: Failure.self) {
      try await record(["--results", folder.path + "/missing/results.sqlite"]) { _ in Issue.record("it was opened") }
    }
    #expect(failure?.code == .inputOutput)
  }
}
