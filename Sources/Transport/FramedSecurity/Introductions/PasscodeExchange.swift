package import FramedTransport

/// What both sides of a passcode exchange must agree on: the channel, the roles and the service.
package struct PasscodeContext {
  static let initiatorRole = Array("client".utf8)
  static let responderRole = Array("server".utf8)

  /// The channel identifier (CI).
  let channel: [UInt8]
  /// The session identifier (sid), unique for each TLS connection.
  let session: [UInt8]
  private let arithmetic: PasscodeArithmetic

  package init(_ binding: ChannelBinding, service: String, arithmetic: PasscodeArithmetic = .cpace) {
    self.arithmetic = arithmetic
    channel = CPace.joined(
      Array("bonjourish passcode 1".utf8), Self.initiatorRole, Self.responderRole, Array(service.utf8),
      binding.value(for: "passcode channel").exposed)
    session = binding.value(for: "passcode session").exposed
  }

  /// A side's secret number and share.
  func makeShare(_ passcode: Passcode) -> (scalar: SecretBytes, share: [UInt8])? {
    let generator = arithmetic.generator(passcode.secret, channel, session)
    let scalar = arithmetic.randomScalar()
    guard let share = arithmetic.product(scalar, generator) else { return nil }
    return (scalar, share.exposed)
  }

  /// The tags of both sides; `nil` if the peer's share is invalid.
  func tags(_ scalar: SecretBytes, peer: [UInt8], initiator: [UInt8], responder: [UInt8]) -> (
    initiator: SecretBytes, responder: SecretBytes
  )? {
    guard let secret = arithmetic.product(scalar, SecretBytes(peer)) else { return nil }
    let initiator = CPace.Contribution(share: initiator, data: Self.initiatorRole)
    let responder = CPace.Contribution(share: responder, data: Self.responderRole)
    let key = CPace.sessionKey(secret: secret, session: session, initiator: initiator, responder: responder)
    return (
      CPace.tag(sessionKey: key, session: session, over: initiator),
      CPace.tag(sessionKey: key, session: session, over: responder)
    )
  }
}

/// The side that connects: it proves first, so that a listener reveals nothing to a stranger before a guess is counted.
package struct PasscodeInitiator: Introduction {
  private enum State {
    case idle
    /// Next: `awaitingTag`.
    case awaitingShare(scalar: SecretBytes, share: [UInt8])
    case awaitingTag(expected: SecretBytes)
    case over
  }

  private let passcode: Passcode
  private let context: PasscodeContext
  private let allowance: ProofAllowance?
  private var state = State.idle

  package init(_ passcode: Passcode, _ context: PasscodeContext) {
    self.init(passcode, context, allowance: nil)
  }

  /// - Parameter allowance: Whether a proof may be given; `nil` if the listener's key was known before.
  init(_ passcode: Passcode, _ context: PasscodeContext, allowance: ProofAllowance?) {
    self.passcode = passcode
    self.context = context
    self.allowance = allowance
  }

  package mutating func begin() -> IntroductionStep {
    guard let (scalar, share) = context.makeShare(passcode) else { return end(.invalidShare) }
    state = .awaitingShare(scalar: scalar, share: share)
    return .reply(IntroductionMessage(.share, share))
  }

  package mutating func handle(_ message: IntroductionMessage) -> IntroductionStep {
    if message.kind == .refusal {
      switch IntroductionMessage.Refusal(rawValue: message.body[0]) {
      case .wrong: return end(.wrongPasscode)
      case .paused: return end(.paused)
      case .required, nil: return end(.unexpected)
      }
    }
    switch (state, message.kind) {
    case (.awaitingShare(let scalar, let share), .share):
      // Our own share, sent back to us.
      guard message.body != share,
        let tags = context.tags(scalar, peer: message.body, initiator: share, responder: message.body)
      else { return end(.invalidShare) }
      guard allowance?.take() ?? true else { return end(.proofsSpent) }
      state = .awaitingTag(expected: tags.responder)
      return .reply(IntroductionMessage(.tag, tags.initiator.exposed))
    case (.awaitingTag(let expected), .tag):
      guard expected.equals(SecretBytes(message.body)) else { return end(.wrongPasscode) }
      allowance?.confirm()
      state = .over
      return IntroductionStep(outcome: .established(nil))
    default:
      return end(.unexpected)
    }
  }

  private mutating func end(_ failure: IntroductionStep.Failure) -> IntroductionStep {
    state = .over
    return .fail(failure)
  }
}

/// The side that listens.
package struct PasscodeResponder: Introduction {
  private enum State {
    /// Next: `awaitingTag`.
    case awaitingShare
    case awaitingTag(expected: SecretBytes, answer: SecretBytes, PasscodeGuard.Challenge)
    case over
  }

  private let passcodes: PasscodeGuard
  private let peer: SocketAddress
  private let key: KeyFingerprint?
  private let isKnown: Bool
  private let context: PasscodeContext
  private var state = State.awaitingShare

  /// - Parameters:
  ///   - key: The key that the peer has proved to have; `nil` for none.
  ///   - isKnown: Whether the key would do in place of the passcode.
  package init(
    _ passcodes: PasscodeGuard, peer: SocketAddress, key: KeyFingerprint? = nil, isKnown: Bool = false,
    _ context: PasscodeContext
  ) {
    self.passcodes = passcodes
    self.peer = peer
    self.key = key
    self.isKnown = isKnown
    self.context = context
  }

  package mutating func begin() -> IntroductionStep { .wait }

  package mutating func handle(_ message: IntroductionMessage) -> IntroductionStep {
    switch (state, message.kind) {
    case (.awaitingShare, .share):
      guard let challenge = passcodes.challenge(peer, key: key, isKnown: isKnown) else { return end(.paused, .paused) }
      guard let (scalar, share) = context.makeShare(challenge.passcode), share != message.body,
        let tags = context.tags(scalar, peer: message.body, initiator: message.body, responder: share)
      else { return end(.invalidShare) }
      state = .awaitingTag(expected: tags.initiator, answer: tags.responder, challenge)
      return .reply(IntroductionMessage(.share, share))
    case (.awaitingTag(let expected, let answer, let challenge), .tag):
      let judgement = passcodes.judge(challenge, from: peer) { expected.equals(SecretBytes(message.body)) }
      switch judgement {
      case .right:
        state = .over
        return IntroductionStep(reply: IntroductionMessage(.tag, answer.exposed), outcome: .established(nil))
      case .wrong: return end(.wrongPasscode, .wrong)
      case .paused: return end(.paused, .paused)
      }
    default:
      return end(.unexpected)
    }
  }

  private mutating func end(
    _ failure: IntroductionStep.Failure, _ refusal: IntroductionMessage.Refusal? = nil
  ) -> IntroductionStep {
    state = .over
    return .fail(failure, saying: refusal.map { IntroductionMessage($0) })
  }
}
