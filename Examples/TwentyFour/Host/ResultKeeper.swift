import Console
import Results
import Rooms
import SecureTransport
import Synchronization

/// Keeps the scores of a host's matches, and records them after each round.
final class ResultKeeper: Sendable {
  private let store: ResultStore
  private let name: String
  /// The fingerprint of the key of the host's own player.
  private let key: String?
  /// The latest matches of earlier processes, one of which may be continued after a restart.
  private let earlier: [String: MatchRecord]
  private let tallies = Mutex<[RoomID: MatchTally]>([:])

  private init(_ store: ResultStore, name: String, key: String?, earlier: [MatchRecord]) {
    self.store = store
    self.name = name
    self.key = key
    self.earlier = Dictionary(earlier.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
  }

  /// Runs a body with a keeper of results, or nil if the command line does not ask for results. `name` is the host's name,
  /// `key` the fingerprint of its own player's key. On return, everything has been written.
  static func recording(
    _ arguments: Arguments, for name: String, key: String? = nil, _ diagnostics: Diagnostics,
    _ body: (ResultKeeper?) async throws -> Void
  ) async throws {
    guard let path = try ResultsPlace.recording(arguments) else { return try await body(nil) }
    let keeper = try await open(at: path, for: name, key, diagnostics)
    do {
      try await body(keeper)
    } catch {
      // The error of the body is more important.
      try? await keeper.close()
      throw error
    }
    try await keeper.close()
  }

  private static func open(
    at path: String, for name: String, _ key: String?, _ diagnostics: Diagnostics
  ) async throws(Failure) -> ResultKeeper {
    do throws(ResultError) {
      let store = try await ResultStore.open(at: path) { error in
        diagnostics.warning(error.map { "results are not recorded at present: \($0)" } ?? "results are recorded again")
      }
      return ResultKeeper(store, name: name, key: key, earlier: try await store.history(limit: 1_000))
    } catch {
      throw Failure(error)
    }
  }

  /// Handles an event of a room; never blocks.
  func observe(_ room: RoomID, _ event: RoomEvent) {
    let record: MatchRecord? = tallies.withLock { tallies in
      switch event {
      case .open(_, let own, let rules):
        let hasEnd = rules.rounds != nil
        tallies[room] =
          earlier[room.text].map { MatchTally(resuming: $0, hasEnd: hasEnd) }
          ?? MatchTally(id: room.text, room: name, hasEnd: hasEnd, at: .now)
        if let own, let key { tallies[room]?.identified(own, key: key) }
      case .identified(let player?, let key?, _):
        tallies[room]?.identified(player, key: key.description)
      case .answer(let player, let time):
        tallies[room]?.solved(player, after: time)
      case .left(let player):
        tallies[room]?.left(player)
      case .roundEnded(let result):
        return tallies[room]?.ended(result, at: .now)
      case .closed:
        var tally = tallies.removeValue(forKey: room)
        return tally?.closed()
      default:
        break
      }
      return nil
    }
    if let record { store.record(record) }
  }

  /// Writes all pending results.
  private func close() async throws(Failure) {
    do throws(ResultError) {
      try await store.close()
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  /// The failure of a program that cannot write or read results.
  init(_ error: ResultError) {
    self.init(.inputOutput, error.description)
  }
}
