/// The state machine of a lookup: merges the records of its questions into elements.
///
/// A value without I/O: events and time go in, changes come out. Every event takes time in proportion to the records of one
/// element, not of all.
package struct LookupState<Element: Identifiable & Hashable & Sendable> where Element.ID: Sendable {
  package typealias Change = DiscoveryChange<Element>

  /// How records become elements.
  package struct Reading: Sendable {
    /// The identity of the element that a record belongs to; nil for a record to ignore.
    let identify: @Sendable (ResourceRecord) -> Element.ID?
    /// Whether a new record counts.
    var admits: @Sendable (ResourceRecord) -> Bool = { _ in true }
    /// The element of records with one identity; there is at least one.
    let combine: @Sendable (Element.ID, [ResourceRecord]) -> Element
    /// Whether an element comes before another in lists.
    let isBefore: @Sendable (Element, Element) -> Bool
  }

  /// A record that one question brought.
  private struct Sighting {
    let question: RecordQuestion
    let id: ResourceRecord.ID
    let record: ResourceRecord
    /// Whether it is from before an interruption, and has not been seen again.
    var isStale = false
  }

  private let reading: Reading
  private var known: [Element.ID: [Sighting]] = [:]
  /// The number of stale sightings.
  private var staleCount = 0
  private var continuity = Continuity()
  private let questions: Set<RecordQuestion>
  private var settled: Set<RecordQuestion> = []
  private var interrupted: Set<RecordQuestion> = []

  package init(_ questions: [RecordQuestion], _ reading: Reading) {
    self.questions = Set(questions)
    self.reading = reading
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? { continuity.nextDeadline }

  /// Handles an event of one of the questions. `failed` is ignored here, because the caller ends the lookup.
  package mutating func handle(
    _ event: LookupEvent, to question: RecordQuestion, at now: ContinuousClock.Instant
  ) -> [Change] {
    switch event {
    case .added(let record):
      return add(record, of: question) + settleIfComplete()
    case .removed(let record):
      return remove(record, of: question) + settleIfComplete()
    case .settled:
      settled.insert(question)
      return settled == questions && continuity.settle(isComplete: staleCount == 0) ? [.settled] : []
    case .interrupted(let error):
      interrupted.insert(question)
      settled.remove(question)
      doubt(question)
      return continuity.interrupt(at: now) ? [.interrupted(error)] : []
    case .restarted:
      interrupted.remove(question)
      return interrupted.isEmpty && continuity.restore(at: now) ? [.restored] : []
    case .doubted, .described, .cacheExhausted, .failed:
      return []
    }
  }

  /// Handles a deadline that has passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Change] {
    guard let settles = continuity.advance(to: now) else { return [] }
    return dropStale() + (settles ? [.settled] : [])
  }

  /// Sorts elements for a list.
  package func sorted(_ elements: some Sequence<Element>) -> [Element] { elements.sorted(by: reading.isBefore) }

  /// Reports the delayed `settled` when nothing is stale any more.
  private mutating func settleIfComplete() -> [Change] {
    continuity.isSettlingDelayed && continuity.settle(isComplete: staleCount == 0) ? [.settled] : []
  }

  private mutating func add(_ record: ResourceRecord, of question: RecordQuestion) -> [Change] {
    guard let id = reading.identify(record), reading.admits(record) else { return [] }
    let sighting = Sighting(question: question, id: record.id, record: record)
    return change(id) { sightings in
      guard let place = sightings.firstIndex(where: { $0.id == sighting.id && $0.question == question }) else {
        return sightings.append(sighting)
      }
      sightings[place] = sighting
    }
  }

  private mutating func remove(_ record: ResourceRecord, of question: RecordQuestion) -> [Change] {
    guard let id = reading.identify(record), known[id] != nil else { return [] }
    // The goodbye may come from the former engine, while the new engine publishes the same record.
    let mayComeBack = continuity.isReturning
    let sighted = record.id
    return change(id) { sightings in
      guard let place = sightings.firstIndex(where: { $0.id == sighted && $0.question == question }) else { return }
      if mayComeBack { sightings[place].isStale = true } else { sightings.remove(at: place) }
    }
  }

  /// Marks the records of a question as stale until they are seen again.
  private mutating func doubt(_ question: RecordQuestion) {
    for id in Array(known.keys) {
      _ = change(id) { sightings in
        for place in sightings.indices where sightings[place].question == question { sightings[place].isStale = true }
      }
    }
  }

  private mutating func dropStale() -> [Change] {
    guard staleCount > 0 else { return [] }
    let changes = known.filter { $0.value.contains(where: \.isStale) }.keys
      .flatMap { id in change(id) { $0.removeAll(where: \.isStale) } }
    return changes.sorted { one, other in
      guard let one = one.element, let other = other.element else { return false }
      return reading.isBefore(one, other)
    }
  }

  /// Changes the records of an element, and returns what that changes for subscribers.
  private mutating func change(_ id: Element.ID, _ change: (inout [Sighting]) -> Void) -> [Change] {
    // Taken out, so that the change does not copy the records.
    var sightings = known.removeValue(forKey: id) ?? []
    let before = sightings.isEmpty ? nil : reading.combine(id, sightings.map(\.record))
    staleCount -= sightings.count(where: \.isStale)
    change(&sightings)
    staleCount += sightings.count(where: \.isStale)
    let after = sightings.isEmpty ? nil : reading.combine(id, sightings.map(\.record))
    if !sightings.isEmpty { known[id] = sightings }
    switch (before, after) {
    case (nil, let after?): return [.found(after)]
    case (let before?, nil): return [.lost(before)]
    case (let before?, let after?): return before == after ? [] : [.updated(after)]
    case (nil, nil): return []
    }
  }
}

extension DiscoveryChange {
  /// The element that the change is about; nil for none.
  package var element: Element? {
    switch self {
    case .found(let element), .updated(let element), .lost(let element): element
    case .settled, .interrupted, .restored: nil
    }
  }
}
