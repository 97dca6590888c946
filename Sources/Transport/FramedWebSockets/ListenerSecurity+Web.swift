public import FramedTransport
public import _FramedWebProtocol

extension ListenerSecurity {
  /// No protection, and on the same port a web site: files over HTTP, and a WebSocket (RFC 6455) whose peers become connections like all
  /// others.
  ///
  /// The first bytes tell what a peer speaks, so a connection is delivered once they have arrived: peers must send first. A frame of the
  /// listener's format must begin with a length, and the largest must be so small that its length cannot be taken for a letter
  /// (539 MB with the standard length of four bytes, 8 KB with two bytes). A message of a WebSocket is a frame.
  ///
  /// Everybody on the way can read and change what is sent, and so can everybody in a page that was loaded over HTTP.
  ///
  /// - Parameter site: What browsers are offered.
  public static func plaintext(serving site: WebSite) -> ListenerSecurity { plaintext.serving(site) }

  /// This protection, and over it a web site: with encryption, `https` and `wss`.
  ///
  /// Browsers speak TLS as other programs do, so they need `ListenerSecurity.certificate(certificateFile:privateKeyFile:)` or another
  /// certificate of the module `FramedSecurity`; other protections of that module are for programs that know them, as clients of `ConnectionSecurity.webSocket(host:)`.
  ///
  /// ```swift
  /// let encryption = try ListenerSecurity.certificate(certificateFile: "fullchain.pem", privateKeyFile: "privkey.pem")
  /// let listener = try await Listener.bind(port: 443, security: encryption.serving(site))
  /// ```
  /// What ``plaintext(serving:)`` says of peers and frames applies. It must not serve a site already.
  ///
  /// - Parameter site: What browsers are offered.
  public func serving(_ site: WebSite) -> ListenerSecurity {
    let web = WebLayer(.server(site))
    guard let layer else { return ListenerSecurity(web) }
    precondition(!layer.isWeb, "the protection must not serve a site already")
    return ListenerSecurity(LayerStack(web, over: layer))
  }
}

extension StreamLayer {
  /// Whether it has WebSockets already.
  var isWeb: Bool { self is WebLayer || (self as? LayerStack)?.upper is WebLayer }
}

extension Connection {
  /// What the handshake of the WebSocket has told; `nil` for a connection that is not over a WebSocket.
  public var webDetails: WebDetails? { facts(WebFacts.self)?.details }

  /// Closes the connection in order, as `close(within:)` does, and tells the peer of a WebSocket why.
  ///
  /// On other connections the reason is not sent.
  ///
  /// - Parameters:
  ///   - code: The reason as a number. One that must not be sent (``WebSocketCloseCode/maySend``) is replaced by
  ///     ``WebSocketCloseCode/normal``.
  ///   - reason: The reason in words. What exceeds 123 bytes is cut off.
  ///   - limit: The longest time to take.
  public func close(_ code: WebSocketCloseCode, _ reason: String = "", within limit: Duration = .seconds(2)) async {
    facts(WebFacts.self)?.setCloseToSend(WebSocketClose(code.maySend ? code : .normal, reason))
    await close(within: limit)
  }
}
