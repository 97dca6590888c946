import Rooms
import Synchronization
import TwentyFour

/// What the results of all servers of a group have of each match.
final class RecordedRounds: Sendable {
  private struct State {
    var rounds: [RoomID: [Int: Int]] = [:]
    var faults: [String] = []
  }

  private let state = Mutex(State())

  /// Notes what a server records.
  func note(_ room: RoomID, _ event: RoomEvent, _ server: Int) {
    guard case .roundEnded(let result) = event else { return }
    state.withLock { state in
      if let other = state.rounds[room, default: [:]].updateValue(server, forKey: result.number) {
        state.faults.append("round \(result.number) of \(short(room)) is recorded by server \(other) and by server \(server)")
      }
    }
  }

  /// What was wrong since the last time.
  func takeFaults() -> [String] {
    state.withLock { state in
      defer { state.faults = [] }
      return state.faults
    }
  }

  func rounds(of room: RoomID) -> Set<Int> { state.withLock { Set($0.rounds[room, default: [:]].keys) } }
}
