import EventLoop
import Framing
import Glibc

/// The end of a channel.
extension Channel {
  /// How long to wait before it is looked whether the last bytes have arrived.
  private static let firstArrivalCheck = Duration.milliseconds(1)
  private static let longestArrivalCheck = Duration.milliseconds(64)

  // MARK: - Anywhere

  /// Accepts nothing more, lets leave what was accepted, says so to the peer, and returns when the stream is closed.
  func close(within limit: Duration) async {
    refuseMore()
    await withCheckedContinuation { continuation in
      loop.perform { self.drain(within: limit, continuation) }
    }
  }

  /// Accepts nothing more, and tells the peer so after what was accepted; what comes is received as before.
  func finishSending() {
    refuseFrames(.orderly)
    loop.perform {
      guard self.finish == .notYet else { return }
      self.finish = .due
      self.flush()
    }
  }

  /// Drops everything; the peer sees an error.
  func abort() {
    guard !refuseMore() else { return }
    loop.perform { self.close(resetting: true) }
  }

  /// Lets nothing new in from either side, and wakes those who wait; returns whether the stream is closed already.
  @discardableResult
  private func refuseMore() -> Bool {
    let reader = inbound.withLock { inbound in
      inbound.end = .closed
      inbound.decoder = FrameDecoder(format: format)
      return inbound.reader.take()
    }
    reader?.resume(returning: .something)
    return refuseFrames(.closed)
  }

  /// Accepts no more frames, leaves all groups, and wakes those who wait; returns whether the stream is closed already.
  @discardableResult
  private func refuseFrames(_ end: End) -> Bool {
    let (isOver, senders, memberships) = outbound.withLock { outbound in
      outbound.end = outbound.end ?? end
      let memberships = outbound.memberships
      for member in memberships { outbound.leave(member, pool) }
      return (outbound.isOver, outbound.takeSenders(), memberships)
    }
    for sender in senders { sender.resume() }
    for member in memberships { member.branch.part(member) }
    return isOver
  }

  // MARK: - On the loop

  private func drain(within limit: Duration, _ closer: CheckedContinuation<Void, Never>) {
    guard phase != .closed else { return closer.resume() }
    closers.append(closer)
    guard phase == .open else { return }
    phase = .draining
    endPatience()
    // The peer may have to get rid of its own bytes before it takes ours.
    if !hasPeerEnded { update(reading: true) }
    flush()
    guard phase != .closed else { return }
    // A peer that cannot be sent everything must not take what it got for the whole.
    closeTimer = loop.schedule(after: limit) { self.close(resetting: self.phase == .draining) }
  }

  /// Tells the peer that nothing more comes, if that is still to be told and everything has left.
  func finishIfDue() {
    guard finish == .due else { return }
    finish = .told
    do throws(SystemError) {
      try stream.finishSending()
    } catch {
      // The connection is broken, which whoever reads finds out.
    }
  }

  /// Everything has been given to the stream: says so to the peer, and closes as soon as it has arrived.
  ///
  /// A socket closed with unread bytes, or one that bytes still come to, answers with a reset, and a reset can destroy what
  /// is on its way. So the socket is kept, and what comes is dropped, until the peer ends its side or has all of ours.
  func linger() {
    phase = .lingering
    // When the peer has ended its side too, discarding finds nothing more, and that is enough.
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

  /// The system tells nobody when the last byte has arrived, so it has to be asked.
  private func checkArrival(after delay: Duration) {
    arrivalTimer = loop.schedule(after: delay) {
      if self.stream.countUnacknowledgedBytes() == 0 {
        self.close()
      } else {
        self.checkArrival(after: min(delay * 2, Self.longestArrivalCheck))
      }
    }
  }

  /// Reads and drops what has come, so much at most as a read takes otherwise.
  func discard() {
    var buffer = pool.take()
    defer { pool.give(buffer) }
    do throws(SystemError) {
      var count = 0
      try buffer.append(addingCapacity: BufferPool.capacity) { (output) throws(SystemError) in
        count = try stream.receive(into: &output)
      }
      guard count == 0 else { return }
      hasPeerEnded = true
      // While something is still to be sent, the end of the peer's side changes nothing.
      if phase == .lingering { close() } else { update(reading: false) }
    } catch  where error.errno == EAGAIN {
    } catch {
      close()
    }
  }

  /// The connection is broken, or is to be when the peer shall see an error too.
  func fail(_ error: TransportError, resetting: Bool = false) {
    guard phase != .closed else { return }
    count(error)
    let reader = inbound.withLock { inbound in
      inbound.end = inbound.end ?? .failed(error)
      return inbound.reader.take()
    }
    endSending(.failed(error))
    close(resetting: resetting)
    // Last, so that who reads finds sending ended, too.
    reader?.resume(returning: .something)
  }

  /// Closes the stream, whatever there may be in it.
  func close(resetting: Bool = false) {
    guard phase != .closed else { return }
    phase = .closed
    flusher = nil
    home.count(-1)
    closeTimer?.cancel()
    closeTimer = nil
    arrivalTimer?.cancel()
    arrivalTimer = nil
    endPatience()
    if resetting { stream.reset() } else { stream.close() }
    endSending(.closed)
    outbound.withLock { $0.isOver = true }
    if let guest { guest.reception.leave(guest.ticket) }
    home.tidySoon()
    // Last, so that who has closed finds it not counted any more.
    for closer in closers { closer.resume() }
    closers = []
  }
}
