/// The side that connects: it commits itself to its part of the code, and opens it when it has the other part.
package struct ComparisonInitiator: Introduction {
  private let binding: ChannelBinding
  private let part: [UInt8]
  private var isOver = false

  package init(_ binding: ChannelBinding) {
    self.binding = binding
    part = SecretBytes.random(count: ComparisonCode.partSize).exposed
  }

  package mutating func begin() -> IntroductionStep {
    .reply(IntroductionMessage(.commitment, ComparisonCode.commitment(binding, to: part)))
  }

  package mutating func handle(_ message: IntroductionMessage) -> IntroductionStep {
    guard !isOver else { return .fail(.unexpected) }
    isOver = true
    if message == IntroductionMessage(.required) { return .fail(.passcodeRequired) }
    guard message.kind == .nonce else { return .fail(.unexpected) }
    let code = ComparisonCode(binding, client: part, server: message.body)
    return IntroductionStep(reply: IntroductionMessage(.opening, part), outcome: .established(code))
  }
}

/// The side that listens, for a client that it lets in with a passcode only: an answer to the commitment, so that nothing of the client
/// is on its way when the connection ends.
struct PasscodeDemand: Introduction {
  mutating func begin() -> IntroductionStep { .wait }

  mutating func handle(_ message: IntroductionMessage) -> IntroductionStep {
    .fail(.passcodeRequired, saying: IntroductionMessage(.required))
  }
}

/// The side that listens: it shows its part of the code once the other side is committed.
package struct ComparisonResponder: Introduction {
  private enum State {
    /// Next: `awaitingOpening`.
    case awaitingCommitment
    case awaitingOpening(commitment: [UInt8])
    case over
  }

  private let binding: ChannelBinding
  private let part: [UInt8]
  private var state = State.awaitingCommitment

  package init(_ binding: ChannelBinding) {
    self.binding = binding
    part = SecretBytes.random(count: ComparisonCode.partSize).exposed
  }

  package mutating func begin() -> IntroductionStep { .wait }

  package mutating func handle(_ message: IntroductionMessage) -> IntroductionStep {
    switch (state, message.kind) {
    case (.awaitingCommitment, .commitment):
      state = .awaitingOpening(commitment: message.body)
      return .reply(IntroductionMessage(.nonce, part))
    case (.awaitingOpening(let commitment), .opening):
      state = .over
      guard SecretBytes(ComparisonCode.commitment(binding, to: message.body)).equals(SecretBytes(commitment)) else {
        return .fail(.brokenCommitment)
      }
      return IntroductionStep(outcome: .established(ComparisonCode(binding, client: message.body, server: part)))
    default:
      state = .over
      return .fail(.unexpected)
    }
  }
}
