import Testing
import _BonjourishEventLoop

@testable import _BonjourishMulticastBackend

@Suite struct EchoCheckTests {
  private let refusal = SystemError("sendmsg", errno: 1)

  /// Advances to each deadline until a time, and returns the number of test datagrams. `send` tells what becomes of each.
  private func run(_ check: inout EchoCheck, until end: Duration, _ send: (inout EchoCheck, Duration) -> Void) -> Int {
    var count = 0
    while let deadline = check.nextDeadline, deadline <= end {
      if check.advance(to: deadline) {
        count += 1
        send(&check, deadline)
      }
    }
    return count
  }

  private func lost(_ check: inout EchoCheck, at now: Duration) { check.sent(nil, at: now) }

  @Test func `a link whose echo comes costs nothing`() {
    var check = EchoCheck()
    #expect(check.nextDeadline == nil)
    check.sent(nil, at: .seconds(1))
    #expect(check.nextDeadline == .seconds(1) + EchoCheck.timeout)
    check.heard()
    #expect(check.nextDeadline == nil && check.fault == nil)
  }

  @Test func `a link on which nothing comes back is faulty within a second`() {
    var check = EchoCheck()
    check.sent(nil, at: .zero)
    // More that is sent meanwhile does not put it off.
    check.sent(nil, at: .milliseconds(200))
    let tests = run(&check, until: .seconds(1), lost)
    #expect(tests == EchoCheck.tests && check.fault == .notHeard)
  }

  @Test func `a link is not faulty before the last test datagram had its time`() {
    var check = EchoCheck()
    check.sent(nil, at: .zero)
    let tests = run(&check, until: .milliseconds(640), lost)
    #expect(tests == EchoCheck.tests && check.fault == nil)
    check.heard()
    #expect(check.nextDeadline == nil && check.fault == nil)
  }

  @Test func `the fault is that of sending`() {
    var check = EchoCheck()
    check.sent(refusal, at: .zero)
    // What others send proves nothing.
    check.heard()
    _ = run(&check, until: .seconds(1)) { check, now in check.sent(refusal, at: now) }
    #expect(check.fault == .cannotSend(refusal))
    check.heard()
    #expect(check.fault == .cannotSend(refusal))
  }

  @Test func `a datagram that failed once is sent again by the test`() {
    var check = EchoCheck()
    check.sent(refusal, at: .zero)
    let tests = run(&check, until: .seconds(1)) { check, now in
      check.sent(nil, at: now)
      check.heard()
    }
    #expect(tests == 1 && check.fault == nil && check.nextDeadline == nil)
  }

  @Test func `a faulty link is tested every two seconds until something is heard`() {
    var check = EchoCheck()
    check.sent(nil, at: .zero)
    _ = run(&check, until: .seconds(1), lost)
    let more = run(&check, until: .seconds(11), lost)
    #expect(more == 5 && check.fault == .notHeard)
    check.heard()
    #expect(check.fault == nil && check.nextDeadline == nil)
  }

  @Test func `a link is proven by what comes back until it is faulty`() {
    var check = EchoCheck()
    check.sent(refusal, at: .zero)
    check.heard()
    #expect(!check.isProven)
    check.sent(nil, at: .zero)
    #expect(!check.isProven)
    check.heard()
    check.sent(nil, at: .seconds(1))
    #expect(check.isProven)
    _ = run(&check, until: .seconds(2), lost)
    #expect(check.fault == .notHeard && !check.isProven)
  }
}
