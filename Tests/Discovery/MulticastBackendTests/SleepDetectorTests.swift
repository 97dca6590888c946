import Testing

@testable import _BonjourishMulticastBackend

@Suite struct SleepDetectorTests {
  private func times(_ boot: Double, suspended: Double = 0) -> SleepDetector.Times {
    SleepDetector.Times(boot: .seconds(boot), monotonic: .seconds(boot - suspended))
  }

  /// The expectation macro does not take mutating calls.
  private func slept(at now: SleepDetector.Times, delay: Duration, _ detector: inout SleepDetector) -> Bool {
    detector.hasSlept(at: now, delay: delay)
  }

  @Test func `time that passes is no sleep`() {
    var detector = SleepDetector(at: times(1_000, suspended: 100))
    for second in [1_000.1, 1_060, 90_000] {
      #expect(slept(at: times(second, suspended: 100), delay: .milliseconds(80), &detector) == false)
    }
  }

  @Test func `a suspension is noticed once`() {
    var detector = SleepDetector(at: times(1_000, suspended: 100))
    #expect(slept(at: times(1_200, suspended: 290), delay: .zero, &detector) == true)
    #expect(slept(at: times(1_201, suspended: 290), delay: .zero, &detector) == false)
  }

  @Test func `a suspension of less than a second is none`() {
    var detector = SleepDetector(at: times(1_000))
    #expect(slept(at: times(1_010, suspended: 0.9), delay: .zero, &detector) == false)
    #expect(slept(at: times(1_020, suspended: 1.9), delay: .zero, &detector) == true)
  }

  @Test func `a stopped process is noticed by what it finds late`() {
    var detector = SleepDetector(at: times(1_000))
    #expect(slept(at: times(1_010), delay: .milliseconds(4_900), &detector) == false)
    #expect(slept(at: times(1_155), delay: .seconds(140), &detector) == true)
    #expect(slept(at: times(1_156), delay: .zero, &detector) == false)
  }

  @Test func `what waits because there is much to do has slept through nothing`() {
    var detector = SleepDetector(at: times(1_000))
    // For a minute nothing happened.
    #expect(slept(at: times(1_060), delay: .milliseconds(10), &detector) == false)
    for tenth in 1...200 {
      let second = Double(tenth) / 10
      #expect(slept(at: times(1_060 + second), delay: .seconds(second), &detector) == false)
    }
  }

  @Test func `all that waited while the process was stopped is from before`() {
    var detector = SleepDetector(at: times(1_000))
    #expect(slept(at: times(1_001), delay: .zero, &detector) == false)
    // The first thing that happens afterwards is not late.
    #expect(slept(at: times(1_031), delay: .zero, &detector) == false)
    #expect(slept(at: times(1_031.1), delay: .seconds(20), &detector) == true)
    #expect(slept(at: times(1_031.2), delay: .seconds(6), &detector) == true)
    #expect(slept(at: times(1_031.3), delay: .milliseconds(200), &detector) == false)
  }
}
