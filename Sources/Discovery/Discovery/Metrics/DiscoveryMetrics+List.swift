public import _BonjourishBase

extension DiscoveryMetrics {
  /// All numbers by name. Those of one name follow each other.
  public var list: [Metric] {
    [
      Metric("backend", .gauge, 1, ["backend": backend]),
      Metric("backend_changes", .counter, backendChanges),
      Metric("browsers", .gauge, browsers),
      Metric("lookups", .gauge, lookups),
      Metric("registrations", .gauge, registrations),
      Metric("changes", .counter, changes),
      Metric("waiting_changes", .gauge, waitingChanges),
      Metric("renames", .counter, renames),
    ] + builtin.list + avahi.list + directory.list
  }
}

extension EngineMetrics {
  fileprivate var list: [Metric] {
    let families = [("ipv4", ipv4), ("ipv6", ipv6)]
    return families.flatMap { family, count -> [Metric] in
      [
        Metric("datagrams", .counter, count.received, ["family": family, "direction": "in"]),
        Metric("datagrams", .counter, count.sent, ["family": family, "direction": "out"]),
      ]
    }
      + families.flatMap { family, count -> [Metric] in
        [
          Metric("datagram_bytes", .counter, count.bytesReceived, ["family": family, "direction": "in"]),
          Metric("datagram_bytes", .counter, count.bytesSent, ["family": family, "direction": "out"]),
        ]
      }
      + families.flatMap { family, count -> [Metric] in
        [
          Metric("datagrams_lost", .counter, count.failed, ["family": family, "reason": "failed"]),
          Metric("datagrams_lost", .counter, count.unusable, ["family": family, "reason": "unusable"]),
          Metric("datagrams_lost", .counter, count.dropped, ["family": family, "reason": "dropped"]),
        ]
      } + messages.list + [
        Metric("links", .gauge, links),
        Metric("cached_records", .gauge, cachedRecords),
        Metric("cached_bytes", .gauge, cachedBytes),
        Metric("deferred_queries", .gauge, deferredQueries),
      ]
  }
}

extension MessageCounters {
  fileprivate var list: [Metric] {
    let received = [
      ("query", queriesReceived), ("probe", probesReceived), ("response", responsesReceived), ("echo", echoes),
      ("malformed", malformed), ("ignored", ignored),
    ]
    let sent = [
      ("query", queriesSent), ("probe", probesSent), ("announcement", announcementsSent), ("answer", answersSent),
      ("unicast_answer", unicastAnswersSent), ("goodbye", goodbyesSent),
    ]
    return received.map { Metric("messages", .counter, $0.1, ["direction": "in", "kind": $0.0]) }
      + sent.map { Metric("messages", .counter, $0.1, ["direction": "out", "kind": $0.0]) } + [
        Metric("known_answers_suppressed", .counter, knownAnswersSuppressed),
        Metric("conflicts", .counter, conflicts),
        Metric("host_renames", .counter, hostRenames),
        Metric("records_evicted", .counter, recordsEvicted),
      ]
  }
}

extension AvahiMetrics {
  fileprivate var list: [Metric] {
    [
      Metric("avahi_connections", .counter, connections),
      Metric("avahi_connections_lost", .counter, connectionsLost),
      Metric("avahi_calls_cut", .counter, callsCut),
      Metric("avahi_objects", .gauge, objects),
      Metric("avahi_waiting_lookups", .gauge, waitingLookups),
    ]
  }
}

extension DirectoryMetrics {
  fileprivate var list: [Metric] {
    [
      Metric("directory_connections", .counter, connections),
      Metric("directory_connections_lost", .counter, connectionsLost),
      Metric("directory_connections_cut", .counter, connectionsCut),
      Metric("directory_watches", .gauge, watches),
      Metric("directory_records", .gauge, records),
      Metric("directory_messages", .counter, messages),
      Metric("directory_renewals", .counter, renewals),
      Metric("directory_malformed", .counter, malformed),
      Metric("directory_crowded_out", .counter, crowdedOut),
      Metric("directory_listings", .counter, listings),
    ]
  }
}
