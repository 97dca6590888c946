/// How often an idle connection sends an empty frame, and how long it waits for bytes from the peer.
///
/// A heartbeat detects a vanished peer on any kind of connection, within a time that the app chooses. The connection's thread
/// sends it, so a program whose other threads hang goes on sending it. A connection with a heartbeat delivers no empty frames,
/// not even those that the peer's app has sent.
public struct Heartbeat: Hashable, Sendable {
  /// The time without sending anything after which an empty frame is sent, more than zero.
  ///
  /// One is also sent when nothing was received for half of `timeout`: a browser sends nothing by itself, and only answers.
  public var interval: Duration

  /// The time without receiving anything after which the connection ends with `timedOut`, more than `interval`.
  ///
  /// Every received byte restarts it. Time in which this side does not read because its app takes no frames does not count, nor
  /// does time in which the machine was suspended.
  public var timeout: Duration

  /// Creates a heartbeat.
  ///
  /// - Parameters:
  ///   - interval: More than zero.
  ///   - timeout: More than `interval`; at least twice the peer's interval, so that a late frame does not end the connection.
  public init(interval: Duration = .seconds(5), timeout: Duration = .seconds(15)) {
    self.interval = interval
    self.timeout = timeout
    check()
  }

  /// Fails if a value cannot be used.
  func check() {
    precondition(interval > .zero, "interval must be more than zero")
    precondition(timeout > interval, "timeout must be more than interval")
  }
}
