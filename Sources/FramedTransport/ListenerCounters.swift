/// What has happened at a listener since it was made, and how many are there now.
///
/// Connections that were refused or shed were never handed to the app; those that timed out, were displaced, or broke were, and
/// their `frames` and `send` tell the same as an error.
public struct ListenerCounters: Hashable, Sendable, Codable {
  /// How many connections are open, newcomers included.
  public internal(set) var connections = 0

  /// How many of them have not been admitted yet.
  public internal(set) var newcomers = 0

  /// How many connections were let in.
  public internal(set) var accepted = 0

  /// How many were admitted, by their first frame or by the app.
  public internal(set) var admitted = 0

  /// How many were refused because there were enough newcomers.
  public internal(set) var refusedCrowded = 0

  /// How many were refused because there were enough newcomers from their address.
  public internal(set) var refusedFromAddress = 0

  /// How many were closed at once because the process or the machine had no descriptor left, or no memory.
  public internal(set) var shed = 0

  /// How many newcomers had to go for others (`displaced`).
  public internal(set) var displaced = 0

  /// How many newcomers were not admitted in time (`helloTimedOut`).
  public internal(set) var helloTimedOut = 0

  /// How many began a frame and did not end it in time (`frameTimedOut`).
  public internal(set) var frameTimedOut = 0

  /// How many did not take for too long what was sent (`sendTimedOut`).
  public internal(set) var sendTimedOut = 0

  /// How many were too slow for a group (`lagging`).
  public internal(set) var lagging = 0

  /// How many were given up by the system because nothing came back any more (`timedOut`).
  public internal(set) var silent = 0

  /// How many were broken by the peer, or on the way (`reset`).
  public internal(set) var reset = 0

  /// How many ended with a length that cannot be accepted, or inside a frame (`frameTooLarge`, `malformedFrame`, `truncated`).
  public internal(set) var malformed = 0

  /// How many bytes have come, and were not dropped.
  public internal(set) var bytesReceived: UInt64 = 0

  /// How many bytes the system has taken.
  public internal(set) var bytesSent: UInt64 = 0

  /// Counts what ended a connection.
  mutating func count(_ code: TransportError.Code) {
    switch code {
    case .displaced: displaced += 1
    case .helloTimedOut: helloTimedOut += 1
    case .frameTimedOut: frameTimedOut += 1
    case .sendTimedOut: sendTimedOut += 1
    case .lagging: lagging += 1
    case .timedOut: silent += 1
    case .reset: reset += 1
    case .frameTooLarge, .malformedFrame, .truncated: malformed += 1
    default: break
    }
  }
}
