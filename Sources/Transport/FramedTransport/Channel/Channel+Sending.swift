import CBonjourishLinux
import FramedCoding
import _BonjourishEventLoop

/// Sending: from the sender to the stream.
extension Channel {
  /// The number of bytes to send before other connections are served.
  private static let mostSentAtOnce = 1024 * 1024

  /// The number of bytes of a group's log to pass to the system at once.
  static let mostShownAtOnce = 256 * 1024

  // MARK: - Anywhere

  private enum Accepted {
    case accepted
    /// Accepted; a flush is still to be scheduled.
    case acceptedUnscheduled
    case full
    case ended
  }

  /// Waits until there is room, then queues a frame to be sent at the end of the loop's tick.
  @usableFromInline
  func acceptLater(_ body: [UInt8]) async throws(TransportError) {
    repeat { try await waitForRoom() } while try !accept(body)
  }

  /// Queues a frame to be sent at the end of the loop's tick; returns false if too many bytes wait already.
  @usableFromInline
  func accept(_ body: [UInt8]) throws(TransportError) -> Bool {
    try accept { (queue) throws(FramingError) in try queue.append(body, header, encoder, pool) }
  }

  /// The same for a body in a span.
  func accept(_ body: Span<UInt8>) throws(TransportError) -> Bool {
    try accept { (queue) throws(FramingError) in try queue.append(body, header, encoder, pool) }
  }

