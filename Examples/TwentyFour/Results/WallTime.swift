import Foundation

/// A point in time on the calendar, in milliseconds since the beginning of 1970, UTC.
public struct WallTime: Hashable, Comparable, Sendable {
  /// The milliseconds since the beginning of 1970, UTC.
  public let milliseconds: Int

  /// Makes a point in time.
  public init(milliseconds: Int) {
    self.milliseconds = milliseconds
  }

  /// The system clock's time; the clock may be set back.
  public static var now: WallTime { WallTime(milliseconds: Int(Date.now.timeIntervalSince1970 * 1_000)) }

  /// Whether the left time is earlier.
  public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}

extension Duration {
  /// The duration in milliseconds, rounded.
  var inMilliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
