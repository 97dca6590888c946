import EventLoop

/// What comes from a terminal.
package enum TerminalInput: Hashable, Sendable {
  case key(Key)
  /// The terminal has another size, or what it shows is lost: the picture is to be drawn anew.
  case resized
  /// The terminal is gone.
  case ended
}

/// The inputs of a terminal session, in order, each told once; the sequence ends with ``TerminalInput/ended`` and when the task is
/// cancelled. There is one iteration at a time.
package struct TerminalInputs: AsyncSequence, Sendable {
  package typealias Element = TerminalInput
  package typealias Failure = Never

  /// Of what a person types ahead of a program that is busy, more than this is dropped.
  private static let capacity = 1_024

  private struct State {
    var inputs: [TerminalInput] = []
    var isEnded = false
  }

  private let state = Watched(State())

  func append(_ input: TerminalInput) {
    state.change { state in
      if input == .resized, state.inputs.contains(.resized) { return }
      if input == .ended { state.isEnded = true }
      if state.inputs.count < Self.capacity { state.inputs.append(input) }
    }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(inputs: self) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let inputs: TerminalInputs

    package mutating func next() async -> TerminalInput? {
      await next(isolation: #isolation)
    }

    package mutating func next(isolation actor: isolated (any Actor)?) async -> TerminalInput? {
      let next: TerminalInput?? = await inputs.state.take { state in
        if !state.inputs.isEmpty { return .some(state.inputs.removeFirst()) }
        return state.isEnded ? .some(nil) : nil
      }
      return next ?? nil
    }
  }
}
