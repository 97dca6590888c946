import EventLoop
import Framing
import Synchronization

/// What the members of a group share: the log of what is broadcast, and how much of it each loop still needs.
///
/// All members of a loop form a branch, and a loop is told of new frames once for all of them. A lock on a channel's `outbound`
/// is taken before the one here, never after it.
final class Broadcaster: Sendable {
  /// What the log has to know of a branch.
  struct Stake {
    /// Gone when nobody can broadcast any more.
    var branch: Branch?
    /// Members that the branch has not taken up yet.
    var newcomers: [Member] = []
    var memberCount = 0
    /// Whether the loop is going to look at the log without being told.
    var isTold = false
    /// The position up to which all members that are not behind have got everything.
    var passed: Int
    /// The position from which on the branch needs the log.
    var needed: Int
    /// Whether it has a member that goes on with whatever will be the newest frame.
    var needsNewest = false
  }

  struct State {
    var log: BroadcastLog
    var stakes: [Stake] = []
    /// How many members there are, without those that a branch has not let go yet.
    var memberCount = 0
    /// Who waits for room in the log, in order.
    var waiters: [(ticket: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var ticketsGiven: UInt64 = 0
  }

  let format: FrameFormat
  /// From how many bytes on that somebody still needs nothing is accepted.
  let backlogLimit: Int
  let state: Locked<State>

  /// The position after the last frame, for those who need not look into the log when there is nothing new.
  private let publishedEnd = Atomic<Int>(0)

  init(format: FrameFormat, backlogLimit: Int) {
    self.format = format
    self.backlogLimit = backlogLimit
    state = Locked(State(log: BroadcastLog(format: format)))
  }

  var end: Int { publishedEnd.load(ordering: .acquiring) }

  // MARK: - Membership

  /// Lets a channel have what is broadcast from now on; nothing happens when it is a member or nothing can be sent on it.
  func add(_ channel: Channel, _ policy: Group.Policy) {
    channel.outbound.withLock { outbound in
      guard outbound.end == nil, !outbound.memberships.contains(where: { $0.broadcaster === self }) else { return }
      let member = state.withLock { $0.addMember(channel, policy, self) }
      outbound.memberships.append(member)
    }
  }

  /// Nobody will broadcast any more: the members leave when they have got what there is.
  func disband() {
    let branches = state.withLock { state in
      state.stakes.indices.compactMap { index in
        let branch = state.stakes[index].branch.take()
        return state.stakes[index].memberCount > 0 ? branch : nil
      }
    }
    for branch in branches { branch.disband() }
  }

  // MARK: - Broadcasting

  /// Adds a frame to the log unless too much is in it already.
  ///
  /// - Parameter tells: Whether the loops are told to send it at the end of their turn; otherwise the caller does.
  func accept(_ body: Span<UInt8>, tells: Bool) throws(TransportError) -> Bool {
    let result: Result<[Branch]?, FramingError> = state.withLock { state in
      guard state.log.byteCount < backlogLimit else { return .success(nil) }
      do throws(FramingError) {
        try state.log.append(body)
      } catch {
        return .failure(error)
      }
      publishedEnd.store(state.log.end, ordering: .releasing)
      state.forget()
      return .success(tells ? state.untoldBranches() : [])
    }
    do throws(FramingError) {
      guard let branches = try result.get() else { return false }
      for branch in branches { branch.schedulePass() }
      return true
    } catch {
      throw TransportError(error, "Broadcasting to a group")
    }
  }

  /// The same as soon as there is not too much in the log any more.
  func acceptLater(_ body: [UInt8], tells: Bool) async throws(TransportError) {
    repeat { try await waitForRoom() } while try !accept(body.span, tells: tells)
  }

  /// Lets all loops send what is in the log: this one, if it is one, now, and the others as soon as they can.
  ///
  /// - Returns: Whether this one is one.
  func passNow() -> Bool {
    let (branches, end) = state.withLock { state in
      (state.stakes.compactMap { $0.memberCount > 0 ? $0.branch : nil }, state.log.end)
    }
    var isHere = false
    for branch in branches {
      if branch.loop.isCurrent { isHere = true }
      branch.loop.perform { branch.pass(upTo: end) }
    }
    return isHere
  }

  /// Suspends until there is room in the log.
  private func waitForRoom() async throws(TransportError) {
    let ticket = state.withLock { state in
      state.ticketsGiven += 1
      return state.ticketsGiven
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayGoOn = state.withLock { state in
          if state.log.byteCount < backlogLimit || Task.isCancelled { return true }
          state.waiters.append((ticket, continuation))
          return false
        }
        if mayGoOn { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0).continuation }
      }
      waiter?.resume()
    }
    if Task.isCancelled { throw .cancelled("Broadcasting to a group") }
  }

