import _BonjourishBase

/// What this side does: opens, sends, reads, closes.
extension RelayLink {
  /// Begins: asks for the connection, or accepts it.
  package mutating func start(at now: ContinuousClock.Instant) -> [Effect] {
    side == .dialer ? dialAgain(at: now) : [accepting()]
  }

  /// The header of the next bytes to send, to which they are appended.
  ///
  /// - Parameter count: How many, at most ``room`` and ``RelayMessage/maximumPayload``.
  package mutating func header(forSending count: Int) -> [UInt8] {
    message(.data, offset: sentEnd).bytes(withRoomFor: count)
  }

  /// Sends bytes.
  ///
  /// - Parameter bytes: Their header, and the bytes.
  package mutating func send(_ bytes: [UInt8], at now: ContinuousClock.Instant) -> [Effect] {
    let count = bytes.count - RelayMessage.headerSize
    precondition((1...room).contains(count), "bytes must be at most what there is room for")
    if segments.isEmpty { lastProgress = now }
    sentEnd += UInt64(count)
    segments.append(Segment(end: sentEnd, bytes: bytes))
    times.sent(upTo: sentEnd, at: now)
    if retransmission == nil { retransmission = now + times.timeout }
    askForRoom(at: now)
    return [.send(bytes)]
  }

  /// Sends the end of the stream.
  package mutating func finish(at now: ContinuousClock.Instant) -> [Effect] {
    guard phase == .open, !isFinished else { return [] }
    isFinished = true
    question = nil
    if retransmission == nil { retransmission = now + times.timeout }
    return [finishing()]
  }

  /// Notes that the app has read bytes, so that the other side may send more.
  package mutating func consumed(_ count: Int, at now: ContinuousClock.Instant) {
    consumedEnd += UInt64(count)
    precondition(consumedEnd <= receivedEnd, "more cannot be read than has come")
    guard phase == .open, !hasPeerFinished else { return }
    if consumedEnd + UInt64(Self.window) - advertised >= UInt64(Self.window / 4) { acknowledgement = now }
  }

  /// Notes that the app reads and sends no more. What was sent before still arrives, if the other side is there.
  package mutating func release(at now: ContinuousClock.Instant) -> [Effect] {
    guard !isReleased else { return [] }
    switch phase {
    case .dialing: return abandon(at: now)
    case .open:
      let effects = finish(at: now)
      isReleased = true
      question = nil
      settle(at: now)
      return effects
    case .ended, .gone:
      isReleased = true
      return []
    }
  }

  /// Breaks the connection, so that the other side sees an error.
  package mutating func abandon(at now: ContinuousClock.Instant) -> [Effect] {
    isReleased = true
    switch phase {
    case .dialing, .open: return end(.broken, telling: .reset, at: now)
    case .ended, .gone: return []
    }
  }

  /// Notes that this program is connected with the relay again: what was sent meanwhile is lost.
  package mutating func reconnected(at now: ContinuousClock.Instant) -> [Effect] {
    switch phase {
    case .dialing: return dialAgain(at: now)
    case .open:
      lastReturn = nil
      if outstanding > 0 { return sendAgain(at: now) }
      return isReleased ? [] : [acknowledge(.wantsAnswer)]
    case .ended, .gone: return []
    }
  }

  /// Handles the deadlines that have passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    if let removal, removal <= now {
      self.removal = nil
      phase = .gone
      (acknowledgement, probe) = (nil, nil)
      return [.gone]
    }
    if let redial, redial <= now { effects += dialAgain(at: now) }
    if let retransmission, retransmission <= now { effects += timeOut(at: now) }
    if let question, question <= now {
      questions += 1
      self.question = now + questionDelay
      effects.append(acknowledge(.wantsAnswer))
    }
    if let probe, probe <= now { effects += probePeer(at: now) }
    if let acknowledgement, acknowledgement <= now, phase == .open { effects.append(acknowledge()) }
    return effects
  }

  // MARK: - Steps

  func accepting() -> Effect {
    var link = self
    return .send(link.message(.accept, offset: 0).bytes())
  }

  mutating func dialAgain(at now: ContinuousClock.Instant) -> [Effect] {
    guard case .dialing(let attempts) = phase else { return [] }
    phase = .dialing(attempts: attempts + 1)
    redial = now + Self.redialDelays.delay(after: attempts)
    return [.dial(message(.dial, offset: owner).bytes())]
  }

  /// Sends the first missing message once more. If it is acknowledged, the others follow.
  private mutating func timeOut(at now: ContinuousClock.Instant) -> [Effect] {
    times.failed()
    retransmission = now + times.timeout
    if let first = segments.first { return [.send(first.bytes)] }
    return [finishing()]
  }

  /// Sends everything once more that was not acknowledged.
  mutating func sendAgain(at now: ContinuousClock.Instant) -> [Effect] {
    if let lastReturn, now - lastReturn < min(times.answer, .seconds(1)) / 2 { return [] }
    lastReturn = now
    times.repeated()
    retransmission = now + times.timeout
    return segments.map { .send($0.bytes) } + (isFinished ? [finishing()] : [])
  }

  /// Asks the other side, if it is silent, and breaks the connection if it stays so.
  ///
  /// Questions are counted rather than time: a program that was stopped for a while has messages to read first.
  private mutating func probePeer(at now: ContinuousClock.Instant) -> [Effect] {
    if lastHeard + Self.probeDelay > now {
      probe = lastHeard + Self.probeDelay
      return []
    }
    if isReleased, outstanding == 0 {
      probe = nil
      return []
    }
    guard probes < Self.maximumProbes else { return end(.silent, telling: .silent, at: now) }
    probes += 1
    probe = now + Self.probeInterval
    return [acknowledge(.wantsAnswer)]
  }

  /// Asks from time to time how far this side may send, while it may not: the message that told so may be lost.
  mutating func askForRoom(at now: ContinuousClock.Instant) {
    let isStopped = phase == .open && segments.isEmpty && limit <= sentEnd && !isFinished && !isReleased
    if !isStopped {
      (question, questions) = (nil, 0)
    } else if question == nil {
      question = now + questionDelay
    }
  }

  private var questionDelay: Duration { Self.questionDelays.delay(after: questions) }

  /// Sets the time at which a closed connection is forgotten, once there is nothing left to send.
  mutating func settle(at now: ContinuousClock.Instant) {
    if phase == .open, isReleased, outstanding == 0, removal == nil { removal = now + Self.lingerTime }
  }
}
