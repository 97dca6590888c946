/// A moment, in microseconds since the caller's zero; half the size of a `Duration`, of which tables hold many.
struct Instant: Hashable, Comparable, Sendable {
  let microseconds: Int64

  /// Later than all that comes.
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

  /// The moment so many milliseconds later.
  static func + (instant: Instant, milliseconds: Int64) -> Instant {
    Instant(microseconds: instant.microseconds + milliseconds * 1000)
  }

  static func - (instant: Instant, milliseconds: Int64) -> Instant { instant + -milliseconds }

  /// The milliseconds from `other` to `one`, rounded down.
  static func - (one: Instant, other: Instant) -> Int64 { (one.microseconds - other.microseconds) / 1000 }
}
