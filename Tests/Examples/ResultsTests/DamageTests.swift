import Foundation
import TestSupport
import Testing

@testable import Results

/// Files that are not what they should be, and writing that fails.
@Suite(.timeLimit(.minutes(1))) struct DamageTests {
  private let folder = try! TemporaryFolder()

  private func database() throws -> Database { try Database(at: folder.file, for: .writing, timeout: .zero) }

  private func openingFails() async -> ResultError.Code? {
    do {
      try await ResultStore.open(at: folder.file, timeout: .milliseconds(1)).close()
      return nil
    } catch {
      #expect(error.description.contains(folder.file))
      return error.code
    }
  }

  /// Checks that opening fails with a code, also for reading, and leaves the file as it was.
  private func isRefused(_ code: ResultError.Code) async throws {
    let bytes = try folder.bytes()
    #expect(await openingFails() == code)
    await #expect { try await ResultStore.open(reading: folder.file) } throws: { ($0 as? ResultError)?.code == code }
    #expect(try folder.bytes() == bytes)
  }

  /// A file with many results, and nothing beside it.
  private func fill(_ count: Int = 200) async throws {
    let store = try await ResultStore.open(at: folder.file)
    for number in 0..<count { store.record(.sample("match \(number)")) }
    try await store.close()
  }

  /// SQLite's codes by their numbers, some of them extended.
  @Test(
    arguments: [
      ([11, 26, 267], .damaged, "; move the file away, or put back a copy of it"),
      ([5, 6, 517], .locked, "; end the other program that writes to it"), ([13], .full, "; make room on the disk"),
      ([3, 8, 14, 23, 264], .cannotOpen, "; check that its folder exists and can be written to"),
      ([1, 10, 266, 0x100], .failed, ""),
    ] as [([Int32], ResultError.Code, String)])
  func `an error of SQLite says what to do`(numbers: [Int32], code: ResultError.Code, advice: String) {
    for number in numbers {
      let error = ResultError(number, "why", "Writing", "/x")
      #expect(error.code == code && error.resultCode == number)
      #expect(error.message == "Writing the results in /x failed: why\(advice)")
    }
  }

  @Test func `a file that is no database is left alone`() async throws {
    try folder.write(Data("Dear diary, ".utf8) + Data(count: 5_000))
    try await isRefused(.damaged)
  }

  @Test func `a database of another program is left alone`() async throws {
    var other: Database? = try database()
    try other?.execute("CREATE TABLE recipes (name TEXT)")
    other = nil
    try await isRefused(.foreign)
  }

  @Test func `results of a later version are left alone`() async throws {
    try await fill(1)
    var later: Database? = try database()
    try later?.execute("PRAGMA user_version = \(Schema.version + 1)")
    try later?.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    later = nil
    try await isRefused(.newerSchema)
  }

  @Test(arguments: [0.2, 0.5, 0.8]) func `a file with a hole in it is damaged`(place: Double) async throws {
    try await fill()
    var bytes = try folder.bytes()
    let page = 4_096
    let start = Int(Double(bytes.count / page) * place) * page
    bytes.replaceSubrange(start..<(start + page), with: [UInt8](repeating: 0xA5, count: page))
    try folder.write(bytes)
    try await isRefused(.damaged)
  }

  @Test func `a file that was cut off is damaged`() async throws {
    try await fill()
    try folder.write(try folder.bytes().prefix(9_000))
    try await isRefused(.damaged)
  }

  @Test func `a file in a missing folder is an error`() async throws {
    for path in [folder.path + "/missing/results.sqlite", folder.path, "", ":memory:", folder.path + "/a\0b"] {
      await #expect { try await ResultStore.open(at: path) } throws: { ($0 as? ResultError)?.code == .cannotOpen }
    }
    await #expect { try await ResultStore.open(reading: folder.file) } throws: { ($0 as? ResultError)?.code == .cannotOpen }
    #expect(!FileManager.default.fileExists(atPath: folder.file))
  }

  @Test func `results wait while another program writes, and are written afterwards`() async throws {
    let told = Told()
    let store = try await ResultStore.open(at: folder.file, timeout: .milliseconds(1)) { told.append($0) }
    let other = try database()
    try other.execute("BEGIN EXCLUSIVE")
    store.record(.sample())
    await #expect { try await store.flush() } throws: { ($0 as? ResultError)?.code == .locked }
    try other.execute("ROLLBACK")
    #expect(try await store.history(limit: 9) == [.sample()])
    #expect(told.codes == [.locked, nil])
    try await store.close()
  }

  @Test func `every result that was written is on the disk, and the log beside it stays small`() throws {
    let database = try Archive(at: folder.file, timeout: .zero).database
    var journal: [String] = []
    try Statement("PRAGMA journal_mode", in: database).run { journal.append($0.text(0)) }
    #expect(journal == ["wal"])
    #expect(try database.number("PRAGMA synchronous") == 2)
    #expect(try database.number("PRAGMA foreign_keys") == 1)
    #expect(try database.number("PRAGMA journal_size_limit") == 1 << 20)
    // Those who only read may wait for those who write.
    #expect(try Database(at: folder.file, for: .reading, timeout: .milliseconds(1_500)).number("PRAGMA busy_timeout") == 1_500)
  }

  @Test func `a full disk loses new results only`() throws {
    let archive = try Archive(at: folder.file, timeout: .zero)
    try archive.write([RoundRecord(.sample())])
    let pages = try archive.database.number("PRAGMA page_count")
    _ = try archive.database.number("PRAGMA max_page_count = \(pages)")
    let many = (0..<500).map { RoundRecord(.sample("match \($0)")) }
    #expect { try archive.write(many) } throws: { ($0 as? ResultError)?.code == .full }
    #expect(try archive.history(limit: 9) == [.sample()])
    _ = try archive.database.number("PRAGMA max_page_count = 100000")
    try archive.write(many)
    #expect(try archive.history(limit: 1_000).count == 501)
  }

  // MARK: - Migration

  @Test func `results of the first version are migrated`() async throws {
    var old: Database? = try database()
    try Schema.prepare(old!, upTo: 1)
    try old?.execute("INSERT INTO matches VALUES (1, 'one', 'Ada''s game', 1000, 2000, 5)")
    try old?.execute("INSERT INTO scores VALUES (1, 1, 'Ada', 'ada', 70, 4, 12340), (1, 2, 'Bob', 'bob', 0, 0, NULL)")
    old = nil
    // Reading changes nothing.
    await #expect { try await ResultStore.open(reading: folder.file) } throws: { "\($0)".contains("earlier version 1") }
    let store = try await ResultStore.open(at: folder.file)
    let match = try #require(try await store.history(limit: 9).first)
    #expect(match.scores.map(\.rounds) == [5, 5])
    #expect(match.scores.map(\.points) == [70, 0])
    #expect(match.scores.map(\.best) == [.milliseconds(12_340), nil])
    try await store.close()
    #expect(try database().number("PRAGMA user_version") == Schema.version)
  }

  /// Writes a file of the version before rounds were written one by one: a match of which Ada and Bob have played some rounds.
  private func writeThird(_ path: String, room: String, rounds: Int, points: Int, ended: Int) throws {
    let old = try Database(at: path, for: .writing, timeout: .zero)
    try Schema.prepare(old, upTo: 3)
    try old.execute("INSERT INTO matches VALUES (7, 'one', '\(room)', 1000, \(ended), \(rounds))")
    try old.execute(
      """
      INSERT INTO scores (match, seat, name, key, points, rounds, solved, best, identity) VALUES
        (7, 1, 'Ada', 'ada', \(points), \(rounds), \(rounds), 12340, 'k1'), (7, 2, 'Bob', 'bob', 0, \(rounds), 0, NULL, '')
      """)
  }

  @Test func `a match that an earlier version has recorded goes on round by round`() async throws {
    try writeThird(folder.file, room: "One", rounds: 4, points: 60, ended: 2_000)
    let store = try await ResultStore.open(at: folder.file)
    let before = try #require(try await store.history(limit: 9).first)
    #expect(before.rounds == 4 && before.ended == WallTime(milliseconds: 2_000))
    #expect(before.scores.map(\.key) == ["k1", nil])
    store.record(.sample(5, at: 3_000))
    let match = try #require(try await store.history(limit: 9).first)
    #expect(match.rounds == 5)
    #expect(match.ended == WallTime(milliseconds: 3_000))
    #expect(match.scores.map(\.points) == [75, 0])
    #expect(match.scores.map(\.rounds) == [5, 5])
    #expect(match.scores.map(\.best) == [.seconds(5), nil])
    let board = try await store.leaderboard(by: .points, limit: 9)
    #expect(board.lines.map(\.name) == ["Ada", "Bob"])
    // Whoever leaves has none of the earlier rounds either.
    store.record(.sample(6, names: ["Ada"]))
    #expect(try await store.history(limit: 9).first?.scores.map(\.name) == ["Ada"])
    try await store.close()
  }

  @Test func `joined files of an earlier version lose nothing, and a copy counts once`() async throws {
    let paths = ["one", "two", "copy"].map { "\(folder.path)/\($0).sqlite" }
    try writeThird(paths[0], room: "One", rounds: 4, points: 60, ended: 2_000)
    try writeThird(paths[1], room: "Two", rounds: 2, points: 30, ended: 3_000)
    for path in paths.prefix(2) { try await ResultStore.open(at: path).close() }
    try FileManager.default.copyItem(atPath: paths[0], toPath: paths[2])
    let all = try await ResultStore.open(joining: paths)
    let match = try #require(try await all.history(limit: 9).first)
    #expect(match.rounds == 6)
    #expect(match.scores.map(\.points) == [90, 0])
    try await all.close()
  }

  @Test(arguments: 0..<Schema.version) func `every version migrates to the same schema`(version: Int) throws {
    func schema(_ database: Database) throws -> [String] {
      var texts: [String] = []
      try Statement("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name", in: database).run {
        texts.append($0.text(0))
      }
      return texts
    }
    let old = try database()
    try Schema.prepare(old, upTo: version)
    try Schema.prepare(old)
    let fresh = try Database(at: folder.path + "/fresh.sqlite", for: .writing, timeout: .zero)
    try Schema.prepare(fresh)
    #expect(try schema(old) == schema(fresh))
    #expect(try schema(fresh).count == 5)
  }

  @Test func `a migration that fails changes nothing`() throws {
    let old = try database()
    try Schema.prepare(old, upTo: 1)
    // The next version makes an index of this name.
    try old.execute("CREATE TABLE scores_by_key (x)")
    #expect(throws: ResultError.self) { try Schema.prepare(old) }
    #expect(try old.number("PRAGMA user_version") == 1)
    #expect(try old.number("SELECT count(*) FROM pragma_table_info('scores') WHERE name = 'rounds'") == 0)
  }
}
