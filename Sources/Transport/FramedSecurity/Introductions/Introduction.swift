/// An exchange of messages over an encrypted channel before it carries frames: a value without I/O.
package protocol Introduction {
  /// Begins; the initiator's first message.
  mutating func begin() -> IntroductionStep

  /// Handles a message of the peer. Not called after a step with an outcome.
  mutating func handle(_ message: IntroductionMessage) -> IntroductionStep
}

/// What follows from an event of an introduction: a reply, an outcome, both or neither.
package struct IntroductionStep: Equatable {
  package enum Outcome: Equatable {
    /// The channel may carry frames. The value is the comparison code, if that was the purpose.
    case established(ComparisonCode?)
    case failed(Failure)
  }

  package enum Failure: Equatable {
    /// The peer does not know the passcode, or this side does not.
    case wrongPasscode
    /// Too many wrong guesses have been made.
    case paused
    /// Too many proofs of the passcode were not answered, so this one is not given.
    case proofsSpent
    /// The listener asks for a passcode, and the client has given none.
    case passcodeRequired
    /// The peer's message does not fit here.
    case unexpected
    /// The peer's share is none, or is this side's own.
    case invalidShare
    /// The peer's part of the comparison code is not what it had committed itself to.
    case brokenCommitment
  }

  package var reply: IntroductionMessage?
  package var outcome: Outcome?

  static let wait = IntroductionStep()
  static func reply(_ message: IntroductionMessage) -> Self { Self(reply: message) }
  static func fail(_ failure: Failure, saying reply: IntroductionMessage? = nil) -> Self {
    Self(reply: reply, outcome: .failed(failure))
  }
}
