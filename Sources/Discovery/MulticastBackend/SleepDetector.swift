import CBonjourishLinux
import _BonjourishEventLoop

/// Notices that the machine was suspended or this process was stopped. Meanwhile others may have taken our names, and what was
/// heard is no longer true.
///
/// A value without a clock. It costs no wake-ups: it looks when something happens anyway.
struct SleepDetector {
  /// The current times, all since the machine was started.
  struct Times {
    /// With the time in which the machine was suspended (`CLOCK_BOOTTIME`).
    var boot: Duration
    /// Without it (`CLOCK_MONOTONIC`).
    var monotonic: Duration
  }

  /// The shortest suspension that counts. In a second another host can have probed for a name (RFC 6762 §8.1).
  static let shortestSuspension: Duration = .seconds(1)
  /// The delay of a timer or a datagram after which the process counts as stopped. A busy machine delays them less.
  static let longestDelay: Duration = .seconds(5)

  private var suspended: Duration
  /// When it looked last.
  private var looked: Duration
  /// The last time of at least ``longestDelay`` in which it did not look: nothing happened, or the process was stopped.
  private var pause: ClosedRange<Duration>

  init(at now: Times) {
    suspended = now.boot - now.monotonic
    looked = now.monotonic
    pause = looked...looked
  }

  /// Returns whether there was a sleep since the last call.
  ///
  /// - Parameters:
  ///   - now: The current times.
  ///   - delay: How late the event is that is about to be handled: how long a timer is overdue, or a datagram has waited.
  mutating func hasSlept(at now: Times, delay: Duration) -> Bool {
    let former = suspended
    suspended = now.boot - now.monotonic
    if now.monotonic - looked >= Self.longestDelay { pause = looked...now.monotonic }
    looked = now.monotonic
    return suspended - former >= Self.shortestSuspension || stopped(since: now.monotonic - delay) >= Self.longestDelay
  }

  /// How long the process may have been stopped since a moment. What waits because there is much to do does not count: a program
  /// that started all links again because of that would have still more to do.
  private func stopped(since moment: Duration) -> Duration { pause.upperBound - max(pause.lowerBound, moment) }
}

extension SleepDetector.Times {
  static var now: Self { Self(boot: time(of: CLOCK_BOOTTIME), monotonic: time(of: CLOCK_MONOTONIC)) }

  private static func time(of clock: CInt) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
