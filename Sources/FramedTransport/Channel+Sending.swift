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
      flushAtEndOfTurn()
    } else {
      loop.perform { self.flush() }
    }
  }

  /// Not by a closure, which would be made for each turn.
  private func flushAtEndOfTurn() {
    if let flusher { return loop.atEndOfTurn(flusher) }
    let flusher = Flusher(self)
    // Afterwards nothing would let go of it.
    if phase != .closed { self.flusher = flusher }
    loop.atEndOfTurn(flusher)
  }

  /// Suspends until what waits has fallen to the low-water mark, or nothing is accepted any more.
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
    /// What is in `writing`.
    case own
    /// What a group has for a member.
    case shared(LogPortion, Member)
    /// Nothing: the next sender has to tell the loop. Those who waited for room go on.
    case nothing([UnsafeContinuation<Void, Never>])
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
    flushAtEndOfTurn()
  }

  /// Nothing is left to be sent: the next sender has told the loop, or will.
  private func endFlush() {
    setBlocked(false)
    if phase == .draining { linger() } else { finishIfDue() }
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

  /// Sends `writing`.
  ///
  /// - Returns: How many bytes that were, and whether there is nothing more to be sent; `nil` when the stream did not take them all.
  private func sendOwn() -> (count: Int, isAll: Bool)? {
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

  /// The stream has taken bytes, whosever they are.
  func noteSent(_ count: Int) {
    tally?.sent(count)
    if isBlocked, count > 0 { patience.handle(.progressed, at: loop.turnBegan) }
  }

  /// Counts bytes that have left, and lets those go on who waited for it.
  ///
  /// - Returns: Whether nothing is left to be sent; the next sender has to tell the loop then.
  private func hasLeft(_ count: Int) -> Bool {
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

/// Lets a channel flush at the end of a turn.
final class Flusher: TurnEnder {
  private let channel: Channel

  init(_ channel: Channel) {
    self.channel = channel
  }

  func turnEnds() { channel.flush() }
}

extension Channel.Outbound {
  /// Those who wait for room; they are resumed outside the lock.
  mutating func takeSenders() -> [UnsafeContinuation<Void, Never>] {
    guard !senders.isEmpty else { return [] }
    defer { senders = [] }
    return senders.map(\.continuation)
  }
}
