import _BonjourishDiscovery

/// Services with times, which come in the order of these, so that the next one is found at once.
struct Endings: Sendable {
  private var items: [(time: Duration, instance: ServiceInstance)] = []
  private var first = 0

  mutating func append(_ instance: ServiceInstance, at time: Duration) { items.append((time, instance)) }

  /// The next service whose time has come; nil if there is none.
  mutating func next(until now: Duration) -> ServiceInstance? {
    guard first < items.count, items[first].time <= now else { return nil }
    defer {
      first += 1
      if first > 1_000, first > items.count / 2 {
        items.removeFirst(first)
        first = 0
      }
    }
    return items[first].instance
  }
}
