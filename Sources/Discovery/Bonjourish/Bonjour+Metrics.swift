extension Bonjour {
  /// What discovery has done since this object was made, and what it is doing now.
  ///
  /// A snapshot takes some microseconds, also while avahi-daemon hangs; with a directory, up to two seconds while
  /// its server takes nothing. <doc:MetricsAndLogs> shows how to pass the numbers to a system that collects metrics.
  public var metrics: DiscoveryMetrics {
    get async {
      var metrics = await backend.metrics
      own.deliveries.add(to: &metrics)
      return metrics
    }
  }
}
