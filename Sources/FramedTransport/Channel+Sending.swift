import EventLoop
import Framing
import Glibc

/// From the sender to the stream.
extension Channel {
  /// How many bytes leave before other connections have their turn.
  private static let mostSentAtOnce = 1024 * 1024

  /// How many bytes of a group's log are shown to the system at once.
  static let mostShownAtOnce = 256 * 1024

  // MARK: - Anywhere

  private enum Accepted {
    case accepted
    /// Accepted as the first of a turn.
    case acceptedUnscheduled
    case full
    case ended
  }

  /// Adds a frame to what is sent at the end of the loop's turn, as soon as not too much waits any more.
  @usableFromInline
  func acceptLater(_ body: [UInt8]) async throws(TransportError) {
    repeat { try await waitForRoom() } while try !accept(body)
  }

  /// Adds a frame to what is sent at the end of the loop's turn, unless too much waits already.
  @usableFromInline
  func accept(_ body: [UInt8]) throws(TransportError) -> Bool {
    try accept { (queue) throws(FramingError) in try queue.append(body, encoder, pool) }
  }

  /// The same for a body that is shown in place.
  func accept(_ body: Span<UInt8>) throws(TransportError) -> Bool {
    try accept { (queue) throws(FramingError) in try queue.append(body, encoder, pool) }
  }

  @inline(__always)
  private func accept(_ append: (inout OutboundQueue) throws(FramingError) -> Void) throws(TransportError) -> Bool {
    let accepted: Accepted
    do throws(FramingError) {
      accepted = try outbound.withLock { (outbound) throws(FramingError) in
        guard outbound.end == nil else { return .ended }
        guard outbound.waitingByteCount < limits.sendHighWater else { return .full }
        // What was broadcast before comes before.
        if !outbound.memberships.isEmpty { outbound.takeFromGroups(pool) }
        let before = outbound.queue.byteCount
        try append(&outbound.queue)
        outbound.byteCount += outbound.queue.byteCount - before
        if outbound.isFlushScheduled { return .accepted }
        outbound.isFlushScheduled = true
        return .acceptedUnscheduled
      }
    } catch {
      throw TransportError(error, "Sending to \(peer)")
    }
    switch accepted {
    case .accepted: return true
    case .acceptedUnscheduled:
      scheduleFlush()
      return true
    case .full: return false
    case .ended: throw endOfSending
    }
  }

  /// Why nothing is accepted any more.
  private var endOfSending: TransportError {
    switch outbound.withLock({ $0.end }) {
    case .failed(let error)?: error
    case .closed?, nil: closedError
    case .orderly?: TransportError(.closed, "Sending to \(peer) failed: this side has finished sending on the connection")
    }
  }

  func scheduleFlush() {
    if loop.isCurrent {
      loop.atEndOfTurn { self.flush() }
    } else {
      loop.perform { self.flush() }
    }
  }

