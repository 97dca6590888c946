import Foundation
import TestSupport
import Testing
import TwentyFour

@testable import Results

/// A process that is killed while it writes.
///
/// What was told to be written is there afterwards, and every round is there as a whole or not at all. That the same holds when
/// the machine loses its power is SQLite's promise for a log that is synced at every commit; killing a process does not show it.
@Suite(.timeLimit(.minutes(1))) struct CrashTests {
  /// How many players each match has; they all have as many points as the match has rounds.
  private static let playerCount = 16

  private static func round(_ number: Int, of match: Int) -> RoundRecord {
    RoundRecord(
      match: "match \(match)", room: "crash", began: WallTime(milliseconds: match), hasEnd: true, number: number,
      ended: WallTime(milliseconds: match + number),
      scores: (1...playerCount).map { .init(player: .init(rawValue: $0), name: "player \($0)", points: 1, rounds: 1) })
  }

  @Test(arguments: [1, 2, 7, 30, 100])
  func `a process that is killed while it writes loses no flushed round`(after count: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count] in
      let store = try await ResultStore.open(at: path + "/results.sqlite")
      // A second file gets one byte for each round that was written.
      let journal = open(path + "/written", O_WRONLY | O_CREAT | O_APPEND, 0o600)
      // Another thread kills while this one goes on writing.
      let mayKill = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        mayKill.wait()
        kill(getpid(), SIGKILL)
      }
      var written = 0
      for match in 0... {
        for number in 1...3 {
          store.record(Self.round(number, of: match))
          try await store.flush()
          write(journal, ".", 1)
          written += 1
          if written == count { mayKill.signal() }
        }
      }
    }
    let written = try Data(contentsOf: URL(filePath: path + "/written")).count
    let store = try await ResultStore.open(at: folder.file)
    let matches = try await store.history(limit: .max)
    let rounds = matches.map(\.rounds).reduce(0, +)
    // One more may have been written than was noted.
    #expect(rounds == written || rounds == written + 1)
    #expect(written >= count)
    for match in matches {
      #expect(match.scores.count == Self.playerCount)
      #expect(match.scores.allSatisfy { $0.points == match.rounds })
    }
    // The store can be used again.
    store.record(.sample("afterwards"))
    #expect(try await store.history(limit: .max).count == matches.count + 1)
    try await store.close()
  }
}
