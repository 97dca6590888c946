import EventLoop
import Race

/// The present state of a client, and those who watch it.
final class StateBoard: Sendable {
  private struct State {
    var present = ClientState.notAvailable
    var isOver = false
    var watchers: [Int: AsyncStream<ClientState>.Continuation] = [:]
    var watcherCount = 0
  }

  private let state = Locked(State())

  func append(_ present: ClientState) {
    let watchers = state.withLock { state in
      state.present = present
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.yield(present) }
  }

  /// No more will follow.
  func end() {
    let watchers = state.withLock { state in
      state.isOver = true
      defer { state.watchers = [:] }
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.finish() }
  }

  /// A sequence of the present state and all that follow; whoever is slow gets the last 64 of them.
  func watch() -> AsyncStream<ClientState> {
    let (stream, continuation) = AsyncStream.makeStream(of: ClientState.self, bufferingPolicy: .bufferingNewest(64))
    let number: Int? = state.withLock { state in
      continuation.yield(state.present)
      guard !state.isOver else { return nil }
      state.watcherCount += 1
      state.watchers[state.watcherCount] = continuation
      return state.watcherCount
    }
    if let number {
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
    } else {
      continuation.finish()
    }
    return stream
  }

  private func remove(_ number: Int) {
    _ = state.withLock { $0.watchers.removeValue(forKey: number) }
  }
}