  /// Suspends until what waits has fallen to the low-water mark, or nothing is accepted any more.
  private func waitForRoom() async throws(TransportError) {
    let ticket = outbound.withLock { outbound in
      outbound.ticketsGiven += 1
      return outbound.ticketsGiven
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayGoOn = outbound.withLock { outbound in
          let hasRoom = outbound.waitingByteCount < limits.sendHighWater
          if outbound.end != nil || hasRoom || Task.isCancelled { return true }
          outbound.senders.append((ticket, continuation))
          return false
        }
        if mayGoOn { continuation.resume() }
      }
    } onCancel: {
      let sender = outbound.withLock { outbound in
        outbound.senders.firstIndex { $0.ticket == ticket }.map { outbound.senders.remove(at: $0).continuation }
      }
      sender?.resume()
    }
    if Task.isCancelled { throw .cancelled("Sending to \(peer)") }
  }

  // MARK: - On the loop

  private enum Next {
    /// What is in `writing`.
    case own
    /// What a group has for a member.
    case shared(LogPortion, Member)
    /// Nothing: the next sender has to tell the loop. Those who waited for room go on.
    case nothing([CheckedContinuation<Void, Never>])
  }

  /// Sends what waits, in one call if the stream takes it.
  func flush() {
    guard phase != .closed else { return }
    guard isStarted else {
      hasMissedFlush = true
      return
    }
    var budget = Self.mostSentAtOnce
    while budget > 0 {
      switch takeNext() {
      case .own:
        guard sendOwn(&budget) else { return }
      case .shared(let portion, let member):
        guard let sent = send(portion, to: member), sent == portion.range.count else { return }
        budget -= sent
      case .nothing(let senders):
        for sender in senders { sender.resume() }
        setBlocked(false)
        if phase == .draining { linger() } else { finishIfDue() }
        return
      }
    }
    loop.atEndOfTurn { self.flush() }
  }

  /// Finds what is to be sent next: what was begun, then what was accepted, then what was broadcast since.
  private func takeNext() -> Next {
    guard writing.isEmpty else { return .own }
    return outbound.withLock { outbound in
      if !outbound.queue.isEmpty {
        swap(&outbound.queue, &writing)
        return .own
      }
      for member in outbound.memberships {
        member.branch.noteProgress(of: member)
        let portion = member.take(atMost: Self.mostShownAtOnce)
        if !portion.range.isEmpty { return .shared(portion, member) }
      }
      outbound.isFlushScheduled = false
      return .nothing(outbound.takeSenders())
    }
  }

  /// Sends `writing`; false when the stream did not take all of it.
  private func sendOwn(_ budget: inout Int) -> Bool {
    do throws(SystemError) {
      let (sent, offered) = try writing.withVectors { (pieces, byteCount) throws(SystemError) in
        (try stream.send(pieces), byteCount)
      }
      noteSent(sent)
      writing.removeFirst(sent, pool)
      hasLeft(sent)
      budget -= sent
      if sent == offered { return true }
      setBlocked(true)
    } catch  where error.errno == EAGAIN {
      setBlocked(true)
    } catch {
      failSending(error)
    }
    return false
  }

  /// The stream has taken bytes, whosever they are.
  func noteSent(_ count: Int) {
    guest?.tally.sent(count)
    if isBlocked, count > 0 { patience.handle(.progressed, at: loop.turnBegan) }
  }

  /// Counts bytes that have left, and lets those go on who waited for it.
  private func hasLeft(_ count: Int) {
    let senders = outbound.withLock { outbound -> [CheckedContinuation<Void, Never>] in
      outbound.byteCount -= count
      guard !outbound.senders.isEmpty, outbound.waitingByteCount <= limits.sendLowWater else { return [] }
      return outbound.takeSenders()
    }
    for sender in senders { sender.resume() }
  }

  func setBlocked(_ isBlocked: Bool) {
    guard self.isBlocked != isBlocked else { return }
    self.isBlocked = isBlocked
    expect(isBlocked ? .blocked : .unblocked)
    update()
  }

  /// Nothing can be sent any more. What has come in, or how the peer ended it, can still be read.
  func failSending(_ error: SystemError) {
    let failure = TransportError(error, "Sending to \(peer)")
    // EPIPE says that the peer had ended its side in order before it refused ours, so the reader is owed that end.
    if error.errno != EPIPE {
      inbound.withLock { $0.failureAtEnd = failure }
      count(failure)
    }
    endSending(.failed(failure))
    setBlocked(false)
    if phase != .open { close() }
  }

  /// Accepts nothing any more, and drops what has not left.
  func endSending(_ end: End) {
    let (senders, memberships) = outbound.withLock { outbound in
      outbound.end = outbound.end ?? end
      let memberships = outbound.memberships
      for member in memberships { outbound.leave(member, pool) }
      outbound.queue.removeAll(pool)
      outbound.byteCount = 0
      return (outbound.takeSenders(), memberships)
    }
    writing.removeAll(pool)
    for sender in senders { sender.resume() }
    for member in memberships { member.branch.part(member) }
  }
}

extension Channel.Outbound {
  /// Those who wait for room; they are resumed outside the lock.
  mutating func takeSenders() -> [CheckedContinuation<Void, Never>] {
    guard !senders.isEmpty else { return [] }
    defer { senders = [] }
    return senders.map(\.continuation)
  }
}
