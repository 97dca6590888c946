import _BonjourishEventLoop

/// A connection's membership in a group: its position in the group's log, and its policy for lagging.
///
/// The channel and the shard retain it until it leaves or sending has ended.
///
/// Sendable: `cursor` and `hasLeft` are guarded by the lock on the channel's `outbound`; the other variables are confined to the
/// loop, where only `GroupShard` uses them.
final class Member: @unchecked Sendable {
  let channel: Channel
  let shard: GroupShard
  let policy: Group.Policy

  // With the lock on `channel.outbound` held:
  private(set) var hasLeft = false
  var cursor: LogCursor

  // On the loop only:
  /// The place among the members of the shard.
  var place: Int?
  /// Whether the shard lists it as lagging.
  var isListed = false
  /// The position that it must reach by `lapDeadline`.
  var lapEnd = 0
  var lapDeadline = ContinuousClock.now

  init(_ channel: Channel, of shard: GroupShard, policy: Group.Policy, from position: Int) {
    self.channel = channel
    self.shard = shard
    self.policy = policy
    cursor = LogCursor(at: position, skips: policy == .latest)
  }

  var broadcaster: Broadcaster { shard.broadcaster }

  // MARK: - With the lock on `channel.outbound` held

  /// The number of bytes of the log that are still to be sent to it.
  var backlog: Int { cursor.backlog(upTo: broadcaster.end) }

  /// Takes the next portion of the log.
  func take(atMost byteCount: Int = .max) -> LogPortion {
    guard cursor.position < broadcaster.end else { return cursor.catchUp() }
    return broadcaster.state.withLock { cursor.take(from: $0.log, atMost: byteCount) }
  }

  /// Moves the cursor back before the frames that could not be sent, and returns the portion up to the end of the frame that has
  /// left in part.
  func putBack(_ portion: LogPortion, from start: Int) -> LogPortion {
    broadcaster.state.withLock { _ in cursor.putBack(portion, from: start) }
    return portion.prefix(upTo: cursor.position)
  }

  /// Ends the membership, and returns the earlier broadcasts that are still to be sent.
  func leave() -> LogPortion {
    hasLeft = true
    return broadcaster.state.withLock { state in
      state.memberCount -= 1
      return cursor.take(from: state.log)
    }
  }
}
