import Rooms
import Synchronization
import TwentyFour

/// What the results of all servers of a group have of each match, when they are joined: of a round that several have recorded, what
/// was recorded last.
final class RecordedRounds: Sendable {
  private struct State {
    var rounds: [RoomID: [Int: Record]] = [:]
    var faults: [String] = []
  }

  private struct Record {
    let result: Match.RoundResult
    let server: Int
  }

  private let state = Mutex(State())

  /// Notes what a server records.
  func note(_ room: RoomID, _ event: RoomEvent, _ server: Int) {
    guard case .roundEnded(let result) = event else { return }
    state.withLock { state in
      let record = Record(result: result, server: server)
      guard let other = state.rounds[room, default: [:]].updateValue(record, forKey: result.number) else { return }
      // The last round of a match may be played once more, because its end was not stored.
      guard other.result.hand.isDealt(as: result.hand) || other.result.pause == nil, other.server != server else {
        state.faults.append(
          "round \(result.number) of \(short(room)) is recorded by server \(other.server) and by server \(server)")
        return
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

  func rounds(of room: RoomID) -> [Int: Match.RoundResult] {
    state.withLock { $0.rounds[room, default: [:]].mapValues(\.result) }
  }
}

extension Hand {
  /// Whether it has the same numbers.
  func isDealt(as other: Hand) -> Bool { numbers.sorted() == other.numbers.sorted() }
}
