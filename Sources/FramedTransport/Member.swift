import EventLoop

/// A connection's place in a group: how far it has read the group's log, and what is to become of it when it lags.
///
/// The channel holds it, and its branch, until it leaves or nothing can be sent any more.
///
/// Sendable: `cursor` and `hasLeft` are touched with the lock on the channel's `outbound` held, other `var`s on the loop only.
final class Member: @unchecked Sendable {
  let channel: Channel
  let branch: Branch
  let policy: Group.Policy

  // With the lock on `channel.outbound` held:
  private(set) var hasLeft = false
  var cursor: LogCursor

  // On the loop only:
  /// The place among the members of the branch.
  var place: Int?
  /// Whether the branch knows that it is behind.
  var isListed = false
  /// What it has to have got at `lapDeadline`.
  var lapEnd = 0
  var lapDeadline = ContinuousClock.now

  init(_ channel: Channel, of branch: Branch, policy: Group.Policy, from position: Int) {
    self.channel = channel
    self.branch = branch
    self.policy = policy
    cursor = LogCursor(at: position, skips: policy == .latest)
  }

  var broadcaster: Broadcaster { branch.broadcaster }

  // MARK: - With the lock on `channel.outbound` held

  /// How many bytes of the log are still to be sent to it.
  var backlog: Int { cursor.backlog(upTo: broadcaster.end) }

  /// Moves over what there is.
  func take(atMost byteCount: Int = .max) -> LogPortion {
    guard cursor.position < broadcaster.end else { return cursor.catchUp() }
    return broadcaster.state.withLock { cursor.take(from: $0.log, atMost: byteCount) }
  }

  /// Moves back to before what could not be sent, and returns what includes the frame that was begun.
  func putBack(_ portion: LogPortion, from start: Int) -> LogPortion {
    broadcaster.state.withLock { _ in cursor.putBack(portion, from: start) }
    return portion.prefix(upTo: cursor.position)
  }

  /// Is a member no more; returns what was broadcast while it was.
  func leave() -> LogPortion {
    hasLeft = true
    return broadcaster.state.withLock { state in
      state.memberCount -= 1
      return cursor.take(from: state.log)
    }
  }
}
