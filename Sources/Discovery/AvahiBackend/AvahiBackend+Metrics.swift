#if Avahi
package import _BonjourishDiscovery
import _BonjourishEventLoop

extension AvahiBackend {
  /// Can be read while a call of the daemon hangs.
  package nonisolated var metrics: DiscoveryMetrics {
    var metrics = DiscoveryMetrics()
    metrics.backend = "avahi"
    metrics.avahi = counters.withLock { $0 }
    metrics.avahi.callsCut = line.cuts
    return metrics
  }

  /// Notes what may have changed with a command or an event.
  func note(waitingLookups: Int) {
    let objects = isConnected ? operationCount : 0
    counters.withLock { ($0.objects, $0.waitingLookups) = (objects, waitingLookups) }
  }
}
#endif
