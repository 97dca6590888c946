#if Avahi
import Testing

@testable import _BonjourishAvahiBackend

/// How long a daemon is waited for that chooses names for the host.
struct NamingLimitTests {
  private var naming = NamingLimit()
  /// What was decided, and when.
  private var verdicts: [Duration: NamingLimit.Verdict] = [:]

  /// Lets time pass until the daemon has a name, or none.
  private mutating func daemon(hasName: Bool, at time: Duration) {
    pass(until: time)
    verdicts[time] = naming.note(hasName: hasName, at: time)
  }

  private mutating func pass(until time: Duration) {
    while let deadline = naming.nextDeadline, deadline <= time { verdicts[deadline] = naming.advance(to: deadline) }
  }

  @Test mutating func `a daemon that has a name or takes one soon is never left`() {
    daemon(hasName: true, at: .zero)
    #expect(naming.nextDeadline == nil)
    for start in [Duration.seconds(10), .seconds(40)] {
      daemon(hasName: false, at: start)
      daemon(hasName: true, at: start + .seconds(16))
      pass(until: start + .seconds(29))
      #expect(naming.nextDeadline == nil)
    }
    #expect(verdicts.isEmpty)
  }

  @Test mutating func `a daemon that finds no name in twenty seconds is left until it keeps one for five`() {
    daemon(hasName: false, at: .zero)
    pass(until: .seconds(19))
    #expect(verdicts.isEmpty)
    pass(until: .seconds(60))
    #expect(verdicts == [.seconds(20): .exhausted])
    daemon(hasName: true, at: .seconds(60))
    daemon(hasName: false, at: .seconds(64))
    daemon(hasName: true, at: .seconds(70))
    pass(until: .seconds(80))
    #expect(verdicts == [.seconds(20): .exhausted, .seconds(75): .restored])
    #expect(naming.nextDeadline == nil)
  }

  @Test mutating func `a daemon that takes one name after the other is left though it has one for moments`() {
    for second in stride(from: 0, to: 60, by: 4) {
      daemon(hasName: false, at: .seconds(second))
      daemon(hasName: true, at: .seconds(second + 2))
    }
    #expect(verdicts == [.seconds(20): .exhausted])
  }

  @Test mutating func `a name that is had at the end of the twenty seconds decides`() {
    daemon(hasName: false, at: .zero)
    daemon(hasName: true, at: .seconds(18))
    pass(until: .seconds(22))
    #expect(verdicts.isEmpty)
    daemon(hasName: false, at: .seconds(22))
    #expect(verdicts == [.seconds(22): .exhausted])
  }
}
#endif
