/// What a program knows of its use of avahi-daemon. The daemon itself sends and receives for all programs, and tells no counts.
public struct AvahiMetrics: Hashable, Sendable, Codable {
  /// Counter: connections with the daemon, the first one included.
  public package(set) var connections = 0

  /// Counter: connections that were lost, because the daemon or the bus stopped or hung.
  public package(set) var connectionsLost = 0

  /// Counter: calls that were cut off, because the daemon had not answered for some seconds.
  public package(set) var callsCut = 0

  /// Gauge: the program's objects in the daemon: browsers, look-ups and groups of published records. The daemon allows a
  /// connection 1,024 of them.
  public package(set) var objects = 0

  /// Gauge: look-ups that wait until others end, because the number of objects is limited.
  public package(set) var waitingLookups = 0

  package init() {}
}
