import Bonjourish
import Testing

@testable import bonjourish_cli

/// What `--stats` shows to people.
struct StatisticsTests {
  private func lines(_ metrics: DiscoveryMetrics) -> [String] {
    Statistics.summary(of: metrics).map { "\($0.subject): \($0.numbers)" }
  }

  @Test func `numbers that are 0, and backends that were not used, are left out`() {
    var metrics = DiscoveryMetrics()
    metrics.backend = "avahi"
    #expect(lines(metrics) == ["backend: avahi", "operations: "])
    metrics.browsers = 2
    metrics.renames = 1
    #expect(lines(metrics) == ["backend: avahi", "operations: 2 browsers, 1 renames"])
    metrics.avahi.objects = 3
    #expect(lines(metrics).count == 2)
    metrics.avahi.connections = 1
    #expect(lines(metrics).last == "avahi-daemon: 1 connections, 3 objects")
    metrics.directory.watches = 4
    #expect(lines(metrics).last == "directory: 4 watches")
  }

  @Test(arguments: [true, false]) func `the engine is shown once it has sent something, over either family`(isIPv4: Bool) {
    var metrics = DiscoveryMetrics()
    metrics.builtin.ipv4.received = 5
    #expect(lines(metrics).count == 2)
    if isIPv4 { metrics.builtin.ipv4.sent = 7 } else { metrics.builtin.ipv6.sent = 7 }
    metrics.builtin.messages.conflicts = 2
    #expect(
      lines(metrics).dropFirst(2) == [
        "datagrams over IPv4: 5 received" + (isIPv4 ? ", 7 sent" : ""), "datagrams over IPv6: " + (isIPv4 ? "" : "7 sent"),
        "messages received: ", "messages sent: ", "names: 2 conflicts", "stored: ",
      ])
  }
}
