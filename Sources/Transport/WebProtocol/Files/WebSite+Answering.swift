/// What a site does with a request.
package enum WebReaction: Equatable, Sendable {
  /// Answer, and end the connection.
  case answer(HTTPResponse, hasBody: Bool)
  /// Have the handler of the path answer, and end the connection.
  case handle(WebRequest, hasBody: Bool)
  /// Answer, and go on with frames.
  case upgrade(HTTPResponse, WebDetails)
}

/// Decides on requests.
extension WebSite {
  /// Reads a head and decides.
  ///
  /// - Parameters:
  ///   - lines: The lines of the head.
  ///   - isEncrypted: Whether the request came over TLS.
  ///   - isAlone: Whether nothing came after the head. A request here has no content, and a client that asks for more waits for the
  ///     answer, so bytes after the head are an attempt to smuggle.
  package func react(to lines: [[UInt8]], isEncrypted: Bool = false, isAlone: Bool) -> WebReaction {
    // The answer to HEAD has no content, whatever its status (RFC 9110, section 9.3.2).
    let hasBody = lines.first?.starts(with: "HEAD ".utf8) != true
    do throws(HTTPRefusal) {
      let request = try HTTPRequest(lines)
      guard isAlone else { throw .bad("Bytes follow the head.") }
      guard hosts.permits(request.host) else {
        throw HTTPRefusal(status: .misdirected, reason: "This server is not known by that name.")
      }
      guard request.method == "GET" || request.method == "HEAD" else {
        throw HTTPRefusal(status: .methodNotAllowed, reason: "Only GET and HEAD are served.")
      }
      let file = files[request.path]
      let wantsSocket = request.fields.contains("websocket", in: "upgrade")
      let isHandled = handlers[request.path] != nil
      if request.path == socketPath, wantsSocket || file == nil && !isHandled {
        return try upgrade(request, wantsSocket: wantsSocket, isEncrypted: isEncrypted)
      }
      if isHandled {
        return .handle(
          WebRequest(method: request.method, target: request.target, host: request.host), hasBody: hasBody)
      }
      guard let file else { throw HTTPRefusal(status: .notFound, reason: "There is nothing here.") }
      return .answer(response(to: request, with: file, isEncrypted: isEncrypted), hasBody: hasBody)
    } catch {
      return .answer(Self.response(to: error), hasBody: hasBody)
    }
  }

  // MARK: - Files

  private func response(to request: HTTPRequest, with file: WebFile, isEncrypted: Bool) -> HTTPResponse {
    let fields =
      [("ETag", file.tag), ("Cache-Control", "no-cache")] + Self.protection(host: request.host, isEncrypted: isEncrypted)
    // Compared weakly (RFC 9110, section 13.1.2).
    let isKnown = request.fields.list("if-none-match").contains { tag in
      tag == "*" || tag == file.tag || tag == "W/\(file.tag)"
    }
    if isKnown { return HTTPResponse(.notModified, fields + [("Connection", "close")]) }
    return HTTPResponse(.ok, Self.content(file.contentType, file.bytes.count) + fields, body: file.bytes)
  }

  static func content(_ type: String, _ byteCount: Int) -> [(name: String, value: String)] {
    [("Content-Type", type), ("Content-Length", "\(byteCount)"), ("Connection", "close")]
  }

  /// The fields that keep a browser from doing anything with a page that the page does not need.
  ///
  /// - Parameters:
  ///   - host: The host of the request, if the content may be a page. Older browsers do not count a WebSocket of the same host as
  ///     `'self'`.
  ///   - isEncrypted: Whether the page comes over TLS, so that its WebSocket does, too.
  static func protection(host: String?, isEncrypted: Bool = false) -> [(name: String, value: String)] {
    let sockets = host.map { "connect-src 'self' \(isEncrypted ? "wss" : "ws")://\($0); " } ?? ""
    return [
      (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; manifest-src 'self'; "
          + sockets + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ),
      ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
  }

  // MARK: - Refusing

  /// The answer to a request that is not served.
  package static func response(to refusal: HTTPRefusal) -> HTTPResponse {
    let body = Array((refusal.reason + "\n").utf8)
    var fields = content("text/plain; charset=utf-8", body.count) + [("Cache-Control", "no-store")] + protection(host: nil)
    switch refusal.status {
    case .methodNotAllowed: fields.append(("Allow", "GET, HEAD"))
    case .serviceUnavailable: fields.append(("Retry-After", "1"))
    // Section 4.4 of RFC 6455, and section 15.5.22 of RFC 9110.
    case .upgradeRequired: fields += [("Upgrade", "websocket"), ("Sec-WebSocket-Version", WebSocketKey.version)]
    default: break
    }
    return HTTPResponse(refusal.status, fields, body: body)
  }

  // MARK: - The WebSocket

  /// Decides on a handshake (RFC 6455, section 4.2).
  private func upgrade(
    _ request: HTTPRequest, wantsSocket: Bool, isEncrypted: Bool
  ) throws(HTTPRefusal) -> WebReaction {
    let fields = request.fields
    guard wantsSocket else { throw HTTPRefusal(status: .upgradeRequired, reason: "This is a WebSocket.") }
    guard request.method == "GET", fields.contains("upgrade", in: "connection") else {
      throw .bad("The handshake is malformed.")
    }
    guard try fields.only("sec-websocket-version") == WebSocketKey.version else {
      throw HTTPRefusal(status: .upgradeRequired, reason: "The version of WebSocket must be \(WebSocketKey.version).")
    }
    guard let key = try fields.only("sec-websocket-key"), WebSocketKey.isValid(key) else {
      throw .bad("The key of the handshake is missing or malformed.")
    }
    let origin = try fields.only("origin")
    guard origins.permits(origin, host: request.host, isEncrypted: isEncrypted) else {
      throw HTTPRefusal(status: .forbidden, reason: "Pages of other sites may not connect.")
    }
    let offered = fields.list("sec-websocket-protocol")
    let chosen = subprotocols.first { offered.contains($0) }
    var answer = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", WebSocketKey.accept(key))]
    if let chosen { answer.append(("Sec-WebSocket-Protocol", chosen)) }
    let details = WebDetails(target: request.target, host: request.host, origin: origin, subprotocol: chosen)
    return .upgrade(HTTPResponse(.switchingProtocols, answer), details)
  }
}
