import _BonjourishDiscovery

/// What a browser has reported to its subscribers so far: the services, and the state of the browser.
struct ReportedServices {
  private(set) var services: [ServiceInstance: DiscoveredService] = [:]
  private(set) var isSettled = false
  private(set) var interruption: DiscoveryError?

  mutating func apply(_ change: BrowseChange) {
    switch change {
    case .found(let service), .updated(let service): services[service.instance] = service
    case .lost(let service): services[service.instance] = nil
    case .settled: isSettled = true
    case .interrupted(let error): (interruption, isSettled) = (error, false)
    case .restored: interruption = nil
    }
  }

  var snapshot: BrowseSnapshot {
    BrowseSnapshot(services: services.values.sortedByName(), isSettled: isSettled, interruption: interruption)
  }

  /// The same as changes, for a new subscriber.
  var pending: PendingChanges<DiscoveredService> {
    var pending = PendingChanges<DiscoveredService>()
    for service in services.values.sortedByName() { pending.append(.found(service)) }
    if isSettled { pending.append(.settled) }
    if let interruption { pending.append(.interrupted(interruption)) }
    return pending
  }
}

extension Collection<DiscoveredService> {
  func sortedByName() -> [DiscoveredService] { sorted { $0.instance.name.text < $1.instance.name.text } }
}
