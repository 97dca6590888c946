import EventLoop
public import Framing

/// Connections that are told the same.
///
/// A frame that is broadcast is encoded once, into a log that all members read, each from where it is; those of one turn of a
/// thread leave in one write for each member. Tasks of any kind may broadcast, and members may live on several threads.
///
/// ```swift
/// let group = Group(format: listener.format)
/// await listener.serve { connection in
///   group.add(connection)
///   do {
///     for try await line in connection.frames { try await group.broadcast(line) }
///   } catch { … }
/// }
/// ```
///
/// **Order.** A member gets every frame whole. What one task broadcasts to a group and sends to a member of it arrives there in
/// the order of its calls. Frames of different groups may overtake each other.
///
/// **Memory.** The log holds at most `backlogLimit` bytes that some member needs, and one frame more, however many members there
/// are; it takes at most twice that memory and 128 KiB. While it is full, at least until the threads have had a turn to send it,
/// broadcasting suspends. How much a member may be behind is a matter of its ``Policy``. A member keeps nothing of its own but the rest of one frame that left
/// in part; and, when it leaves with something still to be sent, or frames are sent to it alone in between, what was broadcast
/// before, as part of what `TransportLimits.sendHighWater` bounds for its own frames.
///
/// A connection that is closed leaves its groups; what was broadcast before still reaches it within the time that closing is
/// given. One that breaks leaves too. A group does not keep a connection: one that is dropped is aborted and leaves. Members of
/// a group that is dropped get what was broadcast.
public final class Group: Sendable {
  /// What is done about a member that takes frames more slowly than they are broadcast.
  public enum Policy: Hashable, Sendable {
    /// Broadcasting suspends while the member is `backlogLimit` bytes behind: nothing is lost, and one who stops reading holds
    /// up everybody.
    case wait

    /// The member's connection is aborted with `lagging` when it is `backlogLimit` bytes behind, or when it needs longer than
    /// a time to get what had been broadcast at its beginning.
    ///
    /// The time begins when the member falls behind, and anew whenever it has got that; so a frame waits for it no longer than
    /// twice this time.
    case drop(after: Duration)

    /// The member goes on with the newest frame, and gets none of those in between: for frames each of which tells the whole
    /// state.
    case latest
  }

  /// When a frame leaves.
  public enum Flushing: Hashable, Sendable {
    /// With all others of the turn, in one write for each member: the least work by far.
    case atEndOfTurn

    /// By a write of its own for each member, at once: a little earlier, at many times the cost.
    case immediately
  }

  /// The shape of the frames.
  public var format: FrameFormat { broadcaster.format }

  /// How many members there are.
  public var count: Int { broadcaster.state.withLock { $0.memberCount } }

  let broadcaster: Broadcaster

  /// A group without members.
  ///
  /// - Parameters:
  ///   - format: The shape of the frames, which is that of all its members.
  ///   - backlogLimit: How many bytes the slowest member may be behind, at least 1. What the system holds for a connection
  ///     comes on top of it.
  public init(format: FrameFormat = .standard, backlogLimit: Int = 1024 * 1024) {
    precondition(backlogLimit > 0, "A group without a backlog could never broadcast")
    broadcaster = Broadcaster(format: format, backlogLimit: backlogLimit)
  }

  deinit { broadcaster.disband() }

  // MARK: - Members

  /// Lets a connection have every frame whose broadcast begins when this has returned.
  ///
  /// A connection may be a member of several groups. Nothing happens when it is a member of this one already, or has ended.
  ///
  /// - Parameters:
  ///   - connection: A connection whose frames have the group's format.
  ///   - policy: What is done when it is too slow.
  public func add(_ connection: Connection, whenSlow policy: Policy = .drop(after: .seconds(2))) {
    precondition(connection.format == format, "A connection can be a member only of a group with frames of the same format")
    broadcaster.add(connection.channel, policy)
  }

  /// Takes a connection out; frames that were broadcast before still reach it.
  ///
  /// - Returns: Whether it was a member.
  @discardableResult
  public func remove(_ connection: Connection) -> Bool {
    connection.channel.leave(broadcaster)
  }

  // MARK: - Broadcasting

  /// Sends a frame with the given body to all members; suspends first while the log is full.
  ///
  /// When it returns the frame is accepted for all of them. Without members it goes nowhere.
  ///
  /// - Parameters:
  ///   - body: The body of the frame.
  ///   - flushing: When it leaves. A caller on the members' thread that wants it at once has sent it when this returns, and
  ///     gives others there a turn.
  /// - Throws: `frameTooLarge`; `cancelled` when the task is cancelled while it is suspended. Nothing is sent then.
  public func broadcast(_ body: [UInt8], flushing: Flushing = .atEndOfTurn) async throws(TransportError) {
    let tells = flushing == .atEndOfTurn
    if try !broadcaster.accept(body.span, tells: tells) { try await broadcaster.acceptLater(body, tells: tells) }
    await flush(flushing)
  }

  /// Sends frames with the given bodies to all members, as `broadcast(_:flushing:)` does one after another.
  ///
  /// - Parameters:
  ///   - bodies: The bodies of the frames.
  ///   - flushing: When they leave; those that leave immediately do so together.
  /// - Throws: What `broadcast(_:flushing:)` throws; the bodies before that one have been accepted.
  public func broadcast(
    contentsOf bodies: some Sequence<[UInt8]>, flushing: Flushing = .atEndOfTurn
  ) async throws(TransportError) {
    for body in bodies where try !broadcaster.accept(body.span, tells: true) {
      try await broadcaster.acceptLater(body, tells: true)
    }
    await flush(flushing)
  }

  /// Sends a frame with the given body to all members unless the log is full.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`.
  public func tryBroadcast(_ body: [UInt8], flushing: Flushing = .atEndOfTurn) throws(TransportError) -> Bool {
    try tryBroadcast(body.span, flushing: flushing)
  }

  /// Sends a frame with the given body, shown in place, to all members unless the log is full.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`.
  public func tryBroadcast(_ body: Span<UInt8>, flushing: Flushing = .atEndOfTurn) throws(TransportError) -> Bool {
    guard try broadcaster.accept(body, tells: flushing == .atEndOfTurn) else { return false }
    if flushing == .immediately { _ = broadcaster.passNow() }
    return true
  }

  private func flush(_ flushing: Flushing) async {
    guard flushing == .immediately, broadcaster.passNow() else { return }
    // A pass holds the thread for one system call to each member.
    await Task.yield()
  }
}
