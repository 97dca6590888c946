public import FramedTransport

/// A server's statistics for its administrator; the JSON keys are the names of the properties.
public struct ServerStatistics: Hashable, Sendable, Codable {
  public let uptimeSeconds: Double
  public let matchLimit: Int
  /// Whether new players are refused.
  public let isDraining: Bool
  public let counts: ServerCounts
  /// The counts of the sockets.
  public let listeners: [ListenerMetrics]

  init(_ machine: ServerMachine, uptime: Duration, listeners: [ListenerMetrics]) {
    uptimeSeconds = uptime / .seconds(1)
    matchLimit = machine.matchLimit
    isDraining = machine.isDraining
    counts = machine.counts
    self.listeners = listeners
  }
}
