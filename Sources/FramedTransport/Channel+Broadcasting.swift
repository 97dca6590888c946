import EventLoop
import Glibc

/// From the log of a group to the socket.
extension Channel {
  // MARK: - Anywhere

  /// Leaves a group: what it has broadcast so far still goes out, and nothing after that; false when it was no member.
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
      member.branch.part(member)
    case .unscheduled(let member):
      scheduleFlush()
      member.branch.part(member)
    }
    return true
  }

  // MARK: - On the loop

  /// What became of a portion of a log that all members get.
  enum Delivery {
    /// The system has so many bytes of it; with what the member had got before, that is all.
    case complete(Int)
    /// There is something left that the member has to ask for when it can.
    case behind
  }

  /// Sends a member what all get, in one system call without further ado in the usual case that it has got everything before.
  func deliver(_ pass: borrowing Pass, to member: Member) -> Delivery {
    enum Way {
      case direct
      case detour
      case complete
      case behind
    }
    let way: Way = outbound.withLock { outbound in
      guard !member.hasLeft, member.cursor.position < pass.portion.range.upperBound else { return .complete }
      guard !isBlocked else {
        member.cursor.fallBehind()
        return .behind
      }
      guard writing.isEmpty, outbound.queue.isEmpty, outbound.senders.isEmpty else { return .detour }
      return member.cursor.take(pass.portion.range) ? .direct : .detour
    }
    switch way {
    case .direct:
      guard let sent = send(pass, to: member) else { return .behind }
      return sent == pass.portion.range.count ? .complete(sent) : .behind
    case .complete:
      return .complete(0)
    case .behind:
      return .behind
    case .detour:
      flush()
    }
    let isBehind = outbound.withLock { _ in !member.hasLeft && member.cursor.position < pass.portion.range.upperBound }
    return isBehind ? .behind : .complete(0)
  }

  /// Sends a portion that the member's cursor has been moved over.
  ///
  /// - Returns: How many bytes the system took, and the others have been put back; `nil` when nothing can be sent any more.
  func send(_ portion: LogPortion, to member: Member) -> Int? {
    send(Pass(portion), to: member)
  }

  private func send(_ pass: borrowing Pass, to member: Member) -> Int? {
    var sent = 0
    do throws(SystemError) {
      sent = try stream.send(pass.vectors)
      noteSent(sent)
    } catch  where error.errno == EAGAIN {
    } catch {
      failSending(error)
      return nil
    }
    if sent < pass.portion.range.count {
      putBack(pass.portion, sent: sent, member)
      setBlocked(true)
    }
    return sent
  }

  /// Returns to the log what the system did not take, but for a frame of which it took some.
  private func putBack(_ portion: LogPortion, sent: Int, _ member: Member) {
    let start = portion.range.lowerBound + sent
    let end = portion.range.upperBound
    let senders = outbound.withLock { outbound -> [UnsafeContinuation<Void, Never>] in
      var kept = portion
      // What has been accepted or taken in the meantime comes after all of the portion, which then cannot go back.
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
  /// All that has not left: what was accepted, and what groups have for the connection.
  var waitingByteCount: Int {
    memberships.isEmpty ? byteCount : memberships.reduce(byteCount) { $0 + $1.backlog }
  }

  /// Moves what groups have for the connection to the end of its own queue.
  mutating func takeFromGroups(_ pool: BufferPool) {
    for member in memberships { take(from: member, pool) }
  }

  /// Moves what a group has for a member to the end of the connection's own queue.
  private mutating func take(from member: Member, _ pool: BufferPool) {
    guard member.backlog > 0 || member.cursor.isLagging else { return }
    append(member.take(), pool)
  }

  /// Ends a membership; what was broadcast before is in the queue then.
  mutating func leave(_ member: Member, _ pool: BufferPool) {
    append(member.leave(), pool)
    memberships.removeAll { $0 === member }
  }

  private mutating func append(_ portion: LogPortion, _ pool: BufferPool) {
    queue.append(portion, from: portion.range.lowerBound, pool)
    byteCount += portion.range.count
  }
}
