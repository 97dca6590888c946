import _BonjourishBase

/// How much a server has sent since the last whole message.
///
/// The library stores what comes until a message is complete, however large the server says it will be, and does not free it when the
/// connection is lost before. So connections that bring more than any message has, and no whole one, are to be ended.
package struct InboundAccount {
  /// The largest message that is waited for, in bytes. A server that takes larger ones is unusual: nats-server warns of it.
  package static let largestMessage = 8 << 20
  /// What a server takes unless it is set up otherwise.
  private static let usualMessage = 1 << 20
  /// For what is no message, what TLS adds, and what the system counts late.
  package static let slack = 256 << 10
  /// How often that may happen in a row before a directory is not used again.
  package static let mostCuts = 8
  /// The time that a connection has to last for a cut not to count with those before it.
  package static let honestTime: Duration = .seconds(3_600)
  /// The time after which counting begins anew: a server that sends nothing but answers to pings needs weeks for as much as a message.
  /// Within a message it has no such time, because a connection without these answers ends after 15 s.
  private static let window: Duration = .seconds(30)

  private var messages: UInt64 = 0
  /// The bytes of the connection when the last whole message was noted.
  private var mark: UInt64 = 0
  private var since: ContinuousClock.Instant
  /// The bytes of former connections that were no whole messages, which the library may have kept.
  private var lost: UInt64 = 0

  package init(at now: ContinuousClock.Instant) {
    since = now
  }

  /// The bytes that are permitted without a whole message.
  ///
  /// - Parameter maximumPayload: The most bytes of a message that the server says it takes.
  package static func limit(maximumPayload: Int) -> Int {
    let message = min(max(maximumPayload, usualMessage), largestMessage)
    // A record of TLS has up to 16 KiB, and adds less than a 64th of them.
    return message + message / 64 + slack
  }

  /// The time until the directory is used again.
  ///
  /// - Parameter cuts: How often its connection was ended in a row, at least 1.
  /// - Returns: Nil for never.
  package static func pause(after cuts: Int) -> Duration? { cuts < mostCuts ? backoff.delay(after: cuts) : nil }

  private static let backoff = Backoff(from: .seconds(30), to: .seconds(30 << mostCuts))

  /// The number of cuts in a row, with one of now.
  ///
  /// - Parameters:
  ///   - before: The number of cuts in a row before it.
  ///   - lasted: The time since the connection was made first: one that is made again often may be cut soon after the last time.
  package static func cutsInARow(_ before: Int, lasted: Duration) -> Int { lasted < honestTime ? before + 1 : 1 }

  /// Begins with a connection that has brought nothing yet.
  ///
  /// - Parameter messages: The number of whole messages of all connections before.
  package mutating func connected(messages: UInt64, at now: ContinuousClock.Instant) {
    (self.messages, mark, since) = (messages, 0, now)
  }

  /// Notes that the connection is lost, after it has brought so many bytes.
  package mutating func disconnected(_ bytes: UInt64) { lost += bytes - min(bytes, mark) }

  /// Notes a connection that was lost before it could be counted, as one that has brought a small part of a message: a server that
  /// flaps loses many.
  package mutating func missed() { lost += UInt64(Self.slack / 4) }

  /// Notes what was taken in so far.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the connection that have been read.
  ///   - messages: The number of whole messages of all connections.
  package mutating func note(_ bytes: UInt64, messages: UInt64, at now: ContinuousClock.Instant) {
    guard messages != self.messages || now >= since + Self.window else { return }
    (self.messages, mark, since) = (messages, bytes, now)
  }

  /// Whether more than a small part of a message has come.
  ///
  /// - Parameter bytes: The bytes of the connection that have been read.
  package func isReceiving(_ bytes: UInt64) -> Bool { bytes > mark + UInt64(Self.slack) }

  /// Whether more has come than is permitted.
  package func isExceeded(_ bytes: UInt64, maximumPayload: Int) -> Bool {
    lost + bytes - min(bytes, mark) > UInt64(Self.limit(maximumPayload: maximumPayload))
  }
}
