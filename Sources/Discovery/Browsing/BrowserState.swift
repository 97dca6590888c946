/// What a browser knows: sightings on links, folded into instances.
///
/// A value without I/O: events and time go in, changes come out.
package struct BrowserState {
  /// How long instances outlive the engine that saw them, and how long one that is back has to see them again.
  ///
  /// Hosts do not answer twice within a second (RFC 6762 §6), and answers can be lost: the first time that an engine asks, and
  /// thinks that it has been told all, someone who is there may have been silent. In 5 s it asks three times (§5.2).
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
    /// Up again. What has not been seen again by the deadline is dropped, and only then is it told that all is settled.
    case returning(dropAt: ContinuousClock.Instant, isSettled: Bool)
  }

  private var known: [ServiceInstance: Known] = [:]
  private var connection = Connection.up

  package init() {}

  /// When ``advance(to:)`` has something to do.
  package var nextDeadline: ContinuousClock.Instant? {
    switch connection {
    case .up: nil
    case .down(let deadline): deadline
    case .returning(let deadline, _): deadline
    }
  }

  /// Takes in an event of the backend. `failed` is not for this machine: it ends the browser.
  package mutating func handle(_ event: BrowseEvent, at now: ContinuousClock.Instant) -> [BrowseChange] {
    switch event {
    case .appeared(let instance, let link):
      return appeared(instance, on: link) + settleIfComplete()
    case .vanished(let instance, let link):
      return vanished(instance, from: link) + settleIfComplete()
    case .settled:
      return settled()
    case .interrupted(let error):
      if case .down = connection { return [] }
      connection = .down(dropAt: now + Self.grace)
      for instance in known.keys {
        known[instance]!.staleLinks.formUnion(known[instance]!.links)
        known[instance]!.links = []
      }
      return [.interrupted(error)]
    case .restored:
      guard case .down = connection else { return [] }
      connection = .returning(dropAt: now + Self.grace, isSettled: false)
      return [.restored]
    case .failed:
      return []
    }
  }

  /// Lets time pass.
  package mutating func advance(to now: ContinuousClock.Instant) -> [BrowseChange] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    switch connection {
    case .up:
      return []
    case .down:
      connection = .down(dropAt: nil)
      return dropStale()
    case .returning(_, let isSettled):
      connection = .up
      return dropStale() + (isSettled ? [.settled] : [])
    }
  }

  private mutating func settled() -> [BrowseChange] {
    switch connection {
    case .up:
      return [.settled]
    case .down:
      return []
    case .returning(let deadline, _):
      connection = .returning(dropAt: deadline, isSettled: true)
      return settleIfComplete()
    }
  }

  /// Tells that all is settled as soon as nothing is missed any more.
  private mutating func settleIfComplete() -> [BrowseChange] {
    guard case .returning(_, isSettled: true) = connection, known.values.allSatisfy(\.staleLinks.isEmpty) else { return [] }
    connection = .up
    return [.settled]
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
