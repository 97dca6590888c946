/// The side that connects to a listener that may know its key: it proves the passcode if the listener asks for it.
///
/// It begins as for a code to compare, which both sides get if the key is known. The listener's `required` begins the proof on the same
/// channel.
package struct KnownKeyInitiator: Introduction {
  private enum State {
    /// Next: `proving`, `over`.
    case comparing(ComparisonInitiator)
    case proving
    /// The listener has answered that it knows the key, or with what does not fit.
    case over
  }

  private var state: State
  private var passcode: PasscodeInitiator

  package init(_ binding: ChannelBinding, _ passcode: PasscodeInitiator) {
    state = .comparing(ComparisonInitiator(binding))
    self.passcode = passcode
  }

  package mutating func begin() -> IntroductionStep {
    guard case .comparing(var comparison) = state else { return .fail(.unexpected) }
    return comparison.begin()
  }

  package mutating func handle(_ message: IntroductionMessage) -> IntroductionStep {
    switch state {
    case .comparing where message == IntroductionMessage(.required):
      state = .proving
      return passcode.begin()
    case .comparing(var comparison):
      state = .over
      return comparison.handle(message)
    case .proving:
      return passcode.handle(message)
    case .over:
      return .fail(.unexpected)
    }
  }
}

/// The side that listens: it asks for the passcode if it does not know the client's key.
package struct KnownKeyResponder: Introduction {
  private enum State {
    case comparing(ComparisonResponder)
    /// Next: `asking`.
    case awaitingCommitment
    case asking
  }

  private var state: State
  private var passcode: PasscodeResponder

  package init(_ binding: ChannelBinding, isKnown: Bool, _ passcode: PasscodeResponder) {
    state = isKnown ? .comparing(ComparisonResponder(binding)) : .awaitingCommitment
    self.passcode = passcode
  }

  package mutating func begin() -> IntroductionStep { .wait }

  package mutating func handle(_ message: IntroductionMessage) -> IntroductionStep {
    switch state {
    case .comparing(var comparison):
      let step = comparison.handle(message)
      state = .comparing(comparison)
      return step
    case .awaitingCommitment:
      state = .asking
      guard message.kind == .commitment else { return .fail(.unexpected) }
      return .reply(IntroductionMessage(.required))
    case .asking:
      return passcode.handle(message)
    }
  }
}
