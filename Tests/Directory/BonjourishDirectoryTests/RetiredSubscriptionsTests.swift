import Testing

@testable import BonjourishDirectory

@Suite struct RetiredSubscriptionsTests {
  private var retired = RetiredSubscriptions<Int>()
  private var now = ContinuousClock.now

  @Test mutating func `a subscription is freed a second after its end, when four have ended after it`() {
    for number in 0..<5 { #expect(retired.retire(number, at: now).isEmpty) }
    now += .milliseconds(999)
    #expect(retired.retire(5, at: now).isEmpty)
    now += .milliseconds(1)
    #expect(retired.retire(6, at: now) == [0, 1, 2])
    // Long after, four are kept: the process may have been paused.
    now += .seconds(60)
    #expect(retired.retire(7, at: now) == [3])
  }

  @Test mutating func `each subscription is freed once, in the order of the ends`() {
    var freed: [Int] = []
    for number in 0..<1_000 {
      freed += retired.retire(number, at: now)
      now += .milliseconds(number % 7 * 10)
    }
    #expect(freed == Array(0..<freed.count))
    #expect(freed.count > 900)
  }
}
