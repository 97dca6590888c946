import CBonjourishLinux
import _BonjourishEventLoop

/// Broadcasting: from the log of a group to the stream.
extension Channel {
  // MARK: - Anywhere

  /// Leaves a group; frames that were broadcast before are still sent. Returns false if the channel was not a member.
  func leave(_ broadcaster: Broadcaster) -> Bool {
    enum Left {
      case nothing
      case all(Member)
      case unscheduled(Member)
    }
    let left: Left = outbound.withLock { outbound in
      guard let member = outbound.memberships.first(where: { $0.broadcaster === broadcaster }) else { return .nothing }
      outbound.leave(member, pool)
      guard !outbound.queue.isEmpty, !outbound.isFlushScheduled else { return .all(member) }
      outbound.isFlushScheduled = true
      return .unscheduled(member)
    }
    switch left {
    case .nothing:
      return false
    case .all(let member):
      member.shard.forget(member)
    case .unscheduled(let member):
      scheduleFlush()
      member.shard.forget(member)
    }
    return true
  }

  // MARK: - On the loop

  /// The outcome of sending a batch to a member.
  enum Delivery {
    /// The member has received everything; the value is the number of bytes sent now.
    case complete(Int)
    /// A rest is left, which the member takes from the log later.
    case behind
  }

  /// Sends a batch to a member: in one system call in the usual case, when the member is not behind.
  func deliver(_ batch: borrowing SendBatch, to member: Member) -> Delivery {
    loop.assertIsCurrent()
    enum Way {
      case direct
      case detour
      case complete
      case behind
    }
    let way: Way = outbound.withLock { outbound in
      guard !member.hasLeft, member.cursor.position < batch.portion.range.upperBound else { return .complete }
      guard !isBlocked else {
        member.cursor.fallBehind()
        return .behind
      }
      guard writing.isEmpty, outbound.queue.isEmpty, outbound.senders.isEmpty else { return .detour }
      return member.cursor.take(batch.portion.range) ? .direct : .detour
    }
    switch way {
    case .direct:
      guard let sent = send(batch, to: member) else { return .behind }
      return sent == batch.portion.range.count ? .complete(sent) : .behind
    case .complete:
      return .complete(0)
    case .behind:
      return .behind
    case .detour:
      flush()
    }
    let isBehind = outbound.withLock { _ in !member.hasLeft && member.cursor.position < batch.portion.range.upperBound }
    return isBehind ? .behind : .complete(0)
  }

  /// Sends a portion that the member's cursor has already passed.
  ///
  /// - Returns: The number of bytes that the system took; the others have been put back. `nil` if sending has ended.
  func send(_ portion: LogPortion, to member: Member) -> Int? {
    send(SendBatch(portion), to: member)
  }

  private func send(_ batch: borrowing SendBatch, to member: Member) -> Int? {
    loop.assertIsCurrent()
    var sent = 0
    do throws(SystemError) {
      sent =
        if let forms = batch.forms { try stream.send(batch.vectors, sharing: forms) } else { try stream.send(batch.vectors) }
      noteSent(sent)
    } catch  where error.errno == EAGAIN {
    } catch {
      failSending(error)
      return nil
    }
    if sent < batch.portion.range.count {
      putBack(batch.portion, sent: sent, member)
      setBlocked(true)
    }
    return sent
  }

  /// Puts unsent bytes back into the log, except the rest of a frame that has been sent in part.
  private func putBack(_ portion: LogPortion, sent: Int, _ member: Member) {
    loop.assertIsCurrent()
    let start = portion.range.lowerBound + sent
    let end = portion.range.upperBound
    let senders = outbound.withLock { outbound -> [UnsafeContinuation<Void, Never>] in
      var kept = portion
      // Frames that were accepted or taken in the meantime follow the whole portion, so it cannot go back to the log then.
      if !member.hasLeft, outbound.queue.isEmpty, member.cursor.position == end {
        kept = member.putBack(portion, from: start)
      }
      writing.append(kept, from: start, pool)
      outbound.byteCount += writing.byteCount
      guard !outbound.senders.isEmpty, outbound.waitingByteCount <= limits.sendLowWater else { return [] }
      return outbound.takeSenders()
    }
    for sender in senders { sender.resume() }
  }
}

extension Channel.Outbound {
  /// The bytes that have not left: accepted frames, and frames of groups.
  var waitingByteCount: Int {
    memberships.isEmpty ? byteCount : memberships.reduce(byteCount) { $0 + $1.backlog }
  }

  /// Moves the frames of all groups to the end of the connection's queue.
  mutating func takeFromGroups(_ pool: BufferPool) {
    for member in memberships { take(from: member, pool) }
  }

  /// Moves the frames of one group to the end of the connection's queue.
  private mutating func take(from member: Member, _ pool: BufferPool) {
    guard member.backlog > 0 || member.cursor.isLagging else { return }
    append(member.take(), pool)
  }

  /// Ends a membership, and moves the frames that were broadcast before to the queue.
  mutating func leave(_ member: Member, _ pool: BufferPool) {
    append(member.leave(), pool)
    memberships.removeAll { $0 === member }
  }

  private mutating func append(_ portion: LogPortion, _ pool: BufferPool) {
    queue.append(portion, from: portion.range.lowerBound, pool)
    byteCount += portion.range.count
  }
}
