public import FramedTransport
import _BonjourishBase
public import _FramedWebProtocol

extension ConnectionSecurity {
  /// No protection, over a WebSocket (RFC 6455), for programs that talk to servers of browsers. `webSocket(host:)` of another protection
  /// is `wss`.
  ///
  /// Connecting throws `webSocketRefused` if the server refuses, and `handshakeMalformed` if what it answers is not a handshake.
  ///
  /// - Parameters:
  ///   - host: The host as the server knows it, with a port unless it is 80, such as `10.0.0.1:8080`.
  ///   - target: The path of the WebSocket, and a query if there is one.
  ///   - messages: The kind of the messages, the same on both sides.
  ///   - origin: The origin to claim; `nil` for none, as suits a program.
  ///   - subprotocols: The subprotocols to offer, the preferred one first.
  /// - Throws: `invalidAddress` if a part has characters that it must not have, or all are too long.
  public static func webSocket(
    host: String, target: String = "/socket", messages: WebSocketMessages = .text, origin: String? = nil,
    subprotocols: [String] = []
  ) throws(TransportError) -> ConnectionSecurity {
    try plaintext.webSocket(host: host, target: target, messages: messages, origin: origin, subprotocols: subprotocols)
  }

  /// This protection, and over it a WebSocket (RFC 6455): with encryption, `wss`.
  ///
  /// ```swift
  /// let security = try ConnectionSecurity.certificate(for: "example.com").webSocket(host: "example.com")
  /// let connection = try await Connection.connect(toHost: "example.com", port: 443, security: security)
  /// ```
  /// Connecting throws what this protection throws, `webSocketRefused` and `handshakeMalformed`. It must not have a WebSocket already.
  ///
  /// - Parameters:
  ///   - host: The host as the server knows it, with a port unless it is the usual one: 443, or 80 without encryption.
  ///   - target: The path of the WebSocket, and a query if there is one.
  ///   - messages: The kind of the messages, the same on both sides.
  ///   - origin: The origin to claim; `nil` for none, as suits a program.
  ///   - subprotocols: The subprotocols to offer, the preferred one first.
  /// - Throws: `invalidAddress` if a part has characters that it must not have, or all are too long.
  public func webSocket(
    host: String, target: String = "/socket", messages: WebSocketMessages = .text, origin: String? = nil,
    subprotocols: [String] = []
  ) throws(TransportError) -> ConnectionSecurity {
    let request = WebSocketRequest(host: host, target: target, origin: origin, subprotocols: subprotocols, messages: messages)
    guard request.offer().isValid else {
      throw TransportError(
        .invalidAddress,
        "“\(host)\(target)” is not the address of a WebSocket: use visible ASCII characters, a path that begins with a slash, and "
          + "tokens as subprotocols")
    }
    let web = WebLayer(.client(request))
    guard let layer else { return ConnectionSecurity(web) }
    precondition(!layer.isWeb, "the protection must not have a WebSocket already")
    return ConnectionSecurity(LayerStack(web, over: layer))
  }
}

/// What a client asks for, in each of its handshakes.
struct WebSocketRequest: Sendable {
  let host: String
  let target: String
  let origin: String?
  let subprotocols: [String]
  let messages: WebSocketMessages

  /// An offer with a key of its own.
  func offer() -> WebSocketOffer {
    var generator = SystemRandomNumberGenerator()
    let nonce = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return WebSocketOffer(
      host: host, target: target, origin: origin, subprotocols: subprotocols, key: Base64.text(of: nonce))
  }
}
