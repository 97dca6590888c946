import EventLoop
import Framing

/// What is expected of the peer, and what comes of it when that does not happen.
extension Channel {
  // MARK: - Anywhere

  /// The peer of a connection that a listener accepted may stay.
  func admit() {
    guard let guest else { return }
    guest.reception.admit(guest.ticket)
    inbound.withLock { inbound in
      inbound.largestFrame = format.maximumBodySize
      inbound.decoder.permit(maximumBodySize: format.maximumBodySize)
    }
    loop.perform {
      self.isNewcomer = false
      self.patience.handle(.admitted, at: self.loop.turnBegan)
    }
  }

  /// The peer has to go before it is admitted, because another has come.
  func displace() {
    loop.perform { self.fail(self.error(.displaced, "too many were waiting to be admitted"), resetting: true) }
  }

  /// Counts what ended a connection with the listener that accepted it.
  func count(_ error: TransportError) {
    guest?.reception.count { $0.count(error.code) }
  }

  // MARK: - On the loop

  /// Something happened that the peer's time depends on.
  func expect(_ event: Patience.Event) {
    guard patience.hasLimits else { return }
    patience.handle(event, at: loop.turnBegan)
    watchPatience()
  }

  /// Looks again when the next of the peer's times is over. What moves that further away is not told to the timer.
  func watchPatience() {
    guard phase == .open, case let deadline = patience.nextDeadline, deadline < patienceDeadline else { return }
    patienceTimer?.cancel()
    patienceDeadline = deadline
    patienceTimer = loop.schedule(at: deadline) {
      self.patienceTimer = nil
      self.patienceDeadline = .never
      self.checkPatience()
    }
  }

  func endPatience() {
    patienceTimer?.cancel()
    patienceTimer = nil
    patienceDeadline = .never
  }

  private func checkPatience() {
    guard phase == .open else { return }
    let tail = inbound.withLock { $0.tail }
    switch patience.check(tail, at: .now) {
    case nil:
      watchPatience()
    case .admission?:
      fail(error(.helloTimedOut, "it was not admitted within \(terms.admissionTime ?? .zero)"), resetting: true)
    case .frame?:
      fail(error(.frameTimedOut, "it began a frame and did not end it within \(limits.frameTime ?? .zero)"), resetting: true)
    case .sending?:
      let reason = "it took nothing for \(limits.stallTime ?? .zero) while something waited"
      // What the system still has for the peer would stay there for long.
      fail(error(.sendTimedOut, reason), resetting: true)
    }
  }

  private func error(_ code: TransportError.Code, _ reason: String) -> TransportError {
    let advice = code.advice.map { "; \($0)" } ?? ""
    return TransportError(code, "The connection with \(peer) was ended because \(reason)\(advice)")
  }
}

extension Channel.Inbound {
  /// What there is that nobody has taken.
  fileprivate var tail: Patience.Tail {
    mutating get {
      if isLent { return .whole }
      if end != nil || decoder.bufferedByteCount == 0 { return .nothing }
      return decoder.hasSomething ? .whole : .part
    }
  }
}
