package import _BonjourishDiscovery

/// The state machine of a question to the local network and a directory: two streams of answers go in, one comes out.
///
/// The local network goes first: while it answers, the directory's answers to the same question are withheld. So a record of the
/// directory that imitates a service of the local network leads nobody astray there. The answers of a side that is away count for as long
/// as a browser would keep them.
package struct CombinedLookup: CombinedAnswers {
  private struct World {
    var records: [ResourceRecord] = []
    var isDown = false
    /// When the records of a side that is away are dropped; nil for a side that is there, or whose records have been dropped.
    var dropAt: ContinuousClock.Instant?
    var isExhausted = false
    var isSettled = false
    var hasFailed = false

    var isAway: Bool { isDown || hasFailed }
  }

  private var local = World()
  private var directory = World()
  private var isExhausted = false
  private var isSettled = false
  private var isInterrupted = false

  package init() {}

  private subscript(side: CombinedSide) -> World {
    get { side == .local ? local : directory }
    set { if side == .local { local = newValue } else { directory = newValue } }
  }

  /// Handles an event of one side.
  package mutating func handle(
    _ event: LookupEvent, from side: CombinedSide, at now: ContinuousClock.Instant
  ) -> [LookupEvent] {
    let before = visible
    switch event {
    case .added(let record):
      self[side].records.removeAll { $0.id == record.id }
      self[side].records.append(record)
    case .removed(let record): self[side].records.removeAll { $0.id == record.id }
    case .doubted, .described: return []
    case .cacheExhausted: self[side].isExhausted = true
    case .settled: (self[side].isExhausted, self[side].isSettled) = (true, true)
    case .interrupted:
      if !self[side].isDown { (self[side].isDown, self[side].dropAt) = (true, now + Continuity.grace) }
      if self[side.other].isAway, !isInterrupted {
        isInterrupted = true
        return [event]
      }
    case .restarted: return restarted(side, before)
    case .failed(let error):
      self[side].hasFailed = true
      self[side].records = []
      if self[side.other].hasFailed { return [event] }
      if self[side.other].isDown {
        let isNews = !isInterrupted
        isInterrupted = true
        return changes(from: before) + (isNews ? [.interrupted(error)] : [])
      }
    }
    // A record that is sent again may have another lifetime, so it is told again.
    var again: [ResourceRecord] = []
    if case .added(let record) = event, before.contains(where: { $0.id == record.id }), visible.contains(record) {
      again = [record]
    }
    return changes(from: before) + again.map { .added($0) } + progress()
  }

  package var nextDeadline: ContinuousClock.Instant? { [local.dropAt, directory.dropAt].compactMap { $0 }.min() }

  package mutating func advance(to now: ContinuousClock.Instant) -> [LookupEvent] {
    let before = visible
    for side in CombinedSide.allCases {
      guard let dropAt = self[side].dropAt, dropAt <= now else { continue }
      self[side].dropAt = nil
      // While both are away, whoever listens decides.
      if !isInterrupted { self[side].records = [] }
    }
    return changes(from: before)
  }

  private mutating func restarted(_ side: CombinedSide, _ before: [ResourceRecord]) -> [LookupEvent] {
    self[side] = World()
    isSettled = false
    guard isInterrupted else { return changes(from: before) }
    // Whoever listens forgets everything now.
    isInterrupted = false
    isExhausted = false
    self[side.other].records = []
    return [.restarted]
  }

  private var visible: [ResourceRecord] { local.records.isEmpty ? directory.records : local.records }

  private func changes(from before: [ResourceRecord]) -> [LookupEvent] {
    let after = visible
    let (old, new) = (Set(before.map(\.id)), Set(after.map(\.id)))
    guard old != new else { return [] }
    return before.filter { !new.contains($0.id) }.map { .removed($0) }
      + after.filter { !old.contains($0.id) }.map { .added($0) }
  }

  private mutating func progress() -> [LookupEvent] {
    guard !isInterrupted else { return [] }
    var events: [LookupEvent] = []
    let worlds = [local, directory]
    if !isExhausted, worlds.allSatisfy({ $0.isExhausted || $0.isAway }) {
      isExhausted = true
      events.append(.cacheExhausted)
    }
    if !isSettled, worlds.allSatisfy({ $0.isSettled || $0.isAway }) {
      isSettled = true
      events.append(.settled)
    }
    return events
  }
}
