/// The limits of a connection: bytes held in memory, and time to wait for the peer.
///
/// One value of a set of limits is changed in a copy. What cannot be is a programming error, found when the limits are used.
///
/// ```swift
/// var limits = TransportLimits.peer
/// limits.heartbeat = Heartbeat()
/// let connection = try await Connection.connect(toHost: "games.example", port: 1955, limits: limits)
/// ```
public struct TransportLimits: Hashable, Sendable {
  /// The number of bytes waiting to be sent at which `send` suspends, at least 1.
  public var sendHighWater: Int

  /// The number of bytes waiting to be sent at which a suspended `send` resumes, 0 or more and less than `sendHighWater`. Unless it is
  /// set, a quarter of that.
  public var sendLowWater: Int {
    get { lowWater ?? sendHighWater / 4 }
    set { lowWater = newValue }
  }

  private var lowWater: Int?

  /// The number of received bytes, not yet taken by the app, at which the connection stops reading. The peer then has to wait.
  ///
  /// A single frame that is larger is still received.
  public var receiveAhead: Int

  /// The longest time from a frame's first byte to its last; `nil` for no limit. A slower frame ends the connection with
  /// `frameTimedOut`.
  ///
  /// For a frame of more than 64 KiB it is the time for each 64 KiB. Time in which this side does not read does not count.
  public var frameTime: Duration?

  /// The longest time in which the peer accepts no byte while bytes wait to be sent; `nil` for no limit. After that the
  /// connection ends with `sendTimedOut`.
  ///
  /// It applies to the broadcasts of groups too, whatever a group does about slow members.
  public var stallTime: Duration?

  /// The silence after which the system probes whether the peer is still there; `nil` for no probes.
  ///
  /// The connection ends with `timedOut` after `silenceLimit`, or after twice this time if there is no such limit. So a peer that
  /// has lost its power or its network is noticed even when nothing is sent to it. Rounded to seconds. TCP connections only
  /// (tcp(7), `SO_KEEPALIVE`).
  public var keepAlive: Duration?

  /// The longest time in which the peer's system acknowledges neither data nor probes; `nil` for the system's limit of about
  /// 15 minutes. After that the connection ends with `timedOut`.
  ///
  /// The limit also applies to a peer that acknowledges but has no room, because its program does not read. TCP connections only
  /// (tcp(7), `TCP_USER_TIMEOUT`).
  public var silenceLimit: Duration?

  /// Empty frames that show the peer that this side is alive; `nil` for none.
  ///
  /// Both sides need a heartbeat, with an interval shorter than the other side's timeout. A side without one receives the empty
  /// frames as ordinary frames.
  public var heartbeat: Heartbeat?

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - sendHighWater: Bytes, at least 1.
  ///   - sendLowWater: Bytes, 0 or more and less than `sendHighWater`; by default a quarter of it.
  ///   - receiveAhead: Bytes, at least 1.
  ///   - frameTime: More than zero.
  ///   - stallTime: More than zero.
  ///   - keepAlive: At least a second.
  ///   - silenceLimit: More than `keepAlive`.
  ///   - heartbeat: The format must permit empty frames if this is given.
  public init(
    sendHighWater: Int = 256 * 1024, sendLowWater: Int? = nil, receiveAhead: Int = 256 * 1024,
    frameTime: Duration? = .seconds(10), stallTime: Duration? = .seconds(2), keepAlive: Duration? = .seconds(15),
    silenceLimit: Duration? = .seconds(20), heartbeat: Heartbeat? = nil
  ) {
    self.sendHighWater = sendHighWater
    lowWater = sendLowWater
    self.receiveAhead = receiveAhead
    self.frameTime = frameTime
    self.stallTime = stallTime
    self.keepAlive = keepAlive
    self.silenceLimit = silenceLimit
    self.heartbeat = heartbeat
    check()
  }

  /// Fails if a value cannot be used.
  func check() {
    precondition(sendHighWater > 0, "sendHighWater must be at least 1")
    precondition(receiveAhead > 0, "receiveAhead must be at least 1")
    precondition((0..<sendHighWater).contains(sendLowWater), "sendLowWater must be at least 0 and less than sendHighWater")
    precondition(frameTime.map { $0 > .zero } ?? true, "frameTime must be more than zero")
    precondition(stallTime.map { $0 > .zero } ?? true, "stallTime must be more than zero")
    precondition(keepAlive.map { $0 >= .seconds(1) } ?? true, "keepAlive must be at least a second")
    precondition(silenceLimit.map { $0 > keepAlive ?? .zero } ?? true, "silenceLimit must be more than keepAlive")
    heartbeat?.check()
  }

  /// Limits for unknown peers, such as those of a listener.
  ///
  /// 256 KiB in each direction, with a low-water mark of 64 KiB; 10 seconds for a frame, 2 seconds for a peer that accepts
  /// nothing, 20 seconds for a peer that does not answer.
  public static let standard = TransportLimits()

  /// Limits for connections that this side opens, to a peer it has chosen: as `standard`, but the peer may accept nothing for
  /// 20 seconds.
  ///
  /// A vanished peer is noticed within 20 seconds, even when nothing waits to be acknowledged: the system probes after 10 seconds
  /// of silence, then every 2 seconds.
  public static let peer = TransportLimits(stallTime: nil, keepAlive: .seconds(10), silenceLimit: .seconds(20))

  /// Limits for a busy peer, such as a loaded server: as `peer`, but the peer may accept nothing for as long as it is reachable.
  ///
  /// While nothing is to be sent, the system probes the peer. While bytes wait to be sent, the system's limit of about 15 minutes
  /// applies.
  public static let patient = TransportLimits(stallTime: nil, silenceLimit: nil)
}
