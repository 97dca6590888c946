import Testing

@testable import _BonjourishEventLoop

@Suite struct LoopTimeTests {
  private static func duration(_ seconds: Int64, _ attoseconds: Int64) -> Duration {
    Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
  }

  private static let durations: [(Duration, Int64)] = [
    (.zero, 0), (.nanoseconds(1), 1), (duration(0, 1), 1), (duration(2, 1_000_000_001), 2_000_000_002),
    (.nanoseconds(-1), -1), (duration(0, -1_999_999_999), -1),
    (.seconds(10_000_000_000), .max), (.seconds(-10_000_000_000), .min), (.seconds(Int64.max), .max),
    (duration(9_223_372_036, 854_775_807_000_000_000), .max), (duration(9_223_372_036, 854_775_808_000_000_000), .max),
  ]

  @Test(arguments: durations)
  func `nanoseconds are rounded up, and bounded`(duration: Duration, nanoseconds: Int64) {
    #expect(duration.nanosecondsRoundedUp == nanoseconds)
  }

  @Test func `what is too far away is never`() {
    let time = LoopTime(nanoseconds: 5)
    #expect(time + .nanoseconds(3) == LoopTime(nanoseconds: 8))
    #expect(time + .seconds(Int64.max) == .never)
    #expect(LoopTime.never + .seconds(1) == .never)
    #expect(time.advanced(byNanoseconds: .max) == .never)
    #expect(LoopTime(nanoseconds: 8) - time == .nanoseconds(3))
  }

  @Test func `it is the time of the continuous clock`() {
    let (early, instant, late) = (LoopTime.now, ContinuousClock.now, LoopTime.now)
    let (earlyAgain, instantAgain, lateAgain) = (LoopTime.now, ContinuousClock.now, LoopTime.now)
    let passed = instant.duration(to: instantAgain)
    #expect(earlyAgain - late <= passed && passed <= lateAgain - early)
  }
}
