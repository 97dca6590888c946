import Console
import EventLoop
import Results
import Rooms

/// Keeps the score of every match of a host, and has it written after each round.
final class ResultKeeper: Sendable {
  private let store: ResultStore
  private let name: String
  /// The latest matches of earlier processes: a room that goes on after a restart is one of them.
  private let earlier: [String: MatchRecord]
  private let tallies = Locked<[RoomID: MatchTally]>([:])

  private init(_ store: ResultStore, name: String, earlier: [MatchRecord]) {
    self.store = store
    self.name = name
    self.earlier = Dictionary(earlier.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
  }

  /// Runs a body with what keeps the results, if the command line says that they are to be recorded; `name` is what the host is
  /// called. When this returns, everything is written.
  static func recording(
    _ arguments: Arguments, for name: String, _ diagnostics: Diagnostics, _ body: (ResultKeeper?) async throws -> Void
  ) async throws {
    guard let path = try ResultsPlace.recording(arguments) else { return try await body(nil) }
    let keeper = try await open(at: path, for: name, diagnostics)
    do {
      try await body(keeper)
    } catch {
      // What ended the body is worth telling more.
      try? await keeper.close()
      throw error
    }
    try await keeper.close()
  }

  private static func open(at path: String, for name: String, _ diagnostics: Diagnostics) async throws(Failure) -> ResultKeeper
  {
    do throws(ResultError) {
      let store = try await ResultStore.open(at: path) { error in
        diagnostics.warning(error.map { "results are not kept for now: \($0)" } ?? "results are kept again")
      }
      return ResultKeeper(store, name: name, earlier: try await store.history(limit: 1_000))
    } catch {
      throw Failure(error)
    }
  }

  /// Takes in what happens in a room; for a thread that must not be blocked.
  func observe(_ room: RoomID, _ event: RoomEvent) {
    let record: MatchRecord? = tallies.withLock { tallies in
      switch event {
      case .open:
        tallies[room] =
          earlier[room.text].map(MatchTally.init(resuming:)) ?? MatchTally(id: room.text, room: name, at: .now)
      case .answer(let player, let time):
        tallies[room]?.solved(player, after: time)
      case .standings(let standings):
        tallies[room]?.stand(standings)
      case .roundEnded(let result):
        return tallies[room]?.ended(result, at: .now)
      case .closed:
        tallies[room] = nil
      case .joined, .left, .away, .back, .missing, .round, .refused, .hint, .reconnecting, .resumed:
        break
      }
      return nil
    }
    if let record { store.record(record) }
  }

  /// Has everything written.
  private func close() async throws(Failure) {
    do throws(ResultError) {
      try await store.close()
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  /// What a program ends with when results cannot be kept or read.
  init(_ error: ResultError) {
    self.init(.inputOutput, error.description)
  }
}
