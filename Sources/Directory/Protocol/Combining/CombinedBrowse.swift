package import _BonjourishDiscovery

/// The state machine of a browse of the local network and a directory: two streams of events go in, one comes out.
///
/// One side may be away while the other goes on. So an interruption is reported only when both are away; when one is, what was seen
/// there alone is kept for as long as a browser would keep it, and vanishes then.
package struct CombinedBrowse {
  private struct Sighting: Hashable {
    let instance: ServiceInstance
    let link: Link
  }

  private struct World {
    var seen: Set<Sighting> = []
    /// Those of `seen` from before an interruption.
    var stale: Set<Sighting> = []
    var continuity = Continuity()
    var isDown = false
    var isSettled = false
    var hasFailed = false

    /// Whether nothing more is waited for.
    var isDone: Bool { isSettled || isDown || hasFailed }
    var isAway: Bool { isDown || hasFailed }
  }

  private var worlds: [CombinedSide: World] = [.local: World(), .directory: World()]
  private var isSettled = false
  private var isInterrupted = false

  package init() {}

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? { worlds.values.compactMap(\.continuity.nextDeadline).min() }

  /// Handles an event of one side.
  package mutating func handle(
    _ event: BrowseEvent, from side: CombinedSide, at now: ContinuousClock.Instant
  ) -> [BrowseEvent] {
    switch event {
    case .appeared(let instance, let link):
      worlds[side]!.seen.insert(Sighting(instance: instance, link: link))
      worlds[side]!.stale.remove(Sighting(instance: instance, link: link))
      return [event]
    case .vanished(let instance, let link):
      worlds[side]!.stale.remove(Sighting(instance: instance, link: link))
      return worlds[side]!.seen.remove(Sighting(instance: instance, link: link)) == nil ? [] : [event]
    case .doubted, .described: return [event]
    case .settled:
      let isComplete = worlds[side]!.stale.isEmpty
      guard worlds[side]!.continuity.settle(isComplete: isComplete) else { return [] }
      worlds[side]!.isSettled = true
      return settlement()
    case .interrupted(let error): return interrupted(error, side, at: now)
    case .restored: return restored(side, at: now)
    case .failed(let error):
      worlds[side]!.hasFailed = true
      if worlds[side.other]!.hasFailed { return [event] }
      return vanish(side, worlds[side]!.seen) + (worlds[side.other]!.isDown ? interruption(error) : settlement())
    }
  }

  /// Handles the deadlines that have passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [BrowseEvent] {
    CombinedSide.allCases.flatMap { side in
      guard let settles = worlds[side]!.continuity.advance(to: now) else { return [] as [BrowseEvent] }
      let events = vanish(side, worlds[side]!.stale)
      if settles { worlds[side]!.isSettled = true }
      return events + settlement()
    }
  }

  private mutating func interrupted(
    _ error: DiscoveryError, _ side: CombinedSide, at now: ContinuousClock.Instant
  ) -> [BrowseEvent] {
    guard worlds[side]!.continuity.interrupt(at: now) else { return [] }
    worlds[side]!.stale = worlds[side]!.seen
    worlds[side]!.isDown = true
    worlds[side]!.isSettled = false
    return worlds[side.other]!.isAway ? interruption(error) : settlement()
  }

  private mutating func interruption(_ error: DiscoveryError) -> [BrowseEvent] {
    guard !isInterrupted else { return [] }
    isInterrupted = true
    return [.interrupted(error)]
  }

  private mutating func restored(_ side: CombinedSide, at now: ContinuousClock.Instant) -> [BrowseEvent] {
    guard worlds[side]!.continuity.restore(at: now) else { return [] }
    worlds[side]!.isDown = false
    isSettled = false
    guard isInterrupted else { return [] }
    isInterrupted = false
    return [.restored]
  }

  private mutating func vanish(_ side: CombinedSide, _ sightings: Set<Sighting>) -> [BrowseEvent] {
    worlds[side]!.seen.subtract(sightings)
    worlds[side]!.stale.subtract(sightings)
    return sightings.sorted { ($0.instance.name.text, $0.link) < ($1.instance.name.text, $1.link) }
      .map { .vanished($0.instance, $0.link) }
  }

  /// Reports that all has been found, once both sides are done and one of them is there.
  private mutating func settlement() -> [BrowseEvent] {
    let isDone = worlds.values.allSatisfy(\.isDone) && !worlds.values.allSatisfy(\.isAway)
    guard isDone, !isSettled else { return [] }
    isSettled = true
    return [.settled]
  }
}
