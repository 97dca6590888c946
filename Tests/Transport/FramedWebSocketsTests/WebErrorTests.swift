import FramedTransport
import Testing

@testable import FramedWebSockets
@testable import _FramedWebProtocol

/// What the errors of WebSockets tell the app.
@Suite struct WebErrorTests {
  private let peer = SocketAddress(numericHost: "192.0.2.1", port: 7)!

  @Test(arguments: [
    (400, true), (403, true), (404, true), (499, true), (200, false), (399, false), (500, false), (503, false),
    // Of these, the server may do better another time.
    (408, false), (421, false), (425, false), (429, false),
  ])
  func `a refusal is permanent if its status says that the request is wrong`(status: Int, isPermanent: Bool) {
    let error = TransportError.refused(by: peer, HTTPRefusal(status: HTTPStatus(code: status, phrase: ""), reason: "why"))
    #expect(error.isPermanent == isPermanent && error.httpStatus == status && error.code == .webSocketRefused)
    #expect(error.message.contains("192.0.2.1:7") && error.message.contains("why") && error.webSocketClose == nil)
  }

  @Test func `the peer's code and reason are told, and other errors have none`() {
    let error = TransportError.closed(by: peer, WebSocketClose(.policyViolation, "kicked"))
    #expect(error.webSocketClose == WebSocketClose(.policyViolation, "kicked") && error.httpStatus == nil)
    let other = TransportError.malformedHandshake(of: peer, "no")
    #expect(other.webSocketClose == nil && other.httpStatus == nil && other.code == .handshakeMalformed)
  }

  @Test(arguments: [
    (WebSocketCloseCode.messageTooBig, TransportError.Code.frameTooLarge), (.unacceptableKind, .unacceptableKind),
    (.invalidText, .invalidText), (.protocolError, .malformedFrame),
  ])
  func `a violation has the code of what is wrong`(close: WebSocketCloseCode, code: TransportError.Code) {
    let error = TransportError.violation(WebSocketViolation(code: close, reason: "why"), by: peer)
    #expect(error.code == code && error.message == "Reading from 192.0.2.1:7 failed: why")
  }
}
