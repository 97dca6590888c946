/// Counts of a listener's events since it was created, and of its present connections.
///
/// Connections that were refused or shed are never delivered to the app. Those that timed out, were displaced, or broke are:
/// their `frames` and `send` throw the error that is counted here.
public struct ListenerCounters: Hashable, Sendable, Codable {
  /// The number of open connections, pending ones included.
  public internal(set) var connections = 0

  /// The number of pending connections: open and not admitted yet.
  public internal(set) var pending = 0

  /// Connections that were accepted, and neither refused nor shed.
  public internal(set) var accepted = 0

  /// Connections that were admitted, by their first frame or by the app.
  public internal(set) var admitted = 0

  /// Connections that were refused because too many connections were pending.
  public internal(set) var refusedCrowded = 0

  /// Connections that were refused because too many connections from their address were pending.
  public internal(set) var refusedFromAddress = 0

  /// Connections that were reset at once because the process or the machine had no free descriptor.
  public internal(set) var shed = 0

  /// Pending connections that were ended to make room for others (`displaced`).
  public internal(set) var displaced = 0

  /// Pending connections that were not admitted in time (`helloTimedOut`).
  public internal(set) var helloTimedOut = 0

  /// Peers that began a frame and did not end it in time (`frameTimedOut`).
  public internal(set) var frameTimedOut = 0

  /// Peers that accepted nothing for too long while bytes waited to be sent (`sendTimedOut`).
  public internal(set) var sendTimedOut = 0

  /// Peers that were too slow for a group (`lagging`).
  public internal(set) var lagging = 0

  /// Peers that were silent for too long (`timedOut`).
  public internal(set) var silent = 0

  /// Connections that were broken by the peer or by a device between (`reset`).
  public internal(set) var reset = 0

  /// Connections that ended with bytes that are not a valid frame, or inside a frame (`frameTooLarge`, `malformedFrame`,
  /// `truncated`).
  public internal(set) var malformed = 0

  /// Peers with which the listener's protection could not be established. The module of the protection names the codes.
  public internal(set) var securityFailures = ErrorCounts()

  /// Bytes that were received and not dropped.
  public internal(set) var bytesReceived: UInt64 = 0

  /// Bytes that the system has taken to send.
  public internal(set) var bytesSent: UInt64 = 0

  /// Counts the error that ended a connection.
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
