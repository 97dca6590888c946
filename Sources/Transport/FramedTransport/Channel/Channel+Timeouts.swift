import FramedCoding
import _BonjourishEventLoop

/// The peer's timeouts.
extension Channel {
  // MARK: - Anywhere

  /// Admits a pending connection. Has no effect on others.
  func admit() {
    guard let admission else { return }
    admission.registry.admit(admission.ticket)
    inbound.withLock { inbound in
      inbound.largestFrame = format.maximumBodySize
      inbound.decoder.permit(maximumBodySize: format.maximumBodySize)
    }
    loop.perform {
      self.isPending = false
      self.stream.permit(largestFrame: self.format.maximumBodySize)
      self.timeouts.handle(.admitted, at: self.loop.tickStart)
    }
  }

  /// Ends a pending connection to make room for another.
  func displace() {
    loop.perform { self.fail(self.error(.displaced, "too many connections were waiting to be admitted"), resetting: true) }
  }

  /// Counts an error with the listener that accepted the connection, and tells its log.
  func count(_ error: TransportError) {
    guard let registry = admission?.registry else { return }
    registry.count { $0.count(error.code) }
    registry.log?.report(.debug, error.code.description, error.message, ["peer": "\(peer)", "error": "\(error.code)"])
  }

  // MARK: - On the loop

  /// Handles an event that changes the peer's deadlines.
  func expect(_ event: PeerTimeouts.Event) {
    loop.assertIsCurrent()
    guard timeouts.hasLimits else { return }
    timeouts.handle(event, at: loop.tickStart)
    scheduleTimeout()
  }

  /// Sets the timer for the next deadline.
  func scheduleTimeout() {
    loop.assertIsCurrent()
    if phase == .open { timeoutDeadline.set(timeouts.nextDeadline) }
  }

  func checkTimeouts() {
    loop.assertIsCurrent()
    guard phase == .open else { return }
    let tail = inbound.withLock { $0.tail }
    let now = LoopTime.now
    switch timeouts.check(tail, isListening: isListening, at: now) {
    case nil:
      if timeouts.takeHeartbeat(at: now) { sendHeartbeat() }
      scheduleTimeout()
    case .admission?:
      fail(error(.helloTimedOut, "it was not admitted within \(terms.admissionTime ?? .zero)"), resetting: true)
    case .frame?:
      fail(error(.frameTimedOut, "the peer did not end a frame within \(limits.frameTime ?? .zero)"), resetting: true)
    case .sending? where stream.isInterrupted:
      timeouts.handle(.progressed, at: now)
      scheduleTimeout()
    case .sending?:
      let reason = "the peer accepted nothing for \(limits.stallTime ?? .zero) while bytes waited to be sent"
      // Reset: otherwise the system would keep the unsent bytes for a long time.
      fail(error(.sendTimedOut, reason), resetting: true)
    case .silence?:
      fail(error(.timedOut, "nothing was received from the peer for \(limits.heartbeat?.timeout ?? .zero)"), resetting: true)
    }
  }

  /// Whether this side reads, and the peer may still send.
  var isListening: Bool {
    loop.assertIsCurrent()
    return !hasPeerEnded && !inbound.withLock { $0.isPaused }
  }

  /// Sends an empty frame, unless other bytes wait to be sent or sending has ended.
  private func sendHeartbeat() {
    loop.assertIsCurrent()
    let isIdle = outbound.withLock { $0.end == nil && $0.waitingByteCount == 0 }
    // An error would be one that the channel already knows.
    if isIdle, !isBlocked { _ = try? accept([]) }
  }

  private func error(_ code: TransportError.Code, _ reason: String) -> TransportError {
    let advice = code.advice.map { "; \($0)" } ?? ""
    return TransportError(code, "The connection with \(peer) was ended because \(reason)\(advice)")
  }
}

extension Channel.Inbound {
  /// The received bytes that were not taken.
  fileprivate var tail: PeerTimeouts.Tail {
    mutating get {
      if isLent { return .whole }
      if end != nil || decoder.bufferedByteCount == 0 { return .nothing }
      return decoder.hasSomething ? .whole : .part
    }
  }
}