  // MARK: - For the branches

  /// What a branch is to send next, at most up to a position, and to whom besides those it knows.
  func beginPass(_ index: Int, upTo limit: Int) -> (LogPortion?, newcomers: [Member]) {
    state.withLock { state in
      let newcomers = state.stakes[index].takeNewcomers()
      let passed = state.stakes[index].passed
      let end = min(limit, state.log.end)
      guard state.stakes[index].memberCount > 0, passed < end else { return (nil, newcomers) }
      return (state.log.portion(from: passed, upTo: end, atMost: Channel.mostShownAtOnce), newcomers)
    }
  }

  /// Whether a branch has something to send; if not it will be told when it has.
  func mustPassAgain(_ index: Int) -> Bool {
    state.withLock { state in
      state.stakes[index].isTold = state.stakes[index].memberCount > 0 && state.stakes[index].passed < state.log.end
      return state.stakes[index].isTold
    }
  }

  /// The members that a branch has not taken up yet.
  func takeNewcomers(_ index: Int) -> [Member] {
    state.withLock { $0.stakes[index].takeNewcomers() }
  }

  /// Notes what a branch still needs, and lets those go on who waited for room.
  func settle(_ index: Int, passed: Int, needed: Int, needsNewest: Bool) {
    let waiters = state.withLock { state in
      state.stakes[index].passed = max(state.stakes[index].passed, passed)
      state.stakes[index].needed = needed
      state.stakes[index].needsNewest = needsNewest
      return state.forgetAndTakeWaiters(backlogLimit)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Forgets a member that a branch has let go.
  func release(_ index: Int) {
    let waiters = state.withLock { state in
      state.stakes[index].memberCount -= 1
      return state.forgetAndTakeWaiters(backlogLimit)
    }
    for waiter in waiters { waiter.resume() }
  }
}

extension Broadcaster.Stake {
  mutating func takeNewcomers() -> [Member] {
    guard !newcomers.isEmpty else { return [] }
    defer { newcomers = [] }
    return newcomers
  }
}

extension Broadcaster.State {
  fileprivate mutating func addMember(_ channel: Channel, _ policy: Group.Policy, _ broadcaster: Broadcaster) -> Member {
    let index =
      stakes.firstIndex { $0.branch?.loop === channel.loop }
      ?? {
        stakes.append(.init(branch: Branch(channel.loop, of: broadcaster, stakes.count), passed: log.end, needed: log.end))
        return stakes.count - 1
      }()
    let member = Member(channel, of: stakes[index].branch!, policy: policy, from: log.end)
    if stakes[index].memberCount == 0 {
      stakes[index].passed = log.end
      stakes[index].needed = log.end
      stakes[index].needsNewest = false
    }
    stakes[index].newcomers.append(member)
    stakes[index].memberCount += 1
    memberCount += 1
    return member
  }

  /// The branches that have to be told of frames, which count as told then.
  fileprivate mutating func untoldBranches() -> [Branch] {
    var untold: [Branch] = []
    for index in stakes.indices where !stakes[index].isTold && stakes[index].memberCount > 0 {
      guard let branch = stakes[index].branch else { continue }
      stakes[index].isTold = true
      untold.append(branch)
    }
    return untold
  }

  /// Forgets the frames that no branch needs any more.
  fileprivate mutating func forget() {
    var needed = log.end
    var needsNewest = false
    for stake in stakes where stake.memberCount > 0 {
      needed = min(needed, stake.needed)
      needsNewest = needsNewest || stake.needsNewest
    }
    log.forget(before: needed, keepsNewest: needsNewest)
  }

  fileprivate mutating func forgetAndTakeWaiters(_ backlogLimit: Int) -> [CheckedContinuation<Void, Never>] {
    forget()
    // Not only when much less is left: whoever is to be dropped may stay where it is until there is more.
    guard !waiters.isEmpty, log.byteCount < backlogLimit else { return [] }
    defer { waiters = [] }
    return waiters.map(\.continuation)
  }
}
