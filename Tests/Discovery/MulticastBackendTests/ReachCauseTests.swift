import CBonjourishLinux
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import _BonjourishMulticastBackend

/// The causes of what the system refuses.
@Suite struct ReachCauseTests {
  private func error(_ number: CInt) -> SystemError { SystemError("sendmsg", errno: number) }

  @Test(arguments: [
    (EPERM, Reach.Cause.Code.refused), (EACCES, .refused), (ENETUNREACH, .noRoute), (EHOSTUNREACH, .noRoute),
    (ENOBUFS, .cannotSend),
  ])
  func `a failure to send has a cause`(_ number: CInt, _ code: Reach.Cause.Code) {
    #expect(Reach.Cause(sending: error(number)).code == code)
    var echo = EchoCheck()
    #expect(echo.reach == .unproven)
    echo.sent(error(number), at: .zero)
    for _ in 0..<30 { if let next = echo.nextDeadline, echo.fault == nil { _ = echo.advance(to: next) } }
    guard case .fails(let cause) = echo.reach else { Issue.record("\(echo.reach)"); return }
    #expect(cause.code == code)
  }

  @Test func `a failure to join or to open has a cause`() {
    #expect(Reach.Cause(joining: error(ENOBUFS)).code == .tooManyMemberships)
    #expect(Reach.Cause(joining: error(ENOMEM)).code == .tooManyMemberships)
    #expect(Reach.Cause(joining: error(ENODEV)).code == .cannotJoin)
    #expect(Reach.Cause(opening: error(EADDRINUSE)).code == .portTaken)
    #expect(Reach.Cause(opening: error(EAFNOSUPPORT)).code == .noFamily)
  }

  @Test func `a link works once something has come back and fails when nothing does`() {
    var echo = EchoCheck()
    echo.sent(nil, at: .zero)
    #expect(echo.reach == .unproven)
    echo.heard()
    #expect(echo.reach == .works)
    echo.sent(nil, at: .seconds(1))
    while echo.fault == nil, let next = echo.nextDeadline {
      if echo.advance(to: next) { echo.sent(nil, at: next) }
    }
    #expect(echo.reach == .fails(.notHeard))
  }
}
