import FramedSecurity
import Results
import Rooms
import Screens
import Synchronization
import TwentyFour
import _BonjourishConsole

/// Records each round of a host's matches.
final class ResultKeeper: Sendable {
  private let store: ResultStore
  private let name: String
  /// The fingerprint of the key of the host's own player.
  private let key: String?
  private let rooms = Mutex<[RoomID: Room]>([:])

  /// A room, and its match.
  private struct Room {
    /// Makes the records of the running match; nil after its end.
    var recorder: MatchRecorder?
    let rules: Match.Rules
    /// The fingerprints of the players' keys, which the next match needs, too.
    private var keys: [Player: String] = [:]

    init(recorder: MatchRecorder, rules: Match.Rules) {
      (self.recorder, self.rules) = (recorder, rules)
    }

    mutating func identify(_ player: Player, _ key: String) {
      keys[player] = key
      recorder?.identified(player, key: key)
    }

    mutating func forget(_ player: Player) {
      keys[player] = nil
      recorder?.left(player)
    }

    /// Ends the match, and begins another one; returns a record that replaces the latest one.
    mutating func begin(_ next: MatchRecorder) -> RoundRecord? {
      let record = end()
      recorder = next
      for (player, key) in keys { recorder?.identified(player, key: key) }
      return record
    }

    mutating func end() -> RoundRecord? {
      defer { recorder = nil }
      return recorder?.closed()
    }
  }

  private init(_ store: ResultStore, name: String, key: String?) {
    self.store = store
    self.name = name
    self.key = key
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
        diagnostics.warning(error.map { Phrases.Results.notRecorded("\($0)") } ?? Phrases.Results.recordedAgain)
      }
      return ResultKeeper(store, name: name, key: key)
    } catch {
      throw Failure(error)
    }
  }

  /// Handles an event of a room; never blocks.
  func observe(_ room: RoomID, _ event: RoomEvent) {
    let record: RoundRecord? = rooms.withLock { rooms in
      switch event {
      case .open(_, let own, let rules):
        // A hint costs the same in all rooms.
        let rules = Match.Rules(roundDuration: rules.roundDuration, pause: rules.pause, rounds: rules.rounds)
        rooms[room] = Room(recorder: MatchRecorder(id: room.text, room: name, rules: rules, at: .now), rules: rules)
        if let own, let key { rooms[room]?.identify(own, key) }
      case .identified(let player?, let key?, _):
        rooms[room]?.identify(player, key.description)
      case .left(let player):
        rooms[room]?.forget(player)
      case .roundEnded(let result):
        return rooms[room]?.recorder?.ended(result, at: .now)
      case .matchBegan(let number):
        guard let rules = rooms[room]?.rules else { return nil }
        return rooms[room]?.begin(MatchRecorder(id: "\(room.text)-\(number)", room: name, rules: rules, at: .now))
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
