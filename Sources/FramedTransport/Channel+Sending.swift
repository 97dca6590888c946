import EventLoop
import Framing
import Glibc

/// From the sender to the stream.
extension Channel {
  /// How many bytes leave before other connections have their turn.
  private static let mostSentAtOnce = 1024 * 1024

  // MARK: - Anywhere

  private enum Accepted {
    case accepted
    /// Accepted as the first of a turn.
    case acceptedUnscheduled
    case full
  }

  /// Adds a frame to what is sent at the end of the loop's turn, as soon as not too much waits any more.
  func acceptLater(_ body: [UInt8]) async throws(TransportError) {
    repeat { try await waitForRoom() } while try !accept(body)
  }

  /// Adds a frame to what is sent at the end of the loop's turn, unless too much waits already.
  func accept(_ body: [UInt8]) throws(TransportError) -> Bool {
    try accept { (queue) throws(FramingError) in try queue.append(body, encoder, pool) }
  }

  /// The same for a body that is shown in place.
  func accept(_ body: Span<UInt8>) throws(TransportError) -> Bool {
    try accept { (queue) throws(FramingError) in try queue.append(body, encoder, pool) }
  }

  @inline(__always)
  private func accept(_ append: (inout OutboundQueue) throws(FramingError) -> Void) throws(TransportError) -> Bool {
    let result: Result<Accepted, TransportError> = outbound.withLock { outbound in
      if let end = outbound.end { return .failure(error(for: end)) }
      guard outbound.byteCount < limits.sendHighWater else { return .success(.full) }
      let before = outbound.queue.byteCount
      do throws(FramingError) {
        try append(&outbound.queue)
      } catch {
        return .failure(TransportError(error, "Sending to \(peer)"))
      }
      outbound.byteCount += outbound.queue.byteCount - before
      if outbound.isFlushScheduled { return .success(.accepted) }
      outbound.isFlushScheduled = true
      return .success(.acceptedUnscheduled)
    }
    switch try result.get() {
    case .accepted: return true
    case .acceptedUnscheduled:
      scheduleFlush()
      return true
    case .full: return false
    }
  }

  private func error(for end: End) -> TransportError {
    switch end {
    case .failed(let error): error
    case .closed, .orderly: closedError
    }
  }

  private func scheduleFlush() {
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
          if outbound.end != nil || outbound.byteCount < limits.sendHighWater || Task.isCancelled { return true }
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

  /// Sends what waits, in one call if the stream takes it.
  func flush() {
    guard phase != .closed else { return }
    var budget = Self.mostSentAtOnce
    while !writing.isEmpty || takeQueue() {
      guard budget > 0 else {
        loop.atEndOfTurn { self.flush() }
        return
      }
      do throws(SystemError) {
        let (sent, offered) = try writing.withVectors { (pieces, byteCount) throws(SystemError) in
          (try stream.send(pieces), byteCount)
        }
        writing.removeFirst(sent, pool)
        hasLeft(sent)
        budget -= sent
        if sent < offered { return setBlocked(true) }
      } catch  where error.errno == EAGAIN {
        return setBlocked(true)
      } catch {
        return failSending(error)
      }
    }
    setBlocked(false)
    if phase == .draining { finishSending() }
  }

  /// Takes what has been accepted; false when there is nothing, and then the next sender has to tell the loop.
  private func takeQueue() -> Bool {
    outbound.withLock { outbound in
      guard !outbound.queue.isEmpty else {
        outbound.isFlushScheduled = false
        return false
      }
      swap(&outbound.queue, &writing)
      return true
    }
  }

  /// Counts bytes that have left, and lets those go on who waited for it.
  private func hasLeft(_ count: Int) {
    let senders = outbound.withLock { outbound -> [CheckedContinuation<Void, Never>] in
      outbound.byteCount -= count
      guard !outbound.senders.isEmpty, outbound.byteCount <= limits.sendLowWater else { return [] }
      return outbound.takeSenders()
    }
    for sender in senders { sender.resume() }
  }

  private func setBlocked(_ isBlocked: Bool) {
    guard self.isBlocked != isBlocked else { return }
    self.isBlocked = isBlocked
    update()
  }

  /// Nothing can be sent any more. What has come in, or how the peer ended it, can still be read.
  private func failSending(_ error: SystemError) {
    let failure = TransportError(error, "Sending to \(peer)")
    // EPIPE says that the peer had ended its side in order before it refused ours, so the reader is owed that end.
    if error.errno != EPIPE {
      inbound.withLock { $0.failureAtEnd = failure }
    }
    endSending(.failed(failure))
    setBlocked(false)
    if phase != .open { close() }
  }

  /// Accepts nothing any more, and drops what has not left.
  func endSending(_ end: End) {
    let senders = outbound.withLock { outbound in
      outbound.end = outbound.end ?? end
      outbound.queue.removeAll(pool)
      outbound.byteCount = 0
      return outbound.takeSenders()
    }
    writing.removeAll(pool)
    for sender in senders { sender.resume() }
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
