/// What comes from the other side.
extension RelayLink {
  /// Handles a message.
  ///
  /// - Parameters:
  ///   - message: Its header.
  ///   - count: The number of bytes after the header.
  package mutating func receive(
    _ message: RelayMessage, payload count: Int = 0, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard message.connection == connection, message.isFromDialer == (side == .acceptor) else {
      return [.ignored(.wrongConnection)]
    }
    switch (phase, message.kind) {
    case (.gone, _): return []
    case (.ended, .reset): return []
    case (.ended, _):
      // It does not know yet.
      return [.send(self.message(.reset, reason: .reset, offset: sentEnd).bytes())]
    case (.dialing, .accept): return opened(message, at: now)
    case (.dialing, .reset), (.open, .reset): return end(message.reason == .refused ? .refused : .reset, telling: nil, at: now)
    case (.open, .dial):
      // The answer was lost, if it is the same dial.
      guard message.address == peer else { return [.ignored(.unexpected)] }
      hear(at: now)
      return [accepting()]
    case (.open, .data), (.open, .finish): return streamed(message, count, at: now)
    case (.open, .accept): return [.ignored(.duplicate)]
    case (.dialing, .dial), (.dialing, .data), (.dialing, .finish): return [.ignored(.unexpected)]
    }
  }

  /// Handles that nobody listens where the record says.
  package mutating func nobodyListens(at now: ContinuousClock.Instant) -> [Effect] {
    guard case .dialing = phase else { return [] }
    refusalCount += 1
    return refusalCount < Self.refusals ? [] : end(.refused, telling: nil, at: now)
  }

  private mutating func opened(_ message: RelayMessage, at now: ContinuousClock.Instant) -> [Effect] {
    phase = .open
    redial = nil
    peer = message.address
    limit = message.limit
    hear(at: now)
    probe = now + Self.probeDelay
    askForRoom(at: now)
    return [.opened]
  }

  private mutating func hear(at now: ContinuousClock.Instant) {
    lastHeard = now
    probes = 0
  }

  private mutating func streamed(
    _ message: RelayMessage, _ count: Int, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard message.acknowledged <= sentEnd + (isFinished ? 1 : 0) else { return [.ignored(.acknowledgesTooMuch)] }
    let (end, isOver) = message.offset.addingReportingOverflow(UInt64(count))
    guard !isOver, end <= advertised else { return [.ignored(.beyondLimit)] }
    hear(at: now)
    limit = max(limit, message.limit)
    var effects = acknowledged(message, at: now)
    if message.flags.contains(.wantsAnswer) { acknowledgement = now }
    if message.kind == .finish {
      effects += finished(at: message.offset, now)
    } else if count > 0 {
      effects += came(message.offset..<end, at: now)
    }
    askForRoom(at: now)
    settle(at: now)
    return effects
  }

  /// Handles bytes of the stream.
  private mutating func came(_ range: Range<UInt64>, at now: ContinuousClock.Instant) -> [Effect] {
    if range.lowerBound > receivedEnd { return missing(at: now) }
    guard range.upperBound > receivedEnd else {
      acknowledgement = now
      return [.ignored(.duplicate)]
    }
    if hasPeerFinished { return [.ignored(.beyondEnd)] }
    // Nobody reads them any more.
    if isReleased { return end(.broken, telling: .reset, at: now) }
    let skipped = Int(receivedEnd - range.lowerBound)
    receivedEnd = range.upperBound
    hasGap = false
    unacknowledgedMessages += 1
    let isMuch = receivedEnd + UInt64(Self.window) - advertised >= UInt64(Self.window / 4)
    if isMuch || unacknowledgedMessages >= Self.unansweredMessages {
      acknowledgement = now
    } else if acknowledgement == nil {
      acknowledgement = now + Self.acknowledgementDelay
    }
    return [.take(skipping: skipped)]
  }

  private mutating func finished(at end: UInt64, _ now: ContinuousClock.Instant) -> [Effect] {
    if end > receivedEnd { return missing(at: now) }
    guard end == receivedEnd else { return [.ignored(.beyondEnd)] }
    acknowledgement = now
    if hasPeerFinished { return [.ignored(.duplicate)] }
    hasPeerFinished = true
    hasGap = false
    return []
  }

  /// Tells the other side at once that something is missing.
  private mutating func missing(at now: ContinuousClock.Instant) -> [Effect] {
    hasGap = true
    acknowledgement = now
    return [.ignored(.gap)]
  }

  /// Drops what the other side has, and sends again what it seems to miss.
  private mutating func acknowledged(_ message: RelayMessage, at now: ContinuousClock.Instant) -> [Effect] {
    let wasLate = times.failures > 0
    if message.acknowledged > acknowledged {
      acknowledged = message.acknowledged
      lastProgress = now
      segments.removeFirst(segments.firstIndex { $0.end > acknowledged } ?? segments.count)
      times.acknowledged(upTo: acknowledged, at: now)
      retransmission = outstanding > 0 ? now + times.timeout : nil
    } else if message.acknowledged < acknowledged {
      // An old one.
      return []
    }
    guard outstanding > 0, wasLate || message.flags.contains(.hasGap) else { return [] }
    return sendAgain(at: now)
  }
}
