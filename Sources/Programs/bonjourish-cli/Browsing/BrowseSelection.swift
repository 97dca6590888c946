import Bonjourish
import _BonjourishExplorer

/// The services that `browse` shows of those that are found.
struct BrowseSelection {
  /// Which machine's services are shown.
  enum Origin {
    case all, own, others
  }

  var origin = Origin.all
  /// Conditions that a service fulfils, all of them.
  var filters: [ServiceFilter] = []
  /// The addresses of this machine, asked for when a service is examined.
  var localAddresses: @Sendable () -> Set<IPAddress> = LocalAddresses.all

  /// The services that are shown.
  private(set) var shown: [ServiceInstance: DiscoveredService] = [:]

  /// Whether not every service is shown.
  var needsMatch: Bool { origin != .all || !filters.isEmpty }

  /// Whether only resolving finds what is examined.
  var needsEndpoint: Bool { origin != .all || filters.contains(where: \.needsEndpoint) }

  /// Turns a change of a service into one of the list that is shown; returns nil if the list stays as it is.
  mutating func apply(_ change: BrowseChange) -> BrowseChange? {
    switch change {
    case .found(let service), .updated(let service):
      let before = shown[service.instance]
      guard includes(service) else {
        shown[service.instance] = nil
        return before == nil ? nil : .lost(service)
      }
      shown[service.instance] = service
      return before == nil ? .found(service) : .updated(service)
    case .lost(let service):
      return shown.removeValue(forKey: service.instance) == nil ? nil : .lost(service)
    case .settled, .interrupted, .restored:
      return change
    }
  }

  private func includes(_ service: DiscoveredService) -> Bool {
    guard filters.allSatisfy({ $0.matches(service) }) else { return false }
    switch origin {
    case .all: return true
    case .own: return isOwn(service)
    case .others: return !isOwn(service)
    }
  }

  /// Whether the service's host has an address of this machine.
  private func isOwn(_ service: DiscoveredService) -> Bool {
    guard let addresses = service.endpoint?.addresses else { return false }
    return !localAddresses().isDisjoint(with: addresses)
  }
}
