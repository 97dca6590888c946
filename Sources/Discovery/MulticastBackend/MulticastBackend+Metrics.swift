package import _BonjourishDiscovery
import _BonjourishMulticastDNS

extension MulticastBackend {
  package var metrics: DiscoveryMetrics {
    var metrics = DiscoveryMetrics()
    metrics.backend = "builtin"
    for operation in operations.values {
      switch operation {
      case .lookUp(_, let question, _): metrics.count(question)
      case .publish, .records: metrics.registrations += 1
      case .ask, .host: break
      }
    }
    metrics.builtin = engineMetrics
    return metrics
  }

  package var engineMetrics: EngineMetrics {
    var metrics = engine.metrics
    metrics.ipv4 = datagrams(.ipv4)
    metrics.ipv6 = datagrams(.ipv6)
    return metrics
  }

  /// The counters of a family's sockets. The kernel counts what it drops for each socket.
  private func datagrams(_ family: IPAddress.Family) -> DatagramCounters {
    var counters = counter(of: family).counters
    for socket in sockets[family] ?? [] { counters.dropped += socket.dropped }
    return counters
  }

  func counter(of family: IPAddress.Family) -> DatagramCounter {
    switch family {
    case .ipv4: counter4
    case .ipv6: counter6
    }
  }
}
