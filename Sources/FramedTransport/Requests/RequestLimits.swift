/// How much two peers that ask each other have on their hands at once.
///
/// All that waits in memory is at most this many messages, so choose the format's largest body with it. Both sides should use the
/// same limits: a side that asks more than the other answers at once gets the rest refused as `busy`.
public struct RequestLimits: Hashable, Sendable {
  /// How many requests can be under way to the peer; more of them wait on this side, in order.
  public let asked: Int

  /// How many requests of the peer are answered at once; more of them are refused.
  public let answered: Int

  /// How many notifications of the peer may wait for those before them to be handled; then the connection is not read any more,
  /// until there is room.
  public let notified: Int

  /// How long it may take to answer what a peer has asked before it ended its side; then the handlers are cancelled.
  ///
  /// One that has gone altogether cannot be told from one that only asks no more, so this is how long handlers may work for nobody.
  public let lateAnswerTime: Duration

  /// Limits, each at least 1; the time at least zero.
  public init(asked: Int = 64, answered: Int = 64, notified: Int = 256, lateAnswerTime: Duration = .seconds(5)) {
    precondition(asked > 0 && answered > 0 && notified > 0, "With a limit of 0 nothing could ever be asked or answered")
    precondition(lateAnswerTime >= .zero, "Late answers cannot be due before the end")
    self.asked = asked
    self.answered = answered
    self.notified = notified
    self.lateAnswerTime = lateAnswerTime
  }

  /// 64 requests in either direction, 256 notifications, and 5 seconds for late answers.
  public static let standard = RequestLimits()
}
