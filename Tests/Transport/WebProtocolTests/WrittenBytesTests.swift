import Testing
import _FramedWebProtocol

/// What is written, byte by byte and line by line.
@Suite struct WrittenBytesTests {
  /// The lines of a head, without the two line ends after it.
  private func lines(_ head: [UInt8]) -> [String] {
    let text = String(decoding: head, as: UTF8.self)
    #expect(text.hasSuffix("\r\n\r\n"))
    // A line end is one character.
    return text.dropLast(2).split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0) }
  }

  private func expect(_ head: [UInt8], _ parts: [String]...) {
    #expect(lines(head) == parts.flatMap { $0 })
  }

  private static let policy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    + "manifest-src 'self'; "
  private static let end = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  private static let others = [
    "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Referrer-Policy: no-referrer",
    "Cross-Origin-Resource-Policy: same-origin",
  ]

  private func react(_ site: WebSite, _ lines: String..., isEncrypted: Bool = false) throws -> HTTPResponse {
    let reaction = site.react(to: lines.map { Array($0.utf8) }, isEncrypted: isEncrypted, isAlone: true)
    guard case .answer(let response, _) = reaction else { throw HTTPRefusal(status: .internalError, reason: "\(reaction)") }
    return response
  }

  @Test(arguments: [(false, "ws"), (true, "wss")])
  func `a page comes with what protects it, and may open its own WebSocket`(isEncrypted: Bool, scheme: String) throws {
    // `printf abc | sha1sum | cut -c-40 | xxd -r -p | base64`
    let tag = "\"qZk+NkcGgWq6PiVxeFDCbJzQ2J0=\""
    let site = WebSite(files: ["/": WebFile("text/plain", "abc")])
    let own = ["ETag: \(tag)", "Cache-Control: no-cache"]
    let policy = [Self.policy + "connect-src 'self' \(scheme)://localhost:1; " + Self.end]
    let response = try react(site, "GET / HTTP/1.1", "Host: localhost:1", isEncrypted: isEncrypted)
    let content = ["HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 3", "Connection: close"]
    expect(response.head, content, own, policy, Self.others)
    let known = try react(
      site, "GET / HTTP/1.1", "Host: localhost:1", "If-None-Match: \(tag)", isEncrypted: isEncrypted)
    expect(known.head, ["HTTP/1.1 304 Not Modified"], own, policy, Self.others, ["Connection: close"])
  }

  @Test func `a refusal and the answer of a handler are kept by nobody, and open no WebSocket`() throws {
    let protection = ["Cache-Control: no-store", Self.policy + Self.end]
    let content = ["Content-Type: text/plain; charset=utf-8", "Content-Length: 4", "Connection: close"]
    let refusal = WebSite.response(to: HTTPRefusal(status: .upgradeRequired, reason: "Why"))
    let upgrade = ["Upgrade: websocket", "Sec-WebSocket-Version: 13"]
    expect(refusal.head, ["HTTP/1.1 426 Upgrade Required"], content, protection, Self.others, upgrade)
    let request = WebRequest(method: "GET", target: "/a", host: "localhost")
    let answer = WebSite().response(to: request, with: .replied(.text("fine")))
    expect(answer.head, ["HTTP/1.1 200 OK"], content, protection, Self.others)
  }

  @Test func `an offer has all that a handshake needs, and what was chosen`() {
    let plain = WebSocketOffer(host: "h:1", target: "/s?t=1", origin: nil, subprotocols: [], key: "KEY")
    let first = ["GET /s?t=1 HTTP/1.1", "Host: h:1", "Upgrade: websocket", "Connection: Upgrade"]
    let second = ["Sec-WebSocket-Key: KEY", "Sec-WebSocket-Version: 13"]
    expect(plain.request, first, second)
    let full = WebSocketOffer(host: "h:1", target: "/s?t=1", origin: "http://h", subprotocols: ["x", "y"], key: "KEY")
    expect(full.request, first, second, ["Origin: http://h", "Sec-WebSocket-Protocol: x, y"])
  }

  @Test(arguments: [(2_034, true), (2_035, false)])
  func `a target fits into the first line that servers read`(count: Int, isValid: Bool) throws {
    let target = "/" + String(repeating: "a", count: count - 1)
    let offer = WebSocketOffer(host: "h", target: target, origin: nil, subprotocols: [], key: "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(offer.isValid == isValid)
    guard isValid else { return }
    let bytes = offer.request
    var (head, offset) = (HTTPLines(), 0)
    #expect(try head.read(bytes.span, from: &offset))
  }

  // MARK: - Frames

  private func header(
    _ opcode: WebSocketOpcode, isFinal: Bool = true, _ length: UInt64, mask: UInt32? = nil
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: WebSocketFrameHeader.mostBytes) { output in
      WebSocketFrameHeader(opcode, isFinal: isFinal, length: length, mask: mask).write(into: &output)
    }
    return bytes
  }

  /// RFC 6455, section 5.2.
  @Test func `a header has the shortest form of its length`() {
    #expect(header(.text, 0) == [0x81, 0] && header(.text, 125) == [0x81, 125])
    #expect(header(.binary, 126) == [0x82, 126, 0, 126] && header(.binary, 65_535) == [0x82, 126, 0xFF, 0xFF])
    #expect(header(.continuation, isFinal: false, 65_536) == [0, 127, 0, 0, 0, 0, 0, 1, 0, 0])
    #expect(header(.binary, 0x0102_0304_0506_0708) == [0x82, 127, 1, 2, 3, 4, 5, 6, 7, 8])
    #expect(header(.binary, 1, mask: 0x0403_0201) == [0x82, 0x81, 1, 2, 3, 4])
    #expect(header(.binary, 0x0100, mask: 0x0403_0201) == [0x82, 0xFE, 1, 0, 1, 2, 3, 4])
    let largest = header(.binary, 65_536, mask: 0x0403_0201)
    #expect(largest == [0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4] && largest.count == WebSocketFrameHeader.mostBytes)
  }

  @Test func `a control frame is whole, and masked where a client sends it`() {
    #expect(WebSocketFrameHeader.control(.pong, [1, 2, 3, 4, 5], mask: nil) == [0x8A, 5, 1, 2, 3, 4, 5])
    let masked = WebSocketFrameHeader.control(.close, [1, 2, 3, 4, 5], mask: 0x0403_0201)
    #expect(masked == [0x88, 0x85, 1, 2, 3, 4, 0, 0, 0, 0, 4])
    #expect(WebSocketFrameHeader.control(.ping, [UInt8](repeating: 0, count: 125), mask: nil).count == 127)
  }

  @Test func `a reason is cut between two characters, at 123 bytes`() {
    func payload(_ reason: String) -> String {
      let bytes = WebSocketClose(.goingAway, reason).payload
      #expect(bytes.prefix(2) == [0x03, 0xE9])
      return String(decoding: bytes.dropFirst(2), as: UTF8.self)
    }
    let most = String(repeating: "a", count: 123)
    #expect(payload(most) == most && payload(most + "b") == most)
    #expect(payload(String(repeating: "ü", count: 62)) == String(repeating: "ü", count: 61))
  }

  @Test func `a closing frame is read with its code and its reason`() throws {
    #expect(try WebSocketClose(payload: []) == WebSocketClose(.none))
    #expect(try WebSocketClose(payload: [0x03, 0xE9]) == WebSocketClose(.goingAway))
    #expect(try WebSocketClose(payload: [0x0F, 0xA1, 0x61]) == WebSocketClose(WebSocketCloseCode(rawValue: 4001), "a"))
    #expect("\(WebSocketCloseCode.goingAway)" == "1001")
  }

  /// RFC 6455, section 4.1: the base64 of 16 bytes.
  @Test func `a key has twenty-two digits and two signs at its end`() throws {
    let key = "dGhlIHNhbXBsZSBub25jZQ=="
    func status(_ key: String) -> Int? {
      let lines = [
        "GET /socket HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: \(key)",
      ]
      switch WebSite().react(to: lines.map { Array($0.utf8) }, isAlone: true) {
      case .answer(let response, _): return response.status.code
      case .upgrade(let response, _): return response.status.code
      case .handle: return nil
      }
    }
    #expect(status(key) == 101)
    for place in key.indices { #expect(status(key.replacingCharacters(at: place, by: "!")) == 400, "\(place)") }
    for wrong in [key + "=", "A" + key, String(key.dropLast()), key.replacing("Q==", with: "A=="), "+/" + key.dropFirst(2)] {
      #expect(status(wrong) == (wrong.utf8.count == 24 ? 101 : 400), "\(wrong)")
    }
    for (last, expected) in [("A", 101), ("g", 101), ("w", 101), ("B", 400), ("I", 400)] {
      #expect(status(key.replacing("Q==", with: "\(last)==")) == expected)
    }
  }
}

extension String {
  fileprivate func replacingCharacters(at place: Index, by text: String) -> String {
    String(self[..<place]) + text + String(self[index(after: place)...])
  }
}
