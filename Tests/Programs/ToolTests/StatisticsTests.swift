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

  @Test func `each number is told with what it counts`() {
    var metrics = DiscoveryMetrics()
    metrics.backend = "builtin"
    (metrics.browsers, metrics.lookups, metrics.registrations, metrics.changes) = (1, 2, 3, 4)
    (metrics.waitingChanges, metrics.renames, metrics.backendChanges) = (5, 6, 7)
    (metrics.avahi.connections, metrics.avahi.connectionsLost, metrics.avahi.callsCut) = (1, 2, 3)
    (metrics.avahi.objects, metrics.avahi.waitingLookups) = (4, 5)
    metrics.directory.connections = 1
    metrics.directory.connectionsLost = 2
    metrics.directory.connectionsCut = 3
    metrics.directory.watches = 4
    metrics.directory.records = 5
    metrics.directory.messages = 6
    metrics.directory.renewals = 7
    metrics.directory.malformed = 8
    metrics.directory.crowdedOut = 9
    metrics.directory.listings = 10
    let datagrams = metrics.builtin.ipv4
    metrics.builtin.ipv4.received = 1
    metrics.builtin.ipv4.bytesReceived = 2
    metrics.builtin.ipv4.sent = 3
    metrics.builtin.ipv4.bytesSent = 4
    metrics.builtin.ipv4.failed = 5
    metrics.builtin.ipv4.unusable = 6
    metrics.builtin.ipv4.dropped = 7
    metrics.builtin.ipv6 = datagrams
    metrics.builtin.messages.queriesReceived = 1
    metrics.builtin.messages.probesReceived = 2
    metrics.builtin.messages.responsesReceived = 3
    metrics.builtin.messages.echoes = 4
    metrics.builtin.messages.malformed = 5
    metrics.builtin.messages.ignored = 6
    metrics.builtin.messages.queriesSent = 7
    metrics.builtin.messages.probesSent = 8
    metrics.builtin.messages.announcementsSent = 9
    metrics.builtin.messages.answersSent = 10
    metrics.builtin.messages.unicastAnswersSent = 11
    metrics.builtin.messages.goodbyesSent = 12
    metrics.builtin.messages.knownAnswersSuppressed = 13
    metrics.builtin.messages.conflicts = 14
    metrics.builtin.messages.hostRenames = 15
    metrics.builtin.messages.recordsEvicted = 16
    metrics.builtin.links = 17
    metrics.builtin.cachedRecords = 18
    metrics.builtin.cachedBytes = 19
    metrics.builtin.deferredQueries = 20
    #expect(
      lines(metrics) == [
        "backend: builtin",
        "operations: 1 browsers, 2 look-ups, 3 registrations, 4 changes told, 5 changes waiting, 6 renames, "
          + "7 changes of the backend",
        "datagrams over IPv4: 1 received, 2 bytes received, 3 sent, 4 bytes sent, 5 not sent, 6 unusable, 7 dropped by the system",
        "datagrams over IPv6: ",
        "messages received: 1 queries, 2 probes, 3 responses, 4 echoes, 5 malformed, 6 ignored",
        "messages sent: 7 queries, 8 probes, 9 announcements, 10 answers, 11 unicast answers, 12 goodbyes, 13 known answers left out",
        "names: 14 conflicts, 15 new names of this host",
        "stored: 17 links, 18 records of others, 19 bytes, 20 queries answered later, 16 records dropped",
        "avahi-daemon: 1 connections, 2 lost, 3 calls cut off, 4 objects, 5 look-ups waiting",
        "directory: 1 connections, 2 lost, 3 cut off, 4 watches, 5 records, 6 messages, 7 renewals, 8 malformed, 9 without room, "
          + "10 lists again",
      ])
  }
}
