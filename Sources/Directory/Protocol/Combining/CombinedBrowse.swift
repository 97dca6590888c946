package import _BonjourishDiscovery

/// The state machine of a browse of the local network and a directory: two streams of events go in, one comes out.
///
/// One side may be away while the other goes on. So an interruption is reported only when both are away; when one is, what was seen
/// there alone is kept for as long as a browser would keep it, and vanishes then.
package struct CombinedBrowse: CombinedAnswers {
  private struct World {
    var seen: [ResourceRecord.ID: ResourceRecord] = [:]
    /// Those of `seen` from before an interruption.
    var stale: Set<ResourceRecord.ID> = []
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
    _ event: LookupEvent, from side: CombinedSide, at now: ContinuousClock.Instant
  ) -> [LookupEvent] {
    switch event {
    case .added(let record):
      worlds[side]!.seen[record.id] = record
      worlds[side]!.stale.remove(record.id)
      return [event] + settleIfComplete(side)
    case .removed(let record):
      worlds[side]!.stale.remove(record.id)
      return (worlds[side]!.seen.removeValue(forKey: record.id) == nil ? [] : [event]) + settleIfComplete(side)
    case .doubted, .described: return [event]
    case .cacheExhausted: return []
    case .settled: return settle(side)
    case .interrupted(let error): return interrupted(error, side, at: now)
    case .restarted: return restarted(side, at: now)
    case .failed(let error):
      worlds[side]!.hasFailed = true
      if worlds[side.other]!.hasFailed { return [event] }
      return vanish(side, Set(worlds[side]!.seen.keys)) + (worlds[side.other]!.isDown ? interruption(error) : settlement())
    }
  }

  /// Handles the deadlines that have passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [LookupEvent] {
    CombinedSide.allCases.flatMap { side in
      guard let settles = worlds[side]!.continuity.advance(to: now) else { return [] as [LookupEvent] }
      let events = vanish(side, worlds[side]!.stale)
      if settles { worlds[side]!.isSettled = true }
      return events + settlement()
    }
  }

  /// Settles a side that has settled before all was seen again, once no record is stale any more.
  private mutating func settleIfComplete(_ side: CombinedSide) -> [LookupEvent] {
    worlds[side]!.continuity.isSettlingDelayed ? settle(side) : []
  }

  private mutating func settle(_ side: CombinedSide) -> [LookupEvent] {
    guard worlds[side]!.continuity.settle(isComplete: worlds[side]!.stale.isEmpty) else { return [] }
    worlds[side]!.isSettled = true
    return settlement()
  }

  private mutating func interrupted(
    _ error: DiscoveryError, _ side: CombinedSide, at now: ContinuousClock.Instant
  ) -> [LookupEvent] {
    guard worlds[side]!.continuity.interrupt(at: now) else { return [] }
    worlds[side]!.stale = Set(worlds[side]!.seen.keys)
    worlds[side]!.isDown = true
    worlds[side]!.isSettled = false
    return worlds[side.other]!.isAway ? interruption(error) : settlement()
  }

  private mutating func interruption(_ error: DiscoveryError) -> [LookupEvent] {
    guard !isInterrupted else { return [] }
    isInterrupted = true
    return [.interrupted(error)]
  }

  private mutating func restarted(_ side: CombinedSide, at now: ContinuousClock.Instant) -> [LookupEvent] {
    guard worlds[side]!.continuity.restore(at: now) else { return [] }
    worlds[side]!.isDown = false
    isSettled = false
    guard isInterrupted else { return [] }
    isInterrupted = false
    return [.restarted]
  }

  private mutating func vanish(_ side: CombinedSide, _ ids: Set<ResourceRecord.ID>) -> [LookupEvent] {
    worlds[side]!.stale.subtract(ids)
    return ids.compactMap { worlds[side]!.seen.removeValue(forKey: $0) }
      .sorted { $0.bytes == $1.bytes ? $0.link < $1.link : $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { .removed($0) }
  }

  /// Reports that all has been found, once both sides are done and one of them is there.
  private mutating func settlement() -> [LookupEvent] {
    let isDone = worlds.values.allSatisfy(\.isDone) && !worlds.values.allSatisfy(\.isAway)
    guard isDone, !isSettled else { return [] }
    isSettled = true
    return [.settled]
  }
}
