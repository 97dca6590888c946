#if Avahi
import _BonjourishAvahiBackend
import _BonjourishDiscovery
import _BonjourishMulticastBackend

extension AutomaticBackend {
  func remainingLifetimes(of name: DomainName) -> [ResourceRecord.ID: Duration] {
    builtin?.assumeIsolated { $0.remainingLifetimes(of: name) } ?? [:]
  }

  var metrics: DiscoveryMetrics {
    var metrics = counters
    metrics.backend = builtin == nil ? "avahi" : "builtin"
    for entry in entries.values {
      switch entry.operation {
      case .lookUp(let question, _): metrics.count(question)
      case .publish: metrics.registrations += 1
      }
    }
    if let builtin {
      metrics.builtin = builtin.assumeIsolated { $0.engineMetrics }
      metrics.builtin.addCounters(of: counters.builtin)
    }
    if let avahi { metrics.avahi = avahi.metrics.avahi }
    return metrics
  }
}
#endif
