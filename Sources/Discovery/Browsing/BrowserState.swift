/// What a browser knows: sightings on links, folded into instances.
///
/// A value without I/O: events and time go in, changes come out.
package struct BrowserState {
  /// How long instances outlive the engine that saw them, so that one that is only restarted loses nothing.
  package static let grace: Duration = .seconds(5)

  private struct Known {
    var links: Set<Link>
    /// The links as they were before an interruption, not yet seen again.
    var staleLinks: Set<Link> = []

    func service(_ instance: ServiceInstance) -> DiscoveredService {
      let interfaces = Set(links.union(staleLinks).map(\.interface))
      return DiscoveredService(instance: instance, interfaces: interfaces.sorted())
    }
  }

  private enum Connection: Equatable {
    case up
    /// Instances are dropped at the deadline; nil when they have been.
    case down(dropAt: ContinuousClock.Instant?)
  }

  private var known: [ServiceInstance: Known] = [:]
  private var connection = Connection.up

  package init() {}

  /// When ``advance(to:)`` has something to do.
  package var nextDeadline: ContinuousClock.Instant? {
    guard case .down(let deadline) = connection else { return nil }
    return deadline
  }

  /// Takes in an event of the backend. `failed` is not for this machine: it ends the browser.
  package mutating func handle(_ event: BrowseEvent, at now: ContinuousClock.Instant) -> [BrowseChange] {
    switch event {
    case .appeared(let instance, let link):
      return appeared(instance, on: link)
    case .vanished(let instance, let link):
      return vanished(instance, from: link)
    case .settled:
      return dropStale() + [.settled]
    case .interrupted(let error):
      guard connection == .up else { return [] }
      connection = .down(dropAt: now + Self.grace)
      for instance in known.keys {
        known[instance]!.staleLinks.formUnion(known[instance]!.links)
        known[instance]!.links = []
      }
      return [.interrupted(error)]
    case .restored:
      guard connection != .up else { return [] }
      connection = .up
      return [.restored]
    case .failed:
      return []
    }
  }

  /// Lets time pass.
  package mutating func advance(to now: ContinuousClock.Instant) -> [BrowseChange] {
    guard case .down(let deadline?) = connection, deadline <= now else { return [] }
    connection = .down(dropAt: nil)
    return dropStale()
  }

  private mutating func appeared(_ instance: ServiceInstance, on link: Link) -> [BrowseChange] {
    guard var entry = known[instance] else {
      let entry = Known(links: [link])
      known[instance] = entry
      return [.found(entry.service(instance))]
    }
    let before = entry.service(instance)
    entry.staleLinks.remove(link)
    entry.links.insert(link)
    known[instance] = entry
    let after = entry.service(instance)
    return after == before ? [] : [.updated(after)]
  }

  private mutating func vanished(_ instance: ServiceInstance, from link: Link) -> [BrowseChange] {
    guard var entry = known[instance] else { return [] }
    let before = entry.service(instance)
    entry.links.remove(link)
    entry.staleLinks.remove(link)
    return change(instance, from: before, to: entry)
  }

  private mutating func dropStale() -> [BrowseChange] {
    let stale = known.filter { !$0.value.staleLinks.isEmpty }
    return stale.sorted { $0.key.name.text < $1.key.name.text }.flatMap { instance, entry in
      var entry = entry
      let before = entry.service(instance)
      entry.staleLinks = []
      return change(instance, from: before, to: entry)
    }
  }

  private mutating func change(_ instance: ServiceInstance, from before: DiscoveredService, to entry: Known) -> [BrowseChange] {
    guard !entry.links.isEmpty || !entry.staleLinks.isEmpty else {
      known[instance] = nil
      return [.lost(before)]
    }
    known[instance] = entry
    let after = entry.service(instance)
    return after == before ? [] : [.updated(after)]
  }
}
