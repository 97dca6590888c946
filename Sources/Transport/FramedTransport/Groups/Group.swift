public import FramedCoding
import _BonjourishEventLoop

/// A group of connections that all receive the same frames.
///
/// A broadcast frame is encoded once, into a log that each member reads at its own speed. The frames of one tick of a thread
/// leave in one write for each member. Any task may broadcast, and members may be on several threads.
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
/// **Order.** Frames are received whole. What one task broadcasts to a group and sends to a member of the group arrives at that
/// member in the order of the calls. Frames of different groups may overtake each other.
///
/// **Memory.** The log holds at most `backlogLimit` bytes that some member needs, plus one frame, for any number of members. It
/// uses at most twice that memory plus 128 KiB. While it is full, broadcasting suspends. The ``Policy`` of a member limits how
/// far it may be behind. A member has memory of its own for the rest of a frame that left in part. If it leaves while broadcasts
/// still wait, or frames are sent to it alone, the waiting broadcasts move to its own queue, which
/// `TransportLimits.sendHighWater` bounds.
///
/// A connection that is closed leaves its groups; earlier broadcasts are still sent within the time limit of closing. A
/// connection that breaks leaves, too. A group does not retain its connections: a connection that is released is aborted and
/// leaves. When a group is released, its members still receive the earlier broadcasts.
public final class Group: Sendable {
  /// The handling of a member that reads frames more slowly than they are broadcast. Later versions may add cases.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Policy: Hashable, Sendable {
    /// Broadcasting suspends while the member is `backlogLimit` bytes behind. No frame is lost, but a member that stops reading
    /// delays all others.
    case wait

    /// The member's connection is aborted with `lagging` when it is `backlogLimit` bytes behind, or does not catch up in time.
    ///
    /// The time starts when the member falls behind. By its end the member must have received the frames that had been broadcast
    /// at its start; then the time starts again. So no frame waits for longer than twice this time.
    case drop(after: Duration)

    /// The member skips to the newest frame: for frames that each contain the whole state.
    case latest
  }

  /// The format of the frames.
  public var format: FrameFormat { broadcaster.format }

  /// The number of members.
  public var count: Int { broadcaster.state.withLock { $0.memberCount } }

  let broadcaster: Broadcaster

  /// Creates a group without members.
  ///
  /// - Parameters:
  ///   - format: The format of the frames, the same for all members.
  ///   - backlogLimit: The number of bytes that the slowest member may be behind, at least 1. The bytes that the system buffers
  ///     for a connection do not count.
  public init(format: FrameFormat = .standard, backlogLimit: Int = 1024 * 1024) {
    precondition(backlogLimit > 0, "backlogLimit must be at least 1")
    broadcaster = Broadcaster(format: format, backlogLimit: backlogLimit)
  }

  deinit { broadcaster.disband() }

  // MARK: - Members

  /// Adds a connection. It receives every frame whose broadcast begins after this call has returned.
  ///
  /// A connection may be a member of several groups. Has no effect if it is already a member of this group, or has ended.
  ///
  /// - Parameters:
  ///   - connection: A connection with the group's format.
  ///   - policy: The policy for a member that is too slow.
  public func add(_ connection: Connection, whenSlow policy: Policy = .drop(after: .seconds(2))) {
    precondition(connection.format == format, "connection must have the group's format")
    broadcaster.add(connection.channel, policy)
  }

  /// Removes a connection. Frames that were broadcast before are still sent to it.
  ///
  /// - Returns: Whether it was a member.
  @discardableResult
  public func remove(_ connection: Connection) -> Bool {
    connection.channel.leave(broadcaster)
  }

  // MARK: - Broadcasting

  /// Sends a frame with the given body to all members. Suspends while the log is full.
  ///
  /// On return the frame is accepted for all members. Without members it is dropped.
  ///
  /// - Parameter body: The body of the frame.
  /// - Throws: `frameTooLarge`; `malformedFrame` if the format cannot send such a body; `cancelled` if the task is cancelled
  ///   while it is suspended. Nothing is sent then.
  public func broadcast(_ body: [UInt8]) async throws(TransportError) {
    if try !broadcaster.accept(body.span) { try await broadcaster.acceptLater(body) }
  }

  /// Sends frames with the given bodies to all members, one after another, as `broadcast(_:)` does.
  ///
  /// - Throws: What `broadcast(_:)` throws. The bodies before the one that failed have been accepted.
  public func broadcast(contentsOf bodies: some Sequence<[UInt8]>) async throws(TransportError) {
    for body in bodies { try await broadcast(body) }
  }

  /// Sends a frame with the given body to all members, unless the log is full.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`; `malformedFrame` when the format cannot send such a body.
  public func tryBroadcast(_ body: [UInt8]) throws(TransportError) -> Bool {
    try tryBroadcast(body.span)
  }

  /// Sends a frame with the given body, read from a span, to all members, unless the log is full.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`; `malformedFrame` when the format cannot send such a body.
  public func tryBroadcast(_ body: Span<UInt8>) throws(TransportError) -> Bool {
    try broadcaster.accept(body)
  }
}
