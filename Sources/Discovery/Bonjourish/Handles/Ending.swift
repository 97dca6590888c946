import _BonjourishEventLoop

/// What ends something, done once whoever ends it: its scope, its handle or ``Bonjour/close()``.
package final class Ending: Sendable {
  private enum State {
    case open
    /// With the tasks that wait for the end.
    case ending([CheckedContinuation<Void, Never>])
    case ended
  }

  private let state = Locked(State.open)
  private let action: @Sendable () async -> Void

  package init(_ action: @escaping @Sendable () async -> Void) {
    self.action = action
  }

  /// Whether nobody has begun to end it.
  package var isOpen: Bool {
    state.withLock { state in
      if case .open = state { true } else { false }
    }
  }

  /// Ends it, or waits for the end that somebody has begun.
  package func end() async {
    let isFirst = state.withLock { state in
      guard case .open = state else { return false }
      state = .ending([])
      return true
    }
    guard isFirst else { return await wait() }
    await action()
    let waiting = state.withLock { state in
      defer { state = .ended }
      return if case .ending(let waiting) = state { waiting } else { [] as [CheckedContinuation<Void, Never>] }
    }
    for continuation in waiting { continuation.resume() }
  }

  private func wait() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        guard case .ending(let waiting) = state else { return true }
        state = .ending(waiting + [continuation])
        return false
      }
      if hasEnded { continuation.resume() }
    }
  }
}
