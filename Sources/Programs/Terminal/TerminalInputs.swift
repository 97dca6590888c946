import _BonjourishEventLoop

/// An input from a terminal.
public enum TerminalInput: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// The terminal's size has changed, or its contents are lost: draw everything again.
  case resized
  /// The terminal is gone.
  case ended
}

/// The inputs of a terminal session, in order; the sequence ends after ``TerminalInput/ended`` and when the task is cancelled.
///
/// Each input is delivered once. One task may iterate at a time.
public struct TerminalInputs: AsyncSequence, Sendable {
  public typealias Element = TerminalInput
  public typealias Failure = Never

  /// The number of inputs kept while the program is busy; further inputs are dropped.
  private static let capacity = 1_024

  private struct State {
    var inputs: [TerminalInput] = []
    var isEnded = false
  }

  private let state = Observed(State())

  func append(_ input: TerminalInput) {
    state.change { state in
      if input == .resized, state.inputs.contains(.resized) { return }
      if input == .ended { state.isEnded = true }
      if state.inputs.count < Self.capacity { state.inputs.append(input) }
    }
  }

  /// Begins an iteration, which continues where the previous one ended.
  public func makeAsyncIterator() -> Iterator { Iterator(inputs: self) }

  /// Returns the inputs one by one.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let inputs: TerminalInputs

    /// The next input; nil after the last one, and when the task is cancelled.
    public mutating func next() async -> TerminalInput? {
      let next: TerminalInput?? = await inputs.state.take { state in
        if !state.inputs.isEmpty { return .some(state.inputs.removeFirst()) }
        return state.isEnded ? .some(nil) : nil
      }
      return next ?? nil
    }

    /// The same as `next()`, for a caller of any isolation.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async -> TerminalInput? {
      await next()
    }
  }
}
