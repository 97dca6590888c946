import Bonjourish
import _BonjourishConsole

/// `--stats`
enum Statistics {
  /// Runs a body, and shows what discovery has done when it has ended, and whenever the process gets SIGUSR1.
  static func showing(of bonjour: Bonjour, json: Bool, _ body: () async throws -> Void) async throws {
    let signals = AdministratorSignal.all
    let shower = Task {
      for await signal in signals where signal == .statistics { show(await bonjour.metrics, json: json) }
    }
    defer { shower.cancel() }
    do {
      try await body()
    } catch {
      show(await bonjour.metrics, json: json)
      throw error
    }
    show(await bonjour.metrics, json: json)
  }

  private static func show(_ metrics: DiscoveryMetrics, json: Bool) {
    if json { return Output.standard.event(StatisticsEvent(metrics: metrics)) }
    for (subject, numbers) in summary(of: metrics) {
      Output.error.line("bonjourish: \(subject): \(numbers.isEmpty ? "nothing" : numbers)")
    }
  }

  /// What is shown to people: lines of numbers, without those that are 0.
  static func summary(of metrics: DiscoveryMetrics) -> [(subject: String, numbers: String)] {
    let (builtin, avahi, directory) = (metrics.builtin, metrics.avahi, metrics.directory)
    let operations = [
      (metrics.browsers, "browsers"), (metrics.lookups, "look-ups"), (metrics.registrations, "registrations"),
      (metrics.changes, "changes told"), (metrics.waitingChanges, "changes waiting"), (metrics.renames, "renames"),
      (metrics.backendChanges, "changes of the backend"),
    ]
    var lines = [("backend", metrics.backend), ("operations", list(operations))]
    if builtin.ipv4.sent + builtin.ipv6.sent > 0 { lines += summary(of: builtin) }
    if avahi.connections > 0 {
      let numbers = [
        (avahi.connections, "connections"), (avahi.connectionsLost, "lost"), (avahi.callsCut, "calls cut off"),
        (avahi.objects, "objects"), (avahi.waitingLookups, "look-ups waiting"),
      ]
      lines.append(("avahi-daemon", list(numbers)))
    }
    if directory != DirectoryMetrics() {
      let numbers = [
        (directory.connections, "connections"), (directory.connectionsLost, "lost"), (directory.connectionsCut, "cut off"),
        (directory.watches, "watches"), (directory.records, "records"), (directory.messages, "messages"),
        (directory.renewals, "renewals"), (directory.malformed, "malformed"), (directory.crowdedOut, "without room"),
        (directory.listings, "lists again"),
      ]
      lines.append(("directory", list(numbers)))
    }
    return lines
  }

  private static func summary(of builtin: EngineMetrics) -> [(subject: String, numbers: String)] {
    let messages = builtin.messages
    return [
      ("datagrams over IPv4", list(builtin.ipv4)), ("datagrams over IPv6", list(builtin.ipv6)),
      (
        "messages received",
        list([
          (messages.queriesReceived, "queries"), (messages.probesReceived, "probes"),
          (messages.responsesReceived, "responses"), (messages.echoes, "echoes"), (messages.malformed, "malformed"),
          (messages.ignored, "ignored"),
        ])
      ),
      (
        "messages sent",
        list([
          (messages.queriesSent, "queries"), (messages.probesSent, "probes"),
          (messages.announcementsSent, "announcements"), (messages.answersSent, "answers"),
          (messages.unicastAnswersSent, "unicast answers"), (messages.goodbyesSent, "goodbyes"),
          (messages.knownAnswersSuppressed, "known answers left out"),
        ])
      ),
      (
        "names",
        list([(messages.conflicts, "conflicts"), (messages.hostRenames, "new names of this host")])
      ),
      (
        "stored",
        list([
          (builtin.links, "links"), (builtin.cachedRecords, "records of others"), (builtin.cachedBytes, "bytes"),
          (builtin.deferredQueries, "queries answered later"), (messages.recordsEvicted, "records dropped"),
        ])
      ),
    ]
  }

  private static func list(_ datagrams: DatagramCounters) -> String {
    list([
      (datagrams.received, "received"), (datagrams.bytesReceived, "bytes received"), (datagrams.sent, "sent"),
      (datagrams.bytesSent, "bytes sent"), (datagrams.failed, "not sent"), (datagrams.unusable, "unusable"),
      (datagrams.dropped, "dropped by the system"),
    ])
  }

  /// The numbers that are not 0.
  private static func list(_ numbers: [(Int, String)]) -> String {
    numbers.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

/// The line of `--stats --json`.
struct StatisticsEvent: Encodable {
  private let event = "stats"
  private let metrics: DiscoveryMetrics

  init(metrics: DiscoveryMetrics) {
    self.metrics = metrics
  }
}
