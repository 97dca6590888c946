import _BonjourishBase

/// A point in time, in microseconds since the caller's origin. It is half the size of a `Duration`, and tables hold many.
struct Instant: Hashable, Comparable, Sendable {
  let microseconds: Int64

  /// After every other instant.
  static let never = Instant(microseconds: .max)

  init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  var duration: Duration { .microseconds(microseconds) }

  static func < (one: Instant, other: Instant) -> Bool { one.microseconds < other.microseconds }

  /// Adds milliseconds.
  static func + (instant: Instant, milliseconds: Int64) -> Instant {
    Instant(microseconds: instant.microseconds + milliseconds * 1000)
  }

  static func - (instant: Instant, milliseconds: Int64) -> Instant { instant + -milliseconds }

  /// The milliseconds from `other` to `one`, rounded down.
  static func - (one: Instant, other: Instant) -> Int64 { (one.microseconds - other.microseconds) / 1000 }
}

/// The deadlines of slots.
typealias DeadlineQueue = IndexedHeap<Instant>

extension IndexedHeap<Instant> {
  /// The earliest deadline; ``Instant/never`` when there is none.
  var next: Instant { first ?? .never }
}
