import FramedCoding
import _BonjourishEventLoop

/// Where the transport says what has happened that no error tells the app.
///
/// A crowd of peers can cause as many events as it likes. So of each kind one message a second is passed on, and the next says how many
/// were left out.
package final class TransportLog: Sendable {
  private let handler: @Sendable (LogMessage) -> Void
  private let throttle = Locked(LogThrottle())

  /// Makes a log; `nil` without a handler.
  package init?(_ handler: (@Sendable (LogMessage) -> Void)?) {
    guard let handler else { return nil }
    self.handler = handler
  }

  /// Passes a message on, unless one of its kind was passed on less than a second ago.
  ///
  /// - Parameters:
  ///   - kind: What the message is about: one of a few, and never chosen by a peer.
  ///   - text: The message in one line.
  ///   - metadata: What it is about.
  ///   - file: The file of the caller.
  package func report(
    _ level: LogMessage.Level, _ kind: String, _ text: @autoclosure () -> String,
    _ metadata: @autoclosure () -> [String: String] = [:], in file: String = #fileID
  ) {
    guard let leftOut = throttle.withLock({ $0.admit(kind, at: .now) }) else { return }
    let addition = leftOut == 0 ? "" : " (\(leftOut) more of this kind were left out)"
    handler(LogMessage(level, text() + addition, metadata(), in: file))
  }
}

/// Lets one message of each kind through in each second.
struct LogThrottle {
  static let interval = Duration.seconds(1)

  private var kinds: [String: (until: ContinuousClock.Instant, leftOut: Int)] = [:]

  /// Decides on a message.
  ///
  /// - Returns: The number of messages of its kind that were left out since the last; `nil` to leave this one out.
  mutating func admit(_ kind: String, at now: ContinuousClock.Instant) -> Int? {
    if let last = kinds[kind], now < last.until {
      kinds[kind] = (last.until, last.leftOut + 1)
      return nil
    }
    defer { kinds[kind] = (now + Self.interval, 0) }
    return kinds[kind]?.leftOut ?? 0
  }
}
