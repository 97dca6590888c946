import CBonjourishLinux
import _BonjourishEventLoop

/// The members of a group on one loop, which sends the broadcast frames to one member after another.
///
/// A batch sends the same portion of the log to all members, with one system call for each. A member that does not take all of it
/// goes on by itself when its socket is writable again, and is listed as lagging until it has caught up.
///
/// Sendable: all variables are confined to the loop, which every method that uses them asserts.
final class GroupShard: @unchecked Sendable {
  /// The number of bytes to send before other work on the loop runs, and the least number that a call counts as.
  private static let mostSentAtOnce = 1024 * 1024
  private static let leastPerCall = 4096

  let loop: EventLoop
  let broadcaster: Broadcaster
  private let index: Int

  // On the loop only:
  private var members: [Member] = []
  /// The members that have not taken all of a batch.
  private var lagging: [Member] = []
  /// The position up to which all other members have received everything.
  private var delivered = 0
  /// Whether `settle()` runs at the end of the tick.
  private var isSettling = false
  private lazy var lapDeadline = LoopDeadline(on: loop) { [weak self] in self?.settle() }

  init(_ loop: EventLoop, of broadcaster: Broadcaster, _ index: Int) {
    self.loop = loop
    self.broadcaster = broadcaster
    self.index = index
  }

  // MARK: - Anywhere

  /// Sends the content of the log at the end of the tick.
  func schedule() {
    if loop.isCurrent {
      loop.atEndOfTick { self.sendInSlices() }
    } else {
      loop.perform { self.sendInSlices() }
    }
  }

  /// Removes a member that has left.
  func forget(_ member: Member) {
    loop.perform { self.remove(member) }
  }

  /// Makes all members leave, and moves the frames that they have not received to their own queues.
  func disband() {
    loop.perform {
      self.add(self.broadcaster.takeJoining(self.index))
      for member in self.members { _ = member.channel.leave(self.broadcaster) }
    }
  }

  // MARK: - Batches

  /// Sends the content of the log in slices, between which other work on the loop runs.
  private func sendInSlices() {
    loop.assertIsCurrent()
    if let batch = nextBatch() { send(batch, to: members, from: 0) } else { scheduleRest() }
  }

  private func send(_ batch: borrowing SendBatch, to members: [Member], from start: Int) {
    loop.assertIsCurrent()
    var budget = Self.mostSentAtOnce
    var next = start
    while next < members.count {
      guard budget > 0 else {
        let (portion, forms) = (batch.portion, batch.forms)
        return loop.atEndOfTick { self.send(SendBatch(portion, sharing: forms), to: members, from: next) }
      }
      budget -= max(deliver(batch, to: members, at: next), Self.leastPerCall)
      next += 1
    }
    finish(batch)
    scheduleRest()
  }

  private func scheduleRest() {
    loop.assertIsCurrent()
    if broadcaster.hasMore(index) { loop.atEndOfTick { self.sendInSlices() } }
  }

  private func nextBatch() -> SendBatch? {
    loop.assertIsCurrent()
    let (portion, joining) = broadcaster.nextPortion(index)
    add(joining)
    return portion.map { SendBatch($0, sharing: BatchForms()) }
  }

  /// Sends a batch to a member, and prefetches the next members, because thousands do not fit into the cache.
  ///
  /// - Returns: The number of bytes sent.
  private func deliver(_ batch: borrowing SendBatch, to members: [Member], at place: Int) -> Int {
    loop.assertIsCurrent()
    if place + 2 < members.count {
      linux_prefetch(Unmanaged.passUnretained(members[place + 2]).toOpaque(), 1)
      linux_prefetch(Unmanaged.passUnretained(members[place + 1].channel).toOpaque(), 4)
    }
    let member = members[place]
    switch member.channel.deliver(batch, to: member) {
    case .complete(let count):
      return count
    case .behind:
      noteLagging(member)
      return Self.leastPerCall
    }
  }

  private func finish(_ batch: borrowing SendBatch) {
    loop.assertIsCurrent()
    delivered = max(delivered, batch.portion.range.upperBound)
    settle()
  }

  // MARK: - Members

  private func add(_ joining: [Member]) {
    loop.assertIsCurrent()
    for member in joining {
      member.place = members.count
      members.append(member)
    }
  }

  private func remove(_ member: Member) {
    loop.assertIsCurrent()
    add(broadcaster.takeJoining(index))
    guard let place = member.place else { return }
    member.place = nil
    let last = members.removeLast()
    if last !== member {
      members[place] = last
      last.place = place
    }
    broadcaster.release(index)
    noteProgress(of: member)
  }

  // MARK: - Laggards

  private func noteLagging(_ member: Member) {
    loop.assertIsCurrent()
    guard !member.isListed, member.place != nil else { return }
    member.isListed = true
    lagging.append(member)
    member.lapEnd = 0
  }

  /// Reviews the lagging members at the end of the tick, if this member is one.
  func noteProgress(of member: Member) {
    loop.assertIsCurrent()
    guard member.isListed, !isSettling else { return }
    isSettling = true
    loop.atEndOfTick { self.settle() }
  }

  /// Finds out which part of the log is still needed, and which members have been behind for too long.
  private func settle() {
    loop.assertIsCurrent()
    isSettling = false
    guard !lagging.isEmpty else {
      lapDeadline.cancel()
      return broadcaster.settle(index, delivered: delivered, needed: delivered, needsNewest: false)
    }
    let delivered = delivered
    let end = broadcaster.end
    let now = ContinuousClock.now
    var needed = delivered
    var needsNewest = false
    var nextDeadline: ContinuousClock.Instant?
    var overdue: [Member] = []
    lagging.removeAll { member in
      let position = member.channel.outbound.withLock { _ in member.hasLeft ? nil : member.cursor.position }
      guard let position, position < delivered else {
        member.isListed = false
        return true
      }
      switch member.policy {
      case .wait:
        needed = min(needed, position)
      case .latest:
        needsNewest = true
      case .drop(let limit):
        if position >= member.lapEnd {
          member.lapEnd = end
          member.lapDeadline = now + limit
        }
        if member.lapDeadline <= now || end - position >= broadcaster.backlogLimit {
          member.isListed = false
          overdue.append(member)
          return true
        }
        needed = min(needed, position)
        nextDeadline = min(nextDeadline ?? member.lapDeadline, member.lapDeadline)
      }
      return false
    }
    // After the iteration, because failing changes the list of members.
    for member in overdue { member.channel.failLagging() }
    broadcaster.settle(index, delivered: delivered, needed: needed, needsNewest: needsNewest)
    lapDeadline.set(nextDeadline)
  }
}

extension Channel {
  fileprivate func failLagging() {
    let reason = "\(peer) failed: it read its group's broadcasts too slowly; let it connect again, or raise the group's limits"
    fail(TransportError(.lagging, "Sending to \(reason)"), resetting: true)
  }
}
