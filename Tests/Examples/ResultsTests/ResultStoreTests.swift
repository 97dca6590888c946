import Foundation
import Results
import TestSupport
import Testing
import TwentyFour

@Suite(.timeLimit(.minutes(1))) struct ResultStoreTests {
  private let folder = try! TemporaryFolder()

  private func open() async throws -> ResultStore { try await ResultStore.open(at: folder.file) }

  @Test func `a match is kept, and its later state replaces the earlier one`() async throws {
    var store = try await open()
    store.record(.sample(rounds: 1))
    #expect(try await store.history(limit: 10) == [.sample(rounds: 1)])
    store.record(.sample(rounds: 2))
    store.record(.sample("two", names: ["Cy"], at: 9_000))
    store.record(.sample(rounds: 3, names: ["Ada", "Bob", "Cy"]))
    try await store.close()
    store = try await open()
    #expect(
      try await store.history(limit: 10) == [
        .sample("two", names: ["Cy"], at: 9_000), .sample(rounds: 3, names: ["Ada", "Bob", "Cy"]),
      ])
    #expect(try await store.history(limit: 1).map(\.id) == ["two"])
    try await store.close()
  }

  @Test func `a leaderboard adds up the results of a name, whatever its case`() async throws {
    let store = try await open()
    store.record(.sample("one", rounds: 2, names: ["Ada", "Bob"]))
    store.record(.sample("two", rounds: 4, names: ["ÖDÖN", "ada"]))
    store.record(.sample("three", rounds: 1, names: ["Ödön"]))
    let board = try await store.leaderboard(by: .points, limit: 10)
    #expect(board.lines.map(\.name) == ["Ödön", "ada", "Bob"])
    #expect(board.lines.map(\.rank) == [1, 2, 3])
    #expect(board.lines.map(\.points) == [75, 60, 15])
    #expect(board.lines.map(\.solved) == [5, 4, 1])
    #expect(board.lines.map(\.rounds) == [5, 6, 2])
    #expect(board.lines.map(\.matches) == [2, 2, 1])
    #expect(board.lines.map(\.best) == [.milliseconds(12_340), .milliseconds(12_340), nil])
    #expect(try await store.leaderboard(by: .points, limit: 1).lines.count == 1)
    try await store.close()
  }

  @Test func `two people of one name are two, wherever they sit, and one person is one`() async throws {
    let store = try await open()
    store.record(.sample("one", rounds: 2, names: ["Ada", "Ada 2"], keys: ["k1", "k2"]))
    store.record(.sample("two", rounds: 4, names: ["ada", "Ada 2"], keys: ["k2", "k1"]))
    store.record(.sample("three", rounds: 1, names: ["Ada", "Route 66"], keys: [nil, nil]))
    let board = try await store.leaderboard(by: .points, limit: 10)
    #expect(board.lines.map(\.key) == ["k2", "k1", nil, nil])
    #expect(board.lines.map(\.points) == [75, 60, 15, 7])
    #expect(board.lines.map(\.name) == ["ada", "Ada 2", "Ada", "Route 66"])
    let one = try await store.history(limit: 3).first { $0.id == "one" }
    #expect(one?.scores.map(\.key) == ["k1", "k2"])
    try await store.close()
  }

  @Test func `a number behind a name is the room's only where a key tells who it is`() async throws {
    let store = try await open()
    store.record(.sample("one", rounds: 2, names: ["Ada 2", "Route 66"], keys: ["k1", "k2"]))
    store.record(.sample("two", rounds: 4, names: ["Ada", "Route x"], keys: ["k1", "k2"]))
    store.record(.sample("three", rounds: 1, names: ["Ada 2", "Ada"]))
    let board = try await store.leaderboard(by: .points, limit: 10)
    #expect(board.lines.map(\.name) == ["Ada", "Route x", "Ada 2", "Route 66", "Ada"])
    #expect(board.lines.map(\.points) == [90, 30, 15, 15, 7])
    #expect(board.lines.map(\.key) == ["k1", "k2", nil, "k2", nil])
    try await store.close()
  }

  @Test(
    arguments: [
      (.points, ["Cy", "Ada", "Bob", "Dan"], [1, 2, 2, 4]), (.solved, ["Ada", "Bob", "Cy", "Dan"], [1, 1, 3, 4]),
      (.best, ["Cy", "Ada", "Bob", "Dan"], [1, 2, 2, 4]), (.matches, ["Dan", "Cy", "Ada", "Bob"], [1, 2, 3, 3]),
    ] as [(Leaderboard.Order, [String], [Int])])
  func `each order has its own best`(order: Leaderboard.Order, names: [String], ranks: [Int]) async throws {
    func score(_ name: String, _ points: Int, solved: Int, best: Int?) -> MatchRecord.Score {
      MatchRecord.Score(
        player: .init(rawValue: name.count), name: name, points: points, rounds: 9, solved: solved,
        best: best.map { .seconds($0) })
    }
    let store = try await open()
    let scores = [
      score("Ada", 30, solved: 3, best: 8), score("Bob", 30, solved: 3, best: 8), score("Cy", 36, solved: 2, best: 2),
      score("Dan", 0, solved: 0, best: nil), score("Dan", 0, solved: 0, best: nil),
    ]
    for (index, score) in scores.enumerated() {
      store.record(
        MatchRecord(
          id: "\(index)", room: "x", began: .now, ended: .now, rounds: 9, scores: [score]))
    }
    let board = try await store.leaderboard(by: order, limit: 10)
    #expect(board.order == order)
    #expect(board.lines.map(\.name) == names)
    #expect(board.lines.map(\.rank) == ranks)
    try await store.close()
  }

  @Test func `the scores of a match are replaced as a whole, and a match without scores is removed`() async throws {
    let store = try await open()
    store.record(.sample("one", names: ["Ada", "Bob"]))
    store.record(.sample("two", names: ["Cy"]))
    try await store.flush()
    store.record(.sample("one", names: ["Ada"]))
    #expect(try await store.history(limit: 9).map(\.scores.count).sorted() == [1, 1])
    #expect(try await store.leaderboard(by: .points, limit: 10).lines.map(\.name) == ["Ada", "Cy"])
    store.record(.sample("one", names: []))
    #expect(try await store.history(limit: 9).map(\.id) == ["two"])
    #expect(try await store.leaderboard(by: .points, limit: 10).lines.map(\.name) == ["Cy"])
    try await store.close()
  }

  // MARK: - Rounds of several servers

  /// Records rounds to a file of its own; returns its path.
  private func file(_ name: String, _ rounds: [RoundRecord]) async throws -> String {
    let path = "\(folder.path)/\(name).sqlite"
    let store = try await ResultStore.open(at: path)
    for round in rounds { store.record(round) }
    try await store.close()
    return path
  }

  @Test func `a match that a server plays a second time is added to what it has recorded`() async throws {
    let path = try await file("one", (1...4).map { .sample($0) })
    _ = try await file("one", [7, 8].map { .sample($0, points: 12) })
    let store = try await ResultStore.open(reading: path)
    let match = try #require(try await store.history(limit: 9).first)
    #expect(match.rounds == 6)
    #expect(match.began == WallTime(milliseconds: 1_000) && match.ended == WallTime(milliseconds: 1_800))
    #expect(match.scores.map(\.points) == [84, 0])
    #expect(match.scores.map(\.rounds) == [6, 6])
    try await store.close()
  }

  @Test func `joined files are one host, and each round counts once`() async throws {
    let one = try await file("one", [1, 2, 3, 4, 7].map { .sample($0) } + [.sample(1, of: "other", room: "One")])
    // Both have the fourth round: it was played again at the second server.
    let two = try await file("two", [.sample(4, room: "Two", points: 11, at: 1_450)] + [5, 6].map { .sample($0, room: "Two") })
    for paths in [[one, two], [two, one], [one, two, one, two]] {
      let all = try await ResultStore.open(joining: paths)
      let history = try await all.history(limit: 9)
      #expect(history.map(\.id) == ["one", "other"])
      #expect(history.map(\.rounds) == [7, 1])
      #expect(history.first?.scores.map(\.points) == [101, 0])
      #expect(history.first?.scores.map(\.rounds) == [7, 7])
      let board = try await all.leaderboard(by: .points, limit: 9)
      #expect(board.lines.map(\.points) == [116, 0])
      #expect(board.lines.map(\.rounds) == [8, 8])
      #expect(board.lines.map(\.matches) == [2, 2])
      try await all.close()
    }
    // The files are as they were.
    let reader = try await ResultStore.open(reading: two)
    #expect(try await reader.history(limit: 9).map(\.rounds) == [3])
    try await reader.close()
  }

  @Test func `whoever leaves a match at another server has no score at the first one either`() async throws {
    let one = try await file("one", [.sample(1, names: ["Ada", "Bob", "Cy"]), .sample(2, names: ["Ada", "Bob", "Cy"])])
    let two = try await file("two", [.sample(3, names: ["Ada", "Bob"])])
    for paths in [[one, two], [two, one]] {
      let all = try await ResultStore.open(joining: paths)
      #expect(try await all.history(limit: 9).first?.scores.map(\.name) == ["Ada", "Bob"])
      #expect(try await all.leaderboard(by: .points, limit: 9).lines.map(\.name) == ["Ada", "Bob"])
      try await all.close()
    }
    // In a room without a last round, the rounds count that a player stayed in.
    let open = try await file("open", [.sample(1, hasEnd: false), .sample(2, hasEnd: false, names: ["Ada"])])
    let store = try await ResultStore.open(joining: [open])
    #expect(try await store.history(limit: 9).first?.scores.map(\.rounds) == [2, 1])
    try await store.close()
  }

  @Test func `a match without an end has no more scores than players can play in it, the best`() async throws {
    func score(_ number: Int) -> MatchRecord.Score {
      MatchRecord.Score(player: .init(rawValue: number), name: "Puppet \(number)", points: number % 250, rounds: 1)
    }
    let store = try await open()
    for number in 1...500 {
      store.record(
        RoundRecord(
          match: "id", room: "room", began: .now, hasEnd: false, number: number, ended: .now, scores: [score(number)]))
    }
    let match = try #require(try await store.history(limit: 9).first)
    #expect(match.rounds == 500)
    #expect(match.scores.count == 128)
    #expect(match.scores.last?.player.rawValue == 500)
    #expect(match.scores.dropLast().map(\.points).min() == 186)
    try await store.close()
  }

  @Test func `names and rooms are never read as SQL`() async throws {
    let name = "'); DROP TABLE scores; --"
    let store = try await open()
    let odd = MatchRecord.sample("'\"; \u{0}%_\\", names: [name, "🧮 日本"])
    store.record(odd)
    #expect(try await store.history(limit: 9) == [odd])
    store.record(.sample("two", names: [name]))
    #expect(try await store.leaderboard(by: .points, limit: 10).lines.map(\.name) == [name, "🧮 日本"])
    try await store.close()
  }

  @Test func `the leaderboard can be read while a host writes`() async throws {
    let writer = try await open()
    writer.record(.sample())
    try await writer.flush()
    let reader = try await ResultStore.open(reading: folder.file)
    #expect(try await reader.history(limit: 10).count == 1)
    writer.record(.sample("two"))
    try await writer.flush()
    #expect(try await reader.history(limit: 10).count == 2)
    reader.record(.sample("three"))
    await #expect { try await reader.flush() } throws: { ($0 as? ResultError)?.code == .cannotOpen }
    try? await reader.close()
    #expect(try await writer.history(limit: 10).count == 2)
    try await writer.close()
  }

  @Test func `a store that is closed says so`() async throws {
    let store = try await open()
    try await store.close()
    await #expect { try await store.history(limit: 1) } throws: { ($0 as? ResultError)?.code == .closed }
  }

  @Test func `results that cannot be written wait, up to a bound, and the failure is reported once`() async throws {
    let told = Told()
    let store = try await ResultStore.open(at: folder.file) { told.append($0) }
    try await store.close()
    for number in 0..<(ResultStore.capacity + 10) { store.record(.sample("\(number)")) }
    await #expect { try await store.flush() } throws: { ($0 as? ResultError)?.code == .closed }
    await #expect { try await store.flush() } throws: { ($0 as? ResultError)?.code == .closed }
    #expect(store.lostCount == 10)
    #expect(told.codes == [.closed])
  }
}

/// The failures that a store has reported.
final class Told: @unchecked Sendable {  // `codes` is only changed with the lock held
  private let lock = NSLock()
  private(set) var codes: [ResultError.Code?] = []

  func append(_ error: ResultError?) {
    lock.withLock { codes.append(error?.code) }
  }
}
