/// How much a connection holds in memory before it makes somebody wait, and how long it waits for its peer.
public struct TransportLimits: Hashable, Sendable {
  /// From how many bytes that wait to be sent on `send` suspends.
  public let sendHighWater: Int

  /// To how many bytes that wait to be sent their number has to fall before a suspended `send` goes on.
  public let sendLowWater: Int

  /// From how many received bytes that nobody has taken on the connection stops reading; then the peer has to wait.
  ///
  /// One frame that is larger is received nevertheless.
  public let receiveAhead: Int

  /// How long a frame may take from its first byte to its last; `nil` for any time. After that the connection ends with
  /// `frameTimedOut`.
  ///
  /// For a frame of more than 64 KiB it is the time for each 64 KiB. Time in which this side does not read does not count.
  public let frameTime: Duration?

  /// How long the peer may take nothing while something waits to be sent; `nil` for any time. After that the connection ends with
  /// `sendTimedOut`.
  ///
  /// It holds for what groups broadcast too, whatever they do about slow members.
  public let stallTime: Duration?

  /// After how much silence the system asks whether the peer is still there; `nil` not to ask.
  ///
  /// It gives up after `silenceLimit`, or twice this time without one, and the connection ends with `timedOut`; so a peer that has lost its power or its network
  /// is noticed when nothing is sent to it either. Rounded to seconds. Of TCP connections only (tcp(7), `SO_KEEPALIVE`).
  public let keepAlive: Duration?

  /// How long the peer's system may acknowledge nothing of what was sent or asked; `nil` for the system's limits, which are
  /// about 15 minutes. After that the connection ends with `timedOut`.
  ///
  /// A peer that acknowledges, but has no room for anything because its program does not read, is given up after this time too.
  /// Of TCP connections only (tcp(7), `TCP_USER_TIMEOUT`).
  public let silenceLimit: Duration?

  /// Limits in bytes and in time.
  ///
  /// - Parameters:
  ///   - sendHighWater: At least 1.
  ///   - sendLowWater: Less than `sendHighWater`; a quarter of it when not given.
  ///   - receiveAhead: At least 1.
  ///   - frameTime: More than zero.
  ///   - stallTime: More than zero.
  ///   - keepAlive: At least a second.
  ///   - silenceLimit: More than `keepAlive`.
  public init(
    sendHighWater: Int = 256 * 1024, sendLowWater: Int? = nil, receiveAhead: Int = 256 * 1024,
    frameTime: Duration? = .seconds(10), stallTime: Duration? = .seconds(2), keepAlive: Duration? = .seconds(15),
    silenceLimit: Duration? = .seconds(20)
  ) {
    precondition(sendHighWater > 0, "With a high-water mark of 0 nothing could ever be sent")
    precondition(receiveAhead > 0, "Without receiving ahead nothing could ever be received")
    let sendLowWater = sendLowWater ?? sendHighWater / 4
    precondition((0..<sendHighWater).contains(sendLowWater), "The low-water mark has to be below the high-water mark")
    precondition(frameTime.map { $0 > .zero } ?? true, "A frame needs some time to come")
    precondition(stallTime.map { $0 > .zero } ?? true, "A peer needs some time to take what is sent")
    precondition(keepAlive.map { $0 >= .seconds(1) } ?? true, "The system counts keep-alive time in seconds")
    precondition(silenceLimit.map { $0 > keepAlive ?? .zero } ?? true, "A peer has to be asked before it is given up")
    self.sendHighWater = sendHighWater
    self.sendLowWater = sendLowWater
    self.receiveAhead = receiveAhead
    self.frameTime = frameTime
    self.stallTime = stallTime
    self.keepAlive = keepAlive
    self.silenceLimit = silenceLimit
  }

  /// 256 KiB in either direction, with a low-water mark of 64 KiB; 10 seconds for a frame, 2 for a peer that takes nothing, 20
  /// for one of whom nothing is heard. For connections with peers that may be anybody, as those of a listener.
  public static let standard = TransportLimits()

  /// As `standard`, but the peer may take nothing for as long as it is there: for connections with a peer that was chosen, such
  /// as a server that has much to do.
  ///
  /// The system asks whether it is there when nothing is to be sent; when something is, the system's limits hold.
  public static let patient = TransportLimits(stallTime: nil, silenceLimit: nil)
}
