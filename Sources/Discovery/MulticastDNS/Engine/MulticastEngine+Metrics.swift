package import _BonjourishDiscovery

extension MulticastEngine {
  /// What the engine has received and sent, and what it stores. The caller knows the datagrams.
  package var metrics: EngineMetrics {
    var metrics = EngineMetrics()
    metrics.messages = counters
    metrics.links = links.count
    for index in links.indices {
      metrics.messages += links[index].counters
      let load = links[index].load
      metrics.cachedRecords += load.records
      metrics.cachedBytes += load.bytes
      metrics.deferredQueries += load.deferredQueries
    }
    return metrics
  }
}
