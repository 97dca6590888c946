import CLinux
import EventLoop

/// The members of a group that live on one loop, which sends them what is broadcast, one after another.
///
/// A pass shows the same portion of the log to all of them. Who does not take it goes on by itself as soon as its socket does,
/// from where it is, and is listed here until it has got what the others have; so a pass costs one system call for each member.
///
/// Sendable: all `var`s are touched on the loop only.
final class Branch: @unchecked Sendable {
  /// How much is sent before others on the loop have their turn: bytes, each call counting as at least so many.
  private static let mostSentAtOnce = 1024 * 1024
  private static let leastPerCall = 4096

  let loop: EventLoop
  let broadcaster: Broadcaster
  private let index: Int

  // On the loop only:
  private var members: [Member] = []
  /// The members that are behind, as far as the last pass has shown.
  private var laggards: [Member] = []
  /// The position up to which all others have got everything.
  private var passed = 0
  /// Whether the laggards are to be looked at when the turn ends.
  private var isSettling = false
  private var lapTimer: LoopTimer?

  init(_ loop: EventLoop, of broadcaster: Broadcaster, _ index: Int) {
    self.loop = loop
    self.broadcaster = broadcaster
    self.index = index
  }

  // MARK: - Anywhere

  /// Sends what is in the log at the end of the turn.
  func schedulePass() {
    if loop.isCurrent {
      loop.atEndOfTurn { self.passInSlices() }
    } else {
      loop.perform { self.passInSlices() }
    }
  }

  /// Forgets a member that has left.
  func part(_ member: Member) {
    loop.perform { self.remove(member) }
  }

  /// Lets all members leave, with what they have not got yet in queues of their own.
  func disband() {
    loop.perform {
      self.takeUp(self.broadcaster.takeNewcomers(self.index))
      for member in self.members { _ = member.channel.leave(self.broadcaster) }
    }
  }

  // MARK: - Passes

  /// Sends everything up to a position without a pause.
  func pass(upTo end: Int) {
    while let pass = beginPass(upTo: end) {
      for place in members.indices { deliver(pass, to: members, at: place) }
      endPass(pass)
    }
  }

  /// Sends what is in the log, in slices, between which others on the loop have their turn.
  private func passInSlices() {
    if let pass = beginPass(upTo: .max) { go(on: pass, with: members, from: 0) } else { passAgain() }
  }

  private func go(on pass: borrowing Pass, with members: [Member], from start: Int) {
    var budget = Self.mostSentAtOnce
    var next = start
    while next < members.count {
      guard budget > 0 else {
        let portion = pass.portion
        return loop.atEndOfTurn { self.go(on: Pass(portion), with: members, from: next) }
      }
      budget -= max(deliver(pass, to: members, at: next), Self.leastPerCall)
      next += 1
    }
    endPass(pass)
    passAgain()
  }

  private func passAgain() {
    if broadcaster.mustPassAgain(index) { loop.atEndOfTurn { self.passInSlices() } }
  }

  private func beginPass(upTo end: Int) -> Pass? {
    let (portion, newcomers) = broadcaster.beginPass(index, upTo: end)
    takeUp(newcomers)
    return portion.map { Pass($0) }
  }

  /// Sends a member what all get. What the next ones need is asked of the memory before, for thousands do not fit into a cache.
  ///
  /// - Returns: How many bytes were sent.
  @discardableResult
  private func deliver(_ pass: borrowing Pass, to members: [Member], at place: Int) -> Int {
    if place + 2 < members.count {
      linux_prefetch(Unmanaged.passUnretained(members[place + 2]).toOpaque(), 1)
      linux_prefetch(Unmanaged.passUnretained(members[place + 1].channel).toOpaque(), 4)
    }
    let member = members[place]
    switch member.channel.deliver(pass, to: member) {
    case .complete(let count):
      return count
    case .behind:
      list(member)
      return Self.leastPerCall
    }
  }

  private func endPass(_ pass: borrowing Pass) {
    passed = max(passed, pass.portion.range.upperBound)
    settle()
  }

  // MARK: - Members

  private func takeUp(_ newcomers: [Member]) {
    for member in newcomers {
      member.place = members.count
      members.append(member)
    }
  }

  private func remove(_ member: Member) {
    takeUp(broadcaster.takeNewcomers(index))
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

  private func list(_ member: Member) {
    guard !member.isListed, member.place != nil else { return }
    member.isListed = true
    laggards.append(member)
    member.lapEnd = 0
  }

  /// Looks at the laggards at the end of the turn if this is one.
  func noteProgress(of member: Member) {
    guard member.isListed, !isSettling else { return }
    isSettling = true
    loop.atEndOfTurn { self.settle() }
  }

  /// Finds out what is still needed of the log, and who has been behind for too long.
  private func settle() {
    isSettling = false
    lapTimer?.cancel()
    lapTimer = nil
    guard !laggards.isEmpty else {
      return broadcaster.settle(index, passed: passed, needed: passed, needsNewest: false)
    }
    let passed = passed
    let end = broadcaster.end
    let now = ContinuousClock.now
    var needed = passed
    var needsNewest = false
    var nextDeadline: ContinuousClock.Instant?
    var overdue: [Member] = []
    laggards.removeAll { member in
      let position = member.channel.outbound.withLock { _ in member.hasLeft ? nil : member.cursor.position }
      guard let position, position < passed else {
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
    // They may ask for frames until they have failed.
    for member in overdue { member.channel.failLagging() }
    broadcaster.settle(index, passed: passed, needed: needed, needsNewest: needsNewest)
    if let nextDeadline { lapTimer = loop.schedule(at: nextDeadline) { self.settle() } }
  }
}

extension Channel {
  fileprivate func failLagging() {
    let reason = "\(peer) took what its group broadcast too slowly; let it connect again, or allow for more"
    fail(TransportError(.lagging, "Sending to \(reason)"), resetting: true)
  }
}
