import CBonjourishLinux
import FramedCoding
import _BonjourishEventLoop

/// Closing.
extension Channel {
  /// The delay before the first check whether the last bytes have arrived, and the longest delay between two checks.
  private static let firstArrivalCheck = Duration.milliseconds(1)
  private static let longestArrivalCheck = Duration.milliseconds(64)

  // MARK: - Anywhere

  /// Accepts no more frames, sends the accepted ones and the end of the stream, and returns when the stream is closed.
  func close(within limit: Duration) async {
    refuseMore()
    await withCheckedContinuation { continuation in
      loop.perform { self.drain(within: limit, continuation) }
    }
  }

  /// Accepts no more frames, and sends the accepted ones and the end of the stream. Receiving goes on as before.
  func finishSending() {
    refuseFrames(.orderly)
    loop.perform {
      guard self.finish == .notYet else { return }
      self.finish = .due
      self.flush()
    }
  }

  /// Closes at once and drops everything; the peer sees an error.
  func abort() {
    guard !refuseMore() else { return }
    loop.perform { self.close(resetting: true) }
  }

  /// Ends both directions, and resumes all waiters; returns whether the stream is already closed.
  @discardableResult
  private func refuseMore() -> Bool {
    let (reader, isWithLoop) = inbound.withLock { inbound in
      inbound.end = .closed
      inbound.decoder = FrameDecoder(format: format)
      return (inbound.reader.take(), inbound.borrower == .loop)
    }
    if isWithLoop { loop.perform { self.returnBatch() } }
    reader?.resume(returning: .something)
    return refuseFrames(.closed)
  }

  /// Accepts no more frames, leaves all groups, and resumes waiting senders; returns whether the stream is already closed.
  @discardableResult
  private func refuseFrames(_ end: End) -> Bool {
    let (isOver, senders, memberships) = outbound.withLock { outbound in
      outbound.end = outbound.end ?? end
      let memberships = outbound.memberships
      for member in memberships { outbound.leave(member, pool) }
      return (outbound.isOver, outbound.takeSenders(), memberships)
    }
    for sender in senders { sender.resume() }
    for member in memberships { member.shard.forget(member) }
    return isOver
  }

  // MARK: - On the loop

  private func drain(within limit: Duration, _ closer: CheckedContinuation<Void, Never>) {
    loop.assertIsCurrent()
    guard phase != .closed else { return closer.resume() }
    closers.append(closer)
    guard phase == .open else { return }
    phase = .draining
    timeoutDeadline.cancel()
    // The peer may have to send its own bytes before it reads those of this side.
    if !hasPeerEnded { update(reading: true) }
    flush()
    guard phase != .closed else { return }
    // If some bytes could not be sent, a reset tells the peer that it did not receive everything.
    closeTimer = loop.schedule(after: limit) { self.close(resetting: self.phase == .draining) }
  }

  /// Sends the end of the stream, if `finishSending` was called and the peer has not been told.
  func finishIfDue() {
    loop.assertIsCurrent()
    guard finish == .due else { return }
    finish = .told
    do throws(SystemError) {
      try stream.finishSending()
    } catch {
      // The connection is broken; the reader will find the error.
    }
  }

  /// Sends the end of the stream after the last byte, and closes the stream as soon as everything has arrived.
  ///
  /// A closed socket that has unread bytes, or still receives bytes, answers with a reset, and a reset can destroy bytes on their
  /// way to the peer. So the socket stays open, and received bytes are dropped, until the peer ends its side or has received all.
  func linger() {
    loop.assertIsCurrent()
    phase = .lingering
    // If the peer has ended its side too, `discard` reads the end of the stream and closes.
    let hasArrived = !hasPeerEnded && stream.countUnacknowledgedBytes() == 0
    do throws(SystemError) {
      if finish != .told { try stream.finishSending() }
    } catch {
      return close()
    }
    discard()
    guard phase == .lingering else { return }
    if hasPeerEnded { update(reading: true) }
    if hasArrived { close() } else { checkArrival(after: Self.firstArrivalCheck) }
  }

  /// Asks the system after a delay whether the last byte has arrived: there is no event for that.
  private func checkArrival(after delay: Duration) {
    loop.assertIsCurrent()
    arrivalTimer = loop.schedule(after: delay) {
      if self.stream.countUnacknowledgedBytes() == 0 {
        self.close()
      } else {
        self.checkArrival(after: min(delay * 2, Self.longestArrivalCheck))
      }
    }
  }

  /// Reads once, at most a buffer full, and drops the bytes.
  func discard() {
    loop.assertIsCurrent()
    var buffer = pool.take()
    defer { pool.give(buffer) }
    do throws(SystemError) {
      var count = 0
      try buffer.append(addingCapacity: BufferPool.capacity) { (output) throws(SystemError) in
        count = try stream.receive(into: &output)
      }
      guard count == 0 else { return }
      hasPeerEnded = true
      // While bytes are still to be sent, the end of the peer's side changes nothing.
      if phase == .lingering { close() } else { update(reading: false) }
    } catch  where error.errno == EAGAIN {
    } catch {
      close()
    }
  }

  /// Ends a broken connection with an error. With `resetting` the peer sees an error, too.
  func fail(_ error: TransportError, resetting: Bool = false) {
    loop.assertIsCurrent()
    guard phase != .closed else { return }
    count(error)
    let reader = inbound.withLock { inbound in
      inbound.end = inbound.end ?? .failed(error)
      return inbound.reader.take()
    }
    endSending(.failed(error))
    close(resetting: resetting)
    // Last, so that the reader finds that sending has ended, too.
    reader?.resume(returning: .something)
  }

  /// Closes the stream, and drops the bytes that are left.
  func close(resetting: Bool = false) {
    loop.assertIsCurrent()
    guard phase != .closed else { return }
    phase = .closed
    flusher = nil
    transportLoop.count(-1)
    closeTimer?.cancel()
    closeTimer = nil
    arrivalTimer?.cancel()
    arrivalTimer = nil
    timeoutDeadline.cancel()
    if resetting { stream.reset() } else { stream.close() }
    endSending(.closed)
    outbound.withLock { $0.isOver = true }
    if let admission { admission.registry.leave(admission.ticket) }
    transportLoop.tidySoon()
    // Last, so that the connection is no longer counted when the caller of `close` goes on.
    for closer in closers { closer.resume() }
    closers = []
  }
}
