import FramedCoding
import Synchronization
import _BonjourishEventLoop

/// The shared state of a group: the log of broadcast frames, and the part of it that each loop still needs.
///
/// The members on one loop form a shard, which is scheduled once for all of them. Lock order: a channel's `outbound` before
/// `state` here, never after it.
final class Broadcaster: Sendable {
  /// The log's data about a shard.
  struct ShardState {
    /// Nil after the group has ended.
    var shard: GroupShard?
    /// Members that the shard does not know yet.
    var joining: [Member] = []
    var memberCount = 0
    /// Whether the shard will send the content of the log without being scheduled again.
    var isScheduled = false
    /// The position up to which all members that are not behind have received everything.
    var delivered: Int
    /// The position from which the shard needs the log.
    var needed: Int
    /// Whether it has a member that will continue with the newest frame.
    var needsNewest = false
  }

  struct State {
    var log: BroadcastLog
    var shardStates: [ShardState] = []
    /// The number of members, without those that have left but are not yet removed from their shard.
    var memberCount = 0
    /// The tasks that wait for room in the log, in order.
    var waiters: [(ticket: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var ticketsGiven: UInt64 = 0
  }

  let format: FrameFormat
  /// The number of bytes in the log at which no more frames are accepted.
  let backlogLimit: Int
  let state: Locked<State>

  /// The position after the last frame, for reading without the lock.
  private let publishedEnd = Atomic<Int>(0)

  init(format: FrameFormat, backlogLimit: Int) {
    self.format = format
    self.backlogLimit = backlogLimit
    state = Locked(State(log: BroadcastLog(format: format)))
  }

  var end: Int { publishedEnd.load(ordering: .acquiring) }

  // MARK: - Membership

  /// Adds a channel. Has no effect if it is a member already, or its sending has ended.
  func add(_ channel: Channel, _ policy: Group.Policy) {
    channel.outbound.withLock { outbound in
      guard outbound.end == nil, !outbound.memberships.contains(where: { $0.broadcaster === self }) else { return }
      let member = state.withLock { $0.addMember(channel, policy, self) }
      outbound.memberships.append(member)
    }
  }

  /// Ends the group: the members leave, and still receive the broadcast frames.
  func disband() {
    let shards = state.withLock { state in
      state.shardStates.indices.compactMap { index in
        let shard = state.shardStates[index].shard.take()
        return state.shardStates[index].memberCount > 0 ? shard : nil
      }
    }
    for shard in shards { shard.disband() }
  }

  // MARK: - Broadcasting

  /// Adds a frame to the log, which the shards send at the end of their tick; returns false if the log is full.
  func accept(_ body: Span<UInt8>) throws(TransportError) -> Bool {
    let result: Result<[GroupShard]?, FramingError> = state.withLock { state in
      guard state.log.byteCount < backlogLimit else { return .success(nil) }
      do throws(FramingError) {
        try state.log.append(body)
      } catch {
        return .failure(error)
      }
      publishedEnd.store(state.log.end, ordering: .releasing)
      state.forget()
      return .success(state.takeUnscheduledShards())
    }
    do throws(FramingError) {
      guard let shards = try result.get() else { return false }
      for shard in shards { shard.schedule() }
      return true
    } catch {
      throw TransportError(error, "Broadcasting to a group")
    }
  }

  /// Waits until there is room in the log, then adds a frame.
  func acceptLater(_ body: [UInt8]) async throws(TransportError) {
    repeat { try await waitForRoom() } while try !accept(body.span)
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

  // MARK: - For the shards

  /// Returns the next portion for a shard, and the members that the shard does not know yet.
  func nextPortion(_ index: Int) -> (LogPortion?, joining: [Member]) {
    state.withLock { state in
      let joining = state.shardStates[index].takeJoining()
      let delivered = state.shardStates[index].delivered
      guard state.shardStates[index].memberCount > 0, delivered < state.log.end else { return (nil, joining) }
      return (state.log.portion(from: delivered, upTo: state.log.end, atMost: Channel.mostShownAtOnce), joining)
    }
  }

  /// Whether a shard has more to send. If not, the next broadcast schedules it again.
  func hasMore(_ index: Int) -> Bool {
    state.withLock { state in
      state.shardStates[index].isScheduled =
        state.shardStates[index].memberCount > 0 && state.shardStates[index].delivered < state.log.end
      return state.shardStates[index].isScheduled
    }
  }

  /// Takes the members that a shard does not know yet.
  func takeJoining(_ index: Int) -> [Member] {
    state.withLock { $0.shardStates[index].takeJoining() }
  }

  /// Notes which part of the log a shard still needs, and resumes the tasks that wait for room.
  func settle(_ index: Int, delivered: Int, needed: Int, needsNewest: Bool) {
    let waiters = state.withLock { state in
      state.shardStates[index].delivered = max(state.shardStates[index].delivered, delivered)
      state.shardStates[index].needed = needed
      state.shardStates[index].needsNewest = needsNewest
      return state.forgetAndTakeWaiters(backlogLimit)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Subtracts a member that a shard has removed.
  func release(_ index: Int) {
    let waiters = state.withLock { state in
      state.shardStates[index].memberCount -= 1
      return state.forgetAndTakeWaiters(backlogLimit)
    }
    for waiter in waiters { waiter.resume() }
  }
}

extension Broadcaster.ShardState {
  mutating func takeJoining() -> [Member] {
    guard !joining.isEmpty else { return [] }
    defer { joining = [] }
    return joining
  }
}

extension Broadcaster.State {
  fileprivate mutating func addMember(_ channel: Channel, _ policy: Group.Policy, _ broadcaster: Broadcaster) -> Member {
    let index =
      shardStates.firstIndex { $0.shard?.loop === channel.loop }
      ?? {
        shardStates.append(
          .init(shard: GroupShard(channel.loop, of: broadcaster, shardStates.count), delivered: log.end, needed: log.end))
        return shardStates.count - 1
      }()
    let member = Member(channel, of: shardStates[index].shard!, policy: policy, from: log.end)
    if shardStates[index].memberCount == 0 {
      shardStates[index].delivered = log.end
      shardStates[index].needed = log.end
      shardStates[index].needsNewest = false
    }
    shardStates[index].joining.append(member)
    shardStates[index].memberCount += 1
    memberCount += 1
    return member
  }

  /// Marks the shards that must be scheduled as scheduled, and returns them.
  fileprivate mutating func takeUnscheduledShards() -> [GroupShard] {
    var unscheduled: [GroupShard] = []
    for index in shardStates.indices where !shardStates[index].isScheduled && shardStates[index].memberCount > 0 {
      guard let shard = shardStates[index].shard else { continue }
      shardStates[index].isScheduled = true
      unscheduled.append(shard)
    }
    return unscheduled
  }

  /// Removes the frames that no shard needs any more.
  fileprivate mutating func forget() {
    var needed = log.end
    var needsNewest = false
    for shardState in shardStates where shardState.memberCount > 0 {
      needed = min(needed, shardState.needed)
      needsNewest = needsNewest || shardState.needsNewest
    }
    log.forget(before: needed, keepsNewest: needsNewest)
  }

  fileprivate mutating func forgetAndTakeWaiters(_ backlogLimit: Int) -> [CheckedContinuation<Void, Never>] {
    forget()
    // There is no low-water mark: a member that is about to be dropped may not advance until more is broadcast.
    guard !waiters.isEmpty, log.byteCount < backlogLimit else { return [] }
    defer { waiters = [] }
    return waiters.map(\.continuation)
  }
}
