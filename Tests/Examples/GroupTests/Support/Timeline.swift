import _BonjourishBase

/// The clock of a simulation, and what is to happen.
final class Timeline {
  /// What can be called off.
  struct Entry: Hashable {
    fileprivate let slot: Int
    fileprivate let number: Int
  }

  /// What happens at the same time happens in the order in which it was planned.
  private struct Moment: Comparable {
    let time: Duration
    let number: Int

    static func < (left: Moment, right: Moment) -> Bool {
      left.time == right.time ? left.number < right.number : left.time < right.time
    }
  }

  private(set) var now = Duration.zero
  /// The number of things that have happened.
  private(set) var count = 0
  var generator: SeededGenerator
  private var heap = IndexedHeap<Moment>()
  private var actions: [(number: Int, run: () -> Void)?] = []
  private var free: [Int] = []
  private var last = 0
  private let origin = ContinuousClock.now

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// The time as machines with a clock of the system want it.
  var instant: ContinuousClock.Instant { origin + now }

  func duration(_ instant: ContinuousClock.Instant) -> Duration { instant - origin }

  @discardableResult
  func after(_ delay: Duration, _ run: @escaping () -> Void) -> Entry { at(now + delay, run) }

  @discardableResult
  func at(_ time: Duration, _ run: @escaping () -> Void) -> Entry {
    last += 1
    let slot = free.popLast() ?? actions.count
    if slot == actions.count { actions.append(nil) }
    actions[slot] = (last, run)
    heap.set(slot, to: Moment(time: max(time, now), number: last))
    return Entry(slot: slot, number: last)
  }

  func cancel(_ entry: Entry?) {
    guard let entry, actions[entry.slot]?.number == entry.number else { return }
    heap.remove(entry.slot)
    actions[entry.slot] = nil
    free.append(entry.slot)
  }

  /// Lets everything happen until a time.
  ///
  /// - Parameter body: Called after each thing; false ends it.
  func pass(until end: Duration, _ body: () -> Bool) {
    while let first = heap.first, first.time <= end, let slot = heap.popFirst(through: first) {
      now = first.time
      count += 1
      let run = actions[slot]!.run
      actions[slot] = nil
      free.append(slot)
      run()
      guard body() else { return }
    }
    now = end
  }

  // MARK: - Chance

  func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  /// True once in `count` times, on average.
  func once(in count: Int) -> Bool { number(in: 1...count) == 1 }

  func milliseconds(in range: ClosedRange<Int>) -> Duration { .milliseconds(number(in: range)) }

  func choice<Element>(_ elements: some Collection<Element>) -> Element? { elements.randomElement(using: &generator) }
}
