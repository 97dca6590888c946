import Console
import Results
import Rooms
import SecureTransport
import Synchronization
import TwentyFour

/// Keeps the scores of a host's matches, and records them after each round.
final class ResultKeeper: Sendable {
  private let store: ResultStore
  private let name: String
  /// The fingerprint of the key of the host's own player.
  private let key: String?
  /// The latest matches of earlier processes, one of which may be continued after a restart.
  private let earlier: [String: MatchRecord]
  private let rooms = Mutex<[RoomID: Room]>([:])

  /// A room, and the score of its match.
  private struct Room {
    /// The score of the running match; nil after its end.
    var tally: MatchTally?
    /// Whether the number of rounds is known.
    let hasEnd: Bool
    /// The fingerprints of the players' keys, which the next match needs, too.
    private var keys: [Player: String] = [:]

    init(tally: MatchTally, hasEnd: Bool) {
      (self.tally, self.hasEnd) = (tally, hasEnd)
    }

    mutating func identify(_ player: Player, _ key: String) {
      keys[player] = key
      tally?.identified(player, key: key)
    }

    mutating func forget(_ player: Player) {
      keys[player] = nil
      tally?.left(player)
    }

    /// Ends the match, and begins another one; returns a record that replaces the earlier one.
    mutating func begin(_ next: MatchTally) -> MatchRecord? {
      let record = end()
      tally = next
      for (player, key) in keys { tally?.identified(player, key: key) }
      return record
    }

    mutating func end() -> MatchRecord? {
      defer { tally = nil }
      return tally?.closed()
    }
  }

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
    let record: MatchRecord? = rooms.withLock { rooms in
      switch event {
      case .open(_, let own, let rules):
        rooms[room] = Room(tally: tally(room.text, hasEnd: rules.rounds != nil), hasEnd: rules.rounds != nil)
        if let own, let key { rooms[room]?.identify(own, key) }
      case .identified(let player?, let key?, _):
        rooms[room]?.identify(player, key.description)
      case .answer(let player, let time):
        rooms[room]?.tally?.solved(player, after: time)
      case .left(let player):
        rooms[room]?.forget(player)
      case .roundEnded(let result):
        return rooms[room]?.tally?.ended(result, at: .now)
      case .matchBegan(let number):
        guard let hasEnd = rooms[room]?.hasEnd else { return nil }
        return rooms[room]?.begin(tally("\(room.text)-\(number)", hasEnd: hasEnd))
      // Whoever leaves now has played to the end.
      case .matchEnded:
        return rooms[room]?.end()
      case .closed:
        var room = rooms.removeValue(forKey: room)
        return room?.end()
      default:
        break
      }
      return nil
    }
    if let record { store.record(record) }
  }

  /// The score of a match: of a new one, or of one that an earlier process has begun.
  private func tally(_ id: String, hasEnd: Bool) -> MatchTally {
    earlier[id].map { MatchTally(resuming: $0, hasEnd: hasEnd) } ?? MatchTally(id: id, room: name, hasEnd: hasEnd, at: .now)
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
