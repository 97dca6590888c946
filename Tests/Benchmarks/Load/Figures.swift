import Rooms
import Synchronization
import TwentyFour

/// What all bots have noted together.
final class Figures: Sendable {
  private struct Start: Hashable {
    let room: RoomID
    let round: Int
  }

  private struct State {
    var starts: [Start: (first: ContinuousClock.Instant, last: ContinuousClock.Instant, players: Int)] = [:]
    var acknowledgements: [Duration] = []
    var answers = 0
    var ends = 0
    var notes: [String: Int] = [:]
    var solutions: [Hand: String] = [:]
  }

  private let state = Mutex(State())

  func roundStarted(_ round: Int, in room: RoomID, at now: ContinuousClock.Instant) {
    state.withLock { state in
      let start = Start(room: room, round: round)
      let seen = state.starts[start] ?? (now, now, 0)
      state.starts[start] = (min(seen.first, now), max(seen.last, now), seen.players + 1)
    }
  }

  func roundEnded() {
    state.withLock { $0.ends += 1 }
  }

  func answered() {
    state.withLock { $0.answers += 1 }
  }

  func acknowledged(after time: Duration) {
    state.withLock { $0.acknowledgements.append(time) }
  }

  /// Notes what should not have happened.
  func note(_ text: String) {
    state.withLock { $0.notes[text, default: 0] += 1 }
  }

  /// A way to solve a hand: all in a room have the same, so it is looked for once.
  func solution(of hand: Hand) -> String {
    state.withLock { state in
      if let known = state.solutions[hand] { return known }
      let solution = Solver.firstSolution(of: hand)?.description ?? ""
      state.solutions[hand] = solution
      return solution
    }
  }

  // MARK: - What comes of it

  var roundEndCount: Int { state.withLock { $0.ends } }
  var answerCount: Int { state.withLock { $0.answers } }
  var acknowledgements: [Duration] { state.withLock { $0.acknowledgements } }
  var notes: [String: Int] { state.withLock { $0.notes } }

  /// Of each round in each room in which all took part: the time between the first who was told and the last.
  func spreads(players: Int) -> [Duration] {
    state.withLock { state in state.starts.values.filter { $0.players == players }.map { $0.first.duration(to: $0.last) } }
  }
}

extension [Duration] {
  /// What a share of them did not exceed, in milliseconds; 0 of none.
  func quantile(_ share: Double) -> Double {
    guard !isEmpty else { return 0 }
    let index = Swift.min(count - 1, Int((share * Double(count)).rounded(.up)) - 1)
    return sorted()[Swift.max(0, index)] / .milliseconds(1)
  }
}
