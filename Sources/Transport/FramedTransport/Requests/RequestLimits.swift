/// The limits of concurrent requests and notifications.
///
/// They bound the number of messages in memory; the format's largest body bounds the size of each. Both sides should use the same
/// limits: requests beyond the other side's limit are refused as `busy`.
public struct RequestLimits: Hashable, Sendable {
  /// The number of requests to the peer that may be open; more of them wait on this side, in order.
  public var asked: Int

  /// The number of the peer's requests that are answered at once; more of them are refused.
  public var answered: Int

  /// The number of the peer's notifications that may wait to be handled. At the limit the connection is not read until there is
  /// room.
  public var notified: Int

  /// The number of items of each streaming reply that the peer may send before the app has taken them.
  public var streamed: Int

  /// The longest time to answer requests after the peer has ended its side; then the handlers are cancelled.
  ///
  /// A peer that has closed the connection cannot be distinguished from one that only sends no more requests. So this is the
  /// longest time that handlers may work without a recipient.
  public var lateAnswerTime: Duration

  /// Pings that show the peer that this side is alive; `nil` for none.
  ///
  /// Any received frame restarts the timeout. If the peer is silent for the heartbeat's timeout, the connection is aborted, and
  /// requests fail with `disconnected`; the transport's code is `timedOut`. Both sides need a heartbeat: a peer without one may
  /// be silent for any time. A heartbeat of ``TransportLimits`` does the same for connections with or without requests.
  public var heartbeat: Heartbeat?

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - asked: At least 1.
  ///   - answered: At least 1.
  ///   - notified: At least 1.
  ///   - streamed: At least 1.
  ///   - lateAnswerTime: Zero or more.
  ///   - heartbeat: The interval of pings, and the longest silence of the peer.
  public init(
    asked: Int = 64, answered: Int = 64, notified: Int = 256, streamed: Int = 16, lateAnswerTime: Duration = .seconds(5),
    heartbeat: Heartbeat? = nil
  ) {
    self.asked = asked
    self.answered = answered
    self.notified = notified
    self.streamed = streamed
    self.lateAnswerTime = lateAnswerTime
    self.heartbeat = heartbeat
    check()
  }

  /// Fails if a value cannot be used.
  func check() {
    precondition(asked > 0, "asked must be at least 1")
    precondition(answered > 0, "answered must be at least 1")
    precondition(notified > 0, "notified must be at least 1")
    precondition(streamed > 0, "streamed must be at least 1")
    precondition(lateAnswerTime >= .zero, "lateAnswerTime must not be negative")
    heartbeat?.check()
  }

  /// 64 requests in each direction, 256 notifications, 16 items of a streaming reply, and 5 seconds for late answers.
  public static let standard = RequestLimits()
}
