#if Avahi
import Testing

@testable import Bonjourish

struct DaemonTrustTests {
  private let start = ContinuousClock.now

  @Test func `a daemon that restarts now and then is waited for, and used at once`() {
    var trust = DaemonTrust()
    for minute in 0..<5 {
      #expect(trust.lose(at: start + .seconds(60 * minute)) == .seconds(3))
      #expect(trust.wait(at: start + .seconds(60 * minute + 1)) == .zero)
    }
  }

  @Test func `one that is lost again and again is not waited for, and must stay before it is used`() {
    var trust = DaemonTrust()
    #expect(trust.lose(at: start) == .seconds(3))
    #expect(trust.lose(at: start + .seconds(10)) == .seconds(3))
    #expect(trust.wait(at: start + .seconds(11)) == .zero)
    #expect(trust.lose(at: start + .seconds(29)) == .zero)
    #expect(trust.wait(at: start + .milliseconds(29_999)) == .seconds(10))
    #expect(trust.wait(at: start + .seconds(30)) == .zero)
    // The oldest loss counts no longer.
    #expect(trust.lose(at: start + .seconds(41)) == .seconds(3))
    #expect(trust.lose(at: start + .seconds(42)) == .zero)
  }
}
#endif
