import Console
import EventLoop
import Terminal

/// What is told beside the game: on standard error or, while there is a screen that this would disturb, on the screen first and
/// on standard error afterwards.
final class Notices: Sendable {
  /// Of more, the oldest are dropped.
  private static let capacity = 200

  private struct State: Sendable {
    var hasScreen = false
    /// For standard error, once the screen is gone.
    var kept: [Kept] = []
    /// For standard output then, so that something remains of the evening.
    var farewells: [String] = []
    /// For the screen.
    var shown: [String] = []
  }

  private struct Kept: Sendable {
    let level: Diagnostics.Level
    let message: String
  }

  private let direct: Diagnostics
  private let state = Watched(State())

  init(program: String) {
    direct = Diagnostics(program: program, level: .detail)
  }

  func tell(_ level: Diagnostics.Level, _ message: String) {
    let isKept = state.change { state in
      // What goes to a file does not disturb the screen.
      guard state.hasScreen, Output.error.isTerminal else { return false }
      state.kept = state.kept.suffix(Self.capacity - 1) + [Kept(level: level, message: message)]
      if level <= .warning { state.shown = state.shown.suffix(Self.capacity - 1) + [message] }
      return true
    }
    if !isKept { direct.log(level, message) }
  }

  /// Keeps everything for later until the screen is gone.
  func beginScreen() {
    state.change { $0.hasScreen = true }
  }

  /// Tells what was kept.
  func endScreen() {
    let last = state.change { state in
      defer { state = State() }
      return state
    }
    for line in last.farewells { Output.standard.line(line) }
    for kept in last.kept { direct.log(kept.level, kept.message) }
  }

  /// Keeps a line for after the screen.
  func farewell(_ line: String) {
    state.change { $0.farewells = $0.farewells.suffix(Self.capacity - 1) + [line] }
  }

  /// The next message for the screen; nil when the task is cancelled.
  func next() async -> String? {
    await state.take { $0.shown.isEmpty ? nil : $0.shown.removeFirst() }
  }
}
