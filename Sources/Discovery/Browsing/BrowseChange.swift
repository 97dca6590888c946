/// What a browser tells, one at a time and in order.
public enum BrowseChange: Hashable, Sendable {
  /// An instance that was not known.
  case found(DiscoveredService)
  /// A known instance is seen on other interfaces, has another endpoint or, for those who asked for hints, may be gone soon.
  case updated(DiscoveredService)
  /// An instance is gone; the value is the last that was known of it.
  case lost(DiscoveredService)
  /// Everyone who was going to answer at once has answered. More may come at any time.
  case settled
  /// The engine is out of reach. What was found stays for a few seconds, in case that it comes back or another takes over.
  case interrupted(DiscoveryError)
  /// The engine is back, or another has taken over. What it does not see a few seconds later is lost, before the next
  /// ``settled``.
  case restored
}

/// All that a browser knows at one time.
public struct BrowseSnapshot: Hashable, Sendable {
  /// The services, in the order of their names.
  public var services: [DiscoveredService]
  /// Whether everyone who was going to answer at once has answered.
  public var isSettled: Bool
  /// Why the engine is out of reach, nil when it is not.
  public var interruption: DiscoveryError?

  public init(services: [DiscoveredService] = [], isSettled: Bool = false, interruption: DiscoveryError? = nil) {
    self.services = services
    self.isSettled = isSettled
    self.interruption = interruption
  }
}
