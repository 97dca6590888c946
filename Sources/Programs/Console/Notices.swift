import Synchronization

/// Messages beside a screen, on standard error. While they would disturb the screen, they are shown on it first and written to
/// standard error afterwards.
public final class Notices: Sendable {
  /// The number of messages of each kind that are kept; the oldest are dropped.
  private static let capacity = 200

  private struct State: Sendable {
    var hasScreen = false
    /// For standard error, after the screen.
    var kept: [(level: Diagnostics.Level, message: String)] = []
    /// For standard output, after the screen.
    var goodbyes: [String] = []
    /// For the screen.
    var shown: [String] = []
    /// Woken when there is a message for the screen.
    var waiting: AsyncStream<Never>.Continuation?
  }

  private let direct: Diagnostics
  private let state = Mutex(State())

  /// Makes notices of a program, whose name is in front of what is written.
  public init(program: String) {
    direct = Diagnostics(program: program, level: .detail)
  }

  /// Tells a message: writes it, or keeps it while there is a screen. What is a warning or worse is for the screen too.
  public func tell(_ level: Diagnostics.Level, _ message: String) {
    let isKept = state.withLock { state in
      // If standard error goes to a file, it does not disturb the screen.
      guard state.hasScreen, Output.error.isTerminal else { return false }
      state.kept = state.kept.suffix(Self.capacity - 1) + [(level, message)]
      guard level <= .warning else { return true }
      state.shown = state.shown.suffix(Self.capacity - 1) + [message]
      state.waiting?.finish()
      return true
    }
    if !isKept { direct.log(level, message) }
  }

  /// Keeps all messages from now on, until the screen has ended.
  public func beginScreen() {
    state.withLock { $0.hasScreen = true }
  }

  /// Writes the kept messages.
  public func endScreen() {
    let last = state.withLock { state in
      defer { state = State() }
      return state
    }
    for line in last.goodbyes { Output.standard.line(line) }
    for (level, message) in last.kept { direct.log(level, message) }
  }

  /// Keeps a line for standard output, after the screen.
  public func goodbye(_ line: String) {
    state.withLock { $0.goodbyes = $0.goodbyes.suffix(Self.capacity - 1) + [line] }
  }

  /// The next message for the screen; nil if the task is cancelled. Only one task may wait at a time.
  public func next() async -> String? {
    while !Task.isCancelled {
      let (change, continuation) = AsyncStream.makeStream(of: Never.self)
      let message: String? = state.withLock { state in
        guard state.shown.isEmpty else { return state.shown.removeFirst() }
        state.waiting = continuation
        return nil
      }
      if let message { return message }
      for await _ in change {}
    }
    return nil
  }
}
