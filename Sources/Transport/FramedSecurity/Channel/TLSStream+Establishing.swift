import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop

/// The handshake, and the introduction after it.
extension TLSStream {
  /// Begins the handshake.
  func beginSession() {
    loop.assertIsCurrent()
    switch layer.context {
    case .failure(let error):
      fail(error)
    case .success(let context):
      var name: String?
      if case .name(let host, _) = layer.trust { name = host }
      guard let session = TLSSession(context, serverName: name) else {
        return fail(error(.outOfResources, "there is no memory left; close connections"))
      }
      session.decideOnKey = { [unowned self] key in
        guard let objection = layer.objection(to: key, of: peer) else { return true }
        self.objection = objection
        return false
      }
      self.session = session
      establish()
    }
  }

  /// Goes on as far as the received bytes permit.
  func establish() {
    loop.assertIsCurrent()
    while failure == nil, goOn() {}
    flush()
  }

  /// Takes one step; returns whether another may follow.
  private func goOn() -> Bool {
    switch phase {
    case .handshaking:
      switch run(expecting: 0, { $0.handshake() }) {
      case .done?: return handshakeEnded()
      case .failed(let reason)?: fail(objection ?? error(reason))
      case .ended?: fail(error(.truncated))
      case .wantsInput?, .wantsRoom?, nil: break
      }
      return false
    case .introducing(var introduction):
      guard let message = nextMessage() else { return false }
      let step = introduction.handle(message)
      phase = .introducing(introduction)
      return follow(step)
    case .open, .over:
      return false
    }
  }

  private func handshakeEnded() -> Bool {
    guard let session else { return false }
    // A second look at what was decided during the handshake.
    let key = session.peerKey
    let problem = layer.role == .server ? nil : key.map { layer.objection(to: $0, of: peer) } ?? error(.certificateRefused)
    if let problem {
      fail(problem)
      return false
    }
    // After the key: only who has the right one may ask for a passcode.
    guard let exchange = layer.exchange(for: session.applicationProtocol) else {
      let isAsked = layer.isAskedForPasscode(session.applicationProtocol)
      fail(isAsked ? error(IntroductionStep.Failure.passcodeRequired) : error(.noProtocol))
      return false
    }
    guard let binding = session.exportBinding() else {
      fail(error(.outOfResources, "there is no memory left; close connections"))
      return false
    }
    self.binding = binding
    self.exchange = exchange
    core.note(.answered)
    guard var introduction = layer.introduction(exchange, binding, with: peer, key: key) else {
      openWith(nil)
      return false
    }
    let step = introduction.begin()
    phase = .introducing(introduction)
    return follow(step)
  }

  private func follow(_ step: IntroductionStep) -> Bool {
    if let reply = step.reply { say(reply) }
    switch step.outcome {
    case nil:
      return failure == nil
    case .established(let code)?:
      openWith(code)
    case .failed(let reason)?:
      // What was said leaves before the end.
      session?.finishWriting()
      fail(error(reason))
    }
    return false
  }

  private func openWith(_ code: ComparisonCode?) {
    guard failure == nil, let session, let binding else { return }
    flush()
    guard failure == nil else { return }
    // With a code to compare, the key was known.
    let isPasscodeProved = exchange == .passcode || exchange == .keyOrPasscode && code == nil
    open(
      SecurityDetails(
        peerKey: session.peerKey, ownKey: layer.identity?.fingerprint, isPasscodeProved: isPasscodeProved, comparisonCode: code,
        binding: binding))
  }

  private func say(_ message: IntroductionMessage) {
    guard let session else { return }
    let outcome = message.encoded.withUnsafeBytes { session.write($0) }
    // The output of a handshake is far below its limit.
    if case .failed(let reason) = outcome { fail(error(reason)) }
  }

  /// The next message of the introduction; `nil` if it has not arrived. Reads nothing that follows it.
  private func nextMessage() -> IntroductionMessage? {
    while failure == nil {
      let header = IntroductionMessage.headerSize
      let size = message.count < header ? header : IntroductionMessage.size(beginning: message)
      guard let size else {
        fail(error(IntroductionStep.Failure.unexpected))
        return nil
      }
      if message.count == size {
        defer { message = [] }
        return IntroductionMessage(encoded: message)
      }
      var part = [UInt8](repeating: 0, count: size - message.count)
      var count = 0
      let outcome = part.withUnsafeMutableBytes { room in run(expecting: room.count) { $0.read(into: room, &count) } }
      message += part.prefix(count)
      switch outcome {
      case .done?: continue
      case .failed(let reason)?: fail(error(reason))
      case .ended?: fail(error(.truncated))
      case .wantsInput?, .wantsRoom?, nil: break
      }
      return nil
    }
    return nil
  }
}
