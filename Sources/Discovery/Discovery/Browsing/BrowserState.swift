/// The state machine of a browser: merges the events of all links into instances.
///
/// A value without I/O: events and time go in, changes come out.
package struct BrowserState {
  /// The time for which instances are kept after an engine is lost, and after one is back.
  ///
  /// An engine may settle before it has heard of all hosts: hosts do not answer twice within a second (RFC 6762 §6), and
  /// answers can be lost. In 5 s it asks three times (§5.2).
  package static let grace = Continuity.grace

  private struct Known {
    var links: Set<Link>
    /// The links from before an interruption on which the instance has not been seen again.
    var staleLinks: Set<Link> = []
    /// The hints for those of `links` on which the instance may be gone soon.
    var doubts: [Link: DiscoveredService.Presence] = [:]
    /// Whether no host answers for the instance any more.
    var isUnanswered = false

    func service(_ instance: ServiceInstance) -> DiscoveredService {
      DiscoveredService(instance: instance, links: links.union(staleLinks).sorted(), presence: presence)
    }

    /// An instance is present when it is present on at least one link.
    private var presence: DiscoveredService.Presence {
      guard staleLinks.isEmpty else { return .present }
      guard doubts.count == links.count else { return isUnanswered ? .suspect : .present }
      return doubts.values.contains(.suspect) ? .suspect : .leaving
    }

    mutating func forget(_ link: Link) {
      links.remove(link)
      staleLinks.remove(link)
      doubts[link] = nil
    }
  }

  private var known: [ServiceInstance: Known] = [:]
  private var continuity = Continuity()
  private let tellsDoubts: Bool

  /// - Parameter tellsDoubts: Whether to report an update when an instance may be gone soon.
  package init(tellsDoubts: Bool = false) {
    self.tellsDoubts = tellsDoubts
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? { continuity.nextDeadline }

  /// Handles an event of the backend. `failed` is ignored here, because the caller ends the browser, and so is `described`.
  package mutating func handle(_ event: BrowseEvent, at now: ContinuousClock.Instant) -> [BrowseChange] {
    switch event {
    case .appeared(let instance, let link):
      return appeared(instance, on: link) + settleIfComplete()
    case .vanished(let instance, let link):
      return vanished(instance, from: link) + settleIfComplete()
    case .doubted(let instance, let link, let presence):
      return tellsDoubts ? doubted(instance, on: link, presence) : []
    case .settled:
      return settle()
    case .interrupted(let error):
      return continuity.interrupt(at: now) ? [.interrupted(error)] + doubtAll() : []
    case .restored:
      return continuity.restore(at: now) ? [.restored] : []
    case .failed, .described:
      return []
    }
  }

  /// Notes whether no host answers for an instance any more.
  package mutating func setUnanswered(_ instance: ServiceInstance, _ isUnanswered: Bool) -> [BrowseChange] {
    guard tellsDoubts, var entry = known[instance] else { return [] }
    let before = entry.service(instance)
    entry.isUnanswered = isUnanswered
    return change(instance, from: before, to: entry)
  }

  /// A known instance as it was last reported.
  package func service(_ instance: ServiceInstance) -> DiscoveredService? { known[instance]?.service(instance) }

  /// Marks every link as stale until the engine is back.
  private mutating func doubtAll() -> [BrowseChange] {
    var changes: [BrowseChange] = []
    for instance in known.keys.sorted(by: { $0.name.text < $1.name.text }) {
      let before = known[instance]!.service(instance)
      known[instance]!.staleLinks.formUnion(known[instance]!.links)
      known[instance]!.links = []
      known[instance]!.doubts = [:]
      let after = known[instance]!.service(instance)
      if after != before { changes.append(.updated(after)) }
    }
    return changes
  }

  /// Handles a deadline that has passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [BrowseChange] {
    guard let settles = continuity.advance(to: now) else { return [] }
    return dropStale() + (settles ? [.settled] : [])
  }

  /// Whether no link is stale any more.
  private var isComplete: Bool { known.values.allSatisfy(\.staleLinks.isEmpty) }

  /// Reports the delayed `settled` when no link is stale any more.
  private mutating func settleIfComplete() -> [BrowseChange] {
    continuity.isSettlingDelayed ? settle() : []
  }

  private mutating func settle() -> [BrowseChange] {
    let isComplete = isComplete
    return continuity.settle(isComplete: isComplete) ? [.settled] : []
  }

  private mutating func appeared(_ instance: ServiceInstance, on link: Link) -> [BrowseChange] {
    guard var entry = known[instance] else {
      let entry = Known(links: [link])
      known[instance] = entry
      return [.found(entry.service(instance))]
    }
    let before = entry.service(instance)
    entry.forget(link)
    entry.links.insert(link)
    return change(instance, from: before, to: entry)
  }

  private mutating func doubted(
    _ instance: ServiceInstance, on link: Link, _ presence: DiscoveredService.Presence
  ) -> [BrowseChange] {
    guard var entry = known[instance], entry.links.contains(link) else { return [] }
    let before = entry.service(instance)
    entry.doubts[link] = presence == .present ? nil : presence
    return change(instance, from: before, to: entry)
  }

  private mutating func vanished(_ instance: ServiceInstance, from link: Link) -> [BrowseChange] {
    guard var entry = known[instance] else { return [] }
    let before = entry.service(instance)
    let isKnown = entry.links.union(entry.staleLinks).contains(link)
    entry.forget(link)
    // The goodbye may come from the former engine, while the new engine publishes the same service.
    if continuity.isReturning, isKnown { entry.staleLinks.insert(link) }
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
