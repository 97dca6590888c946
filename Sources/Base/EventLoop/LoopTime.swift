import CBonjourishLinux

/// A point in time: nanoseconds since the machine was started, including the time in which it was suspended.
///
/// It is the time of `ContinuousClock` as one number. An instant of that clock has no static size, and a duration has 128 bits:
/// both cost too much for every event of a descriptor.
@usableFromInline
package struct LoopTime: Hashable, Comparable, Sendable {
  @usableFromInline package var nanoseconds: Int64

  @inlinable
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// After every other point in time.
  @inlinable package static var never: LoopTime { LoopTime(nanoseconds: .max) }

  package static var now: LoopTime {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return LoopTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  @inlinable
  package static func < (left: LoopTime, right: LoopTime) -> Bool { left.nanoseconds < right.nanoseconds }

  /// A later point in time; ``never`` if it is out of range.
  @inlinable
  package func advanced(byNanoseconds nanoseconds: Int64) -> LoopTime {
    let (sum, isOver) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return isOver ? .never : LoopTime(nanoseconds: sum)
  }

  package static func + (time: LoopTime, duration: Duration) -> LoopTime {
    time.advanced(byNanoseconds: duration.nanosecondsRoundedUp)
  }

  package static func - (later: LoopTime, earlier: LoopTime) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }
}

extension Duration {
  /// The number of nanoseconds, rounded up so that no timer runs early; at most 292 years.
  package var nanosecondsRoundedUp: Int64 {
    let (seconds, attoseconds) = components
    let (nanoseconds, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isOver { return seconds < 0 ? .min : .max }
    let rest = attoseconds > 0 ? (attoseconds + 999_999_999) / 1_000_000_000 : attoseconds / 1_000_000_000
    return nanoseconds.addingReportingOverflow(rest).overflow ? (seconds < 0 ? .min : .max) : nanoseconds + rest
  }
}
