import Glibc

/// A point in time as calendars know it, in milliseconds since the beginning of 1970, UTC.
package struct WallTime: Hashable, Comparable, Sendable {
  package let milliseconds: Int

  package init(milliseconds: Int) {
    self.milliseconds = milliseconds
  }

  /// What the system's clock says, which may be set back.
  package static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(milliseconds: time.tv_sec * 1_000 + time.tv_nsec / 1_000_000)
  }

  package static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}

extension Duration {
  /// The duration in milliseconds, rounded.
  var inMilliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
