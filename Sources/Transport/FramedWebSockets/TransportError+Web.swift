public import FramedTransport
import _BonjourishEventLoop
public import _FramedWebProtocol

extension TransportError.Code {
  /// The server refuses the WebSocket; ``TransportError/httpStatus`` has its answer.
  public static let webSocketRefused = Self(description: "webSocketRefused")
  /// The server's answer is not one to the handshake of a WebSocket.
  public static let handshakeMalformed = Self(description: "handshakeMalformed")
  /// The peer has ended the WebSocket because of an error; ``TransportError/webSocketClose`` has its reason.
  public static let closedByPeer = Self(description: "closedByPeer")
  /// The peer has sent a kind of message that is not accepted: binary instead of text, or the other way round.
  public static let unacceptableKind = Self(description: "unacceptableKind")
  /// The peer has sent a text that is not UTF-8.
  public static let invalidText = Self(description: "invalidText")

  /// A request for a file was answered, or refused: there never is a connection.
  static let answered = Self(description: "answered")
}

extension TransportError {
  /// The status of the server's answer, for `webSocketRefused`.
  public var httpStatus: Int? { code == .webSocketRefused ? details.first.flatMap { Int($0) } : nil }

  /// The peer's reason, for `closedByPeer`.
  public var webSocketClose: WebSocketClose? {
    guard code == .closedByPeer, details.count == 2, let number = UInt16(details[0]) else { return nil }
    return WebSocketClose(WebSocketCloseCode(rawValue: number), details[1])
  }

  static func refused(by peer: SocketAddress, _ refusal: HTTPRefusal) -> TransportError {
    // A server that is busy or restarts says so with other numbers.
    let isPermanent = (400..<500).contains(refusal.status.code) && ![408, 421, 425, 429].contains(refusal.status.code)
    return TransportError(
      .webSocketRefused, isPermanent: isPermanent,
      "Opening a WebSocket at \(peer) failed: \(refusal.reason); check the host, the path, and what the server permits",
      details: ["\(refusal.status.code)"])
  }

  static func malformedHandshake(of peer: SocketAddress, _ reason: String) -> TransportError {
    TransportError(
      .handshakeMalformed,
      "Opening a WebSocket at \(peer) failed: \(reason); check that a server of WebSockets listens at this port")
  }

  static func closed(by peer: SocketAddress, _ close: WebSocketClose) -> TransportError {
    TransportError(
      .closedByPeer, "The WebSocket with \(peer) was ended by the peer with code \(close.code): \(close.reason)",
      details: ["\(close.code)", close.reason])
  }

  /// The error for frames that are not accepted.
  static func violation(_ violation: WebSocketViolation, by peer: SocketAddress) -> TransportError {
    let code: Code =
      switch violation.code {
      case .messageTooBig: .frameTooLarge
      case .unacceptableKind: .unacceptableKind
      case .invalidText: .invalidText
      default: .malformedFrame
      }
    return TransportError(code, "Reading from \(peer) failed: \(violation.reason)")
  }
}
