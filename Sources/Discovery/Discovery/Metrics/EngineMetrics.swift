/// What the built-in engine has sent and received, and what it stores.
public struct EngineMetrics: Hashable, Sendable, Codable {
  /// The datagrams over IPv4.
  public package(set) var ipv4 = DatagramCounters()

  /// The datagrams over IPv6.
  public package(set) var ipv6 = DatagramCounters()

  /// The messages in the datagrams, over both.
  public package(set) var messages = MessageCounters()

  /// Gauge: the links in use. A link is an interface with an address family.
  public package(set) var links = 0

  /// Gauge: records of other hosts in the cache, at most 16,384.
  public package(set) var cachedRecords = 0

  /// Gauge: the estimated memory of these records in bytes, at most 8 MiB.
  public package(set) var cachedBytes = 0

  /// Gauge: other hosts' queries that are answered a moment later (RFC 6762 §6, §7.2).
  public package(set) var deferredQueries = 0

  package init() {}

  /// Adds the counters of an engine that has ended. Its gauges say nothing any more.
  package mutating func addCounters(of former: EngineMetrics) {
    ipv4 += former.ipv4
    ipv6 += former.ipv6
    messages += former.messages
  }
}

/// Counters of the datagrams of one address family. Those that only test whether multicast passes count too.
public struct DatagramCounters: Hashable, Sendable, Codable {
  /// Datagrams that were received, those included that the system handed back to their sender.
  public package(set) var received = 0

  /// Their size in bytes, without the headers of IP and UDP.
  public package(set) var bytesReceived = 0

  /// Datagrams that the system took to send. A firewall may still drop them.
  public package(set) var sent = 0

  /// Their size in bytes, without the headers of IP and UDP.
  public package(set) var bytesSent = 0

  /// Datagrams that could not be sent.
  public package(set) var failed = 0

  /// Datagrams that were received and cannot be used: too long, or of an interface that is not in use.
  public package(set) var unusable = 0

  /// Datagrams that the system dropped, because this program did not receive them fast enough.
  public package(set) var dropped = 0

  package init() {}

  package static func += (one: inout Self, other: Self) {
    one.received += other.received
    one.bytesReceived += other.bytesReceived
    one.sent += other.sent
    one.bytesSent += other.bytesSent
    one.failed += other.failed
    one.unusable += other.unusable
    one.dropped += other.dropped
  }
}
