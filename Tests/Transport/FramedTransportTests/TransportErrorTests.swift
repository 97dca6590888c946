import CBonjourishLinux
import FramedCoding
import Testing
import _BonjourishEventLoop

@testable import FramedTransport

@Suite struct TransportErrorTests {
  private struct Oops: Error {}

  @Test func `an error is permanent if its kind is, except what anybody can cause, or as its maker says`() {
    let kinds: [(TransportError.Code.Permanence?, isPermanent: Bool, isOfOtherPeer: Bool)] = [
      (nil, false, false), (.refusal, true, false), (.otherPeer, true, true), (.anybody, false, true), (.ownFault, true, false),
    ]
    for (permanence, isPermanent, isOfOtherPeer) in kinds {
      let code = TransportError.Code(description: "x", permanence: permanence)
      #expect(code.isOfOtherPeer == isOfOtherPeer)
      #expect(TransportError(code, "text").isPermanent == isPermanent)
      #expect(TransportError(code, isPermanent: !isPermanent, "text").isPermanent == !isPermanent)
    }
    #expect(TransportError.Code(description: "x", isOfOtherPeer: true).isOfOtherPeer)
  }

  @Test func `an error that becomes permanent is the same otherwise`() {
    let error = TransportError(.reset, errno: ECONNRESET, "text", details: ["a"], because: Oops())
    let permanent = error.asPermanent
    #expect(!error.isPermanent && permanent.isPermanent && permanent != error)
    #expect(permanent.code == .reset && permanent.errno == ECONNRESET && permanent.message == "text")
    #expect(permanent.details == ["a"] && permanent.underlyingError is Oops)
  }

  @Test func `what is behind an error does not count when errors are compared`() {
    let errors: Set = [TransportError(.reset, "text"), TransportError(.reset, "text", because: Oops())]
    #expect(errors.count == 1)
  }

  @Test func `a system call that has failed is told with its reason and its number`() {
    let unreachable = SystemError("connect", errno: ENETUNREACH)
    let error = TransportError(unreachable, "Connecting to 10.0.0.1:80")
    #expect(error.code == .unreachable && error.errno == ENETUNREACH && error.underlyingError as? SystemError == unreachable)
    #expect(error.message.hasPrefix("Connecting to 10.0.0.1:80 failed: Network is unreachable; check the address"))
    #expect(TransportError(SystemError("x", errno: EIO), "Trying").message == "Trying failed: Input/output error")
  }

  @Test(
    arguments: [
      ("connect", ENOENT, .refused), ("connect", ENOTDIR, .refused), ("bind", ENOENT, .unavailable),
      ("bind", EACCES, .notPermitted),
      ("bind", EADDRINUSE, .addressInUse), ("bind", EMFILE, .outOfResources),
    ] as [(String, CInt, TransportError.Code)])
  func `a path that does not exist is no listener, or no place for one`(
    call: String, errno: CInt, code: TransportError.Code
  ) throws {
    let failure = SystemError(call, errno: errno)
    let error = TransportError(failure, "Trying", at: try SocketAddress(unixPath: "/nowhere/socket"))
    #expect(error.code == code && error.errno == errno && error.underlyingError as? SystemError == failure)
    let other = TransportError(failure, "Trying", at: try #require(SocketAddress(numericHost: "::1", port: 1)))
    #expect(other == TransportError(failure, "Trying"))
  }

  @Test(
    arguments: [
      (.bodyTooLarge, .frameTooLarge), (.truncated, .truncated), (.wrongPrefix, .malformedFrame), (.malformed, .malformedFrame),
    ] as [(FramingError.Code, TransportError.Code)])
  func `bytes that are no frame are told as such`(framing: FramingError.Code, code: TransportError.Code) {
    let failure = FramingError(framing, "text")
    let error = TransportError(failure, "Reading")
    #expect(error.code == code && error.underlyingError as? FramingError == failure)
    #expect(error.message == "Reading failed: \(failure)")
  }

  // MARK: - Messages

  @Test func `an error of messages is one of the transport by its reason`() {
    for (reason, code) in [(TransportError.Code.reset, MessagingError.Code.disconnected), (.cancelled, .cancelled)] {
      let broken = TransportError(reason, "broken")
      let error = MessagingError(broken, "Sending")
      #expect(error.code == code && error.message == "Sending failed: broken")
      #expect(error.transportError == broken && error.underlyingError as? TransportError == broken)
    }
    let late = MessagingError(.timedOut, "late")
    #expect(late.transportError == TransportError(.timedOut, "late") && late.underlyingError == nil)
    #expect(late.transportError.underlyingError as? MessagingError == late)
    let wrong = MessageError(.truncated, expected: "a word")
    #expect(MessagingError.unwritable(wrong).messageError == wrong)
    #expect(MessagingError.unwritable(wrong).underlyingError as? MessageError == wrong)
  }

  @Test(
    arguments: [(.busy, false), (.failed, false), (.cancelled, false), (.unsupported, true), ("banned", true)]
      as [(RemoteError.Code, Bool)])
  func `a request that was refused is not worth another attempt, unless that comes at a better time`(
    code: RemoteError.Code, isPermanent: Bool
  ) {
    let remote = RemoteError(code, "no")
    let error = MessagingError(.refused, remote: remote, "refused: no")
    #expect(error.transportError == TransportError(.unreachable, isPermanent: isPermanent, "refused: no"))
    #expect(error.underlyingError as? RemoteError == remote)
  }
}
