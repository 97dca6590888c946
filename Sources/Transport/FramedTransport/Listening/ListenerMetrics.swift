/// What a listener has done since it was created, and its present connections.
///
/// Counters begin at 0 and only grow. Gauges tell of the moment of the snapshot. ``list`` gives all of them by name, for systems that
/// collect metrics.
///
/// Connections that were refused or shed are never delivered to the app. Those that timed out, were displaced, or broke are:
/// their `frames` and `send` throw the error that is counted here.
public struct ListenerMetrics: Hashable, Sendable, Codable {
  /// Gauge: the number of open connections, pending ones included.
  public package(set) var connections = 0

  /// Gauge: the number of pending connections: open and not admitted yet.
  public package(set) var pending = 0

  /// Counter: connections that were accepted, and neither refused nor shed.
  public package(set) var accepted = 0

  /// Counter: connections that were admitted, by their first frame or by the app.
  public package(set) var admitted = 0

  /// Counter: connections that were refused because too many connections were pending.
  public package(set) var refusedCrowded = 0

  /// Counter: connections that were refused because too many connections from their address were pending.
  public package(set) var refusedFromAddress = 0

  /// Counter: connections that were reset at once because the process or the machine had no free descriptor.
  public package(set) var shed = 0

  /// Counter: pending connections that were ended to make room for others (`displaced`).
  public package(set) var displaced = 0

  /// Counter: pending connections that were not admitted in time (`helloTimedOut`).
  public package(set) var helloTimedOut = 0

  /// Counter: peers that began a frame and did not end it in time (`frameTimedOut`).
  public package(set) var frameTimedOut = 0

  /// Counter: peers that accepted nothing for too long while bytes waited to be sent (`sendTimedOut`).
  public package(set) var sendTimedOut = 0

  /// Counter: peers that were too slow for a group (`lagging`).
  public package(set) var lagging = 0

  /// Counter: peers that were silent for too long (`timedOut`).
  public package(set) var silent = 0

  /// Counter: connections that were broken by the peer or by a device between (`reset`).
  public package(set) var reset = 0

  /// Counter: connections that ended with bytes that are not a valid frame, or inside a frame (`frameTooLarge`, `malformedFrame`,
  /// `truncated`).
  public package(set) var malformed = 0

  /// Counter: peers with which the listener's protection could not be established. The module of the protection names the codes.
  public package(set) var securityFailures = ErrorCounts()

  /// Counter: bytes that were received and not dropped.
  public package(set) var bytesReceived: UInt64 = 0

  /// Counter: bytes that the system has taken to send.
  public package(set) var bytesSent: UInt64 = 0

  package init() {}

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