  @inline(__always)
  private func accept(_ append: (inout OutboundQueue) throws(FramingError) -> Void) throws(TransportError) -> Bool {
    let accepted: Accepted
    do throws(FramingError) {
      accepted = try outbound.withLock { (outbound) throws(FramingError) in
        guard outbound.end == nil else { return .ended }
        guard outbound.waitingByteCount < limits.sendHighWater else { return .full }
        // Keeps the order: earlier broadcasts are sent first.
        if !outbound.memberships.isEmpty { outbound.takeFromGroups(pool) }
        let before = outbound.queue.byteCount
        try append(&outbound.queue)
        outbound.byteCount += outbound.queue.byteCount - before
        outbound.frameCount &+= 1
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

  /// The error of a sender after sending has ended.
  private var endOfSending: TransportError {
    switch outbound.withLock({ $0.end }) {
    case .failed(let error)?: error
    case .closed?, nil: closedError
    case .orderly?: TransportError(.closed, "Sending to \(peer) failed: this side has finished sending on the connection")
    }
  }

  func scheduleFlush() {
    if loop.isCurrent {
      flushAtEndOfTick()
    } else {
      loop.perform { self.flush() }
    }
  }

  /// Uses an object rather than a closure, which would be allocated in each tick.
  private func flushAtEndOfTick() {
    loop.assertIsCurrent()
    if let flusher { return loop.atEndOfTick(flusher) }
    let flusher = Flusher(self)
    // After closing, nothing would release the flusher.
    if phase != .closed { self.flusher = flusher }
    loop.atEndOfTick(flusher)
  }

  /// Suspends until the waiting bytes have fallen to the low-water mark, or sending has ended.
  private func waitForRoom() async throws(TransportError) {
    let ticket = outbound.withLock { outbound in
      outbound.ticketsGiven += 1
      return outbound.ticketsGiven
    }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
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
    /// The content of `writing`.
    case own
    /// Frames of a group for a member.
    case shared(LogPortion, Member)
    /// Nothing: the next sender must schedule a flush. The senders that waited for room are to be resumed.
    case nothing([UnsafeContinuation<Void, Never>])
  }

  /// Sends the waiting bytes, in one call if the stream has room for them.
  func flush() {
    loop.assertIsCurrent()
    guard phase != .closed else { return }
    guard isStarted else {
      hasMissedFlush = true
      return
    }
    var budget = Self.mostSentAtOnce
    while budget > 0 {
      switch takeNext() {
      case .own:
        guard let sent = sendOwn() else { return }
        if sent.isAll { return endFlush() }
        budget -= sent.count
      case .shared(let portion, let member):
        guard let sent = send(portion, to: member), sent == portion.range.count else { return }
        budget -= sent
      case .nothing(let senders):
        for sender in senders { sender.resume() }
        return endFlush()
      }
    }
    flushAtEndOfTick()
  }

  /// Ends a flush after which nothing is left to send. The next sender schedules another.
  private func endFlush() {
    loop.assertIsCurrent()
    setBlocked(false)
    if phase == .draining { linger() } else { finishIfDue() }
  }

  /// Finds what to send next: the rest of `writing`, then accepted frames, then later broadcasts.
  private func takeNext() -> Next {
    loop.assertIsCurrent()
    guard writing.isEmpty else { return .own }
    return outbound.withLock { outbound in
      if !outbound.queue.isEmpty {
        swap(&outbound.queue, &writing)
        return .own
      }
      for member in outbound.memberships {
        member.shard.noteProgress(of: member)
        let portion = member.take(atMost: Self.mostShownAtOnce)
        if !portion.range.isEmpty { return .shared(portion, member) }
      }
      outbound.isFlushScheduled = false
      return .nothing(outbound.takeSenders())
    }
  }

  /// Sends `writing`.
  ///
  /// - Returns: The number of bytes sent, and whether nothing is left to send; `nil` if the stream had no room for all of them.
  private func sendOwn() -> (count: Int, isAll: Bool)? {
    loop.assertIsCurrent()
    do throws(SystemError) {
      let (sent, offered) = try writing.withVectors { (pieces, byteCount) throws(SystemError) in
        (try stream.send(pieces), byteCount)
      }
      noteSent(sent)
      writing.removeFirst(sent, pool)
      let isAll = hasLeft(sent)
      if sent == offered { return (sent, isAll) }
      setBlocked(true)
    } catch  where error.errno == EAGAIN {
      setBlocked(true)
    } catch {
      failSending(error)
    }
    return nil
  }

  /// Notes bytes that the stream has taken, whether frames of this connection or of a group.
  func noteSent(_ count: Int) {
    loop.assertIsCurrent()
    byteCounter?.sent(count)
    bytesSent &+= UInt64(count)
    if count > 0 { lastActivity = loop.tickStart }
    if isBlocked || terms.hasHeartbeat, count > 0 { timeouts.handle(.progressed, at: loop.tickStart) }
  }

  /// Subtracts bytes that have left, and resumes senders that waited for room.
  ///
  /// - Returns: Whether nothing is left to send. The next sender must schedule a flush then.
  private func hasLeft(_ count: Int) -> Bool {
    loop.assertIsCurrent()
    let isEmpty = writing.isEmpty
    let (isAll, senders) = outbound.withLock { outbound -> (Bool, [UnsafeContinuation<Void, Never>]) in
      outbound.byteCount -= count
      let isAll = isEmpty && outbound.queue.isEmpty && outbound.memberships.isEmpty
      if isAll { outbound.isFlushScheduled = false }
      let mayGoOn = isAll || outbound.waitingByteCount <= limits.sendLowWater
      return (isAll, mayGoOn ? outbound.takeSenders() : [])
    }
    for sender in senders { sender.resume() }
    return isAll
  }

  func setBlocked(_ isBlocked: Bool) {
    loop.assertIsCurrent()
    guard self.isBlocked != isBlocked else { return }
    self.isBlocked = isBlocked
    expect(isBlocked ? .blocked : .unblocked)
    update()
  }

  /// Ends sending after an error. Received frames, and the way in which the peer ended, can still be read.
  func failSending(_ error: SystemError) {
    loop.assertIsCurrent()
    let failure = report(error, "Sending to \(peer)")
    // EPIPE means that the peer ended its side in order before it refused this side's bytes, so the reader must see that end.
    if error.errno != EPIPE {
      inbound.withLock { $0.failureAtEnd = failure }
      count(failure)
    }
    endSending(.failed(failure))
    setBlocked(false)
    if phase != .open { close() }
  }

  /// Accepts no more frames, and drops those that have not left.
  func endSending(_ end: End) {
    loop.assertIsCurrent()
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
    for member in memberships { member.shard.forget(member) }
  }
}

/// Flushes a channel at the end of a tick.
final class Flusher: TickObserver {
  private let channel: Channel

  init(_ channel: Channel) {
    self.channel = channel
  }

  func tickEnded() { channel.flush() }
}

extension Channel.Outbound {
  /// Removes the senders that wait for room, to be resumed outside the lock.
  mutating func takeSenders() -> [UnsafeContinuation<Void, Never>] {
    guard !senders.isEmpty else { return [] }
    defer { senders = [] }
    return senders.map(\.continuation)
  }
}
