import Testing
import _FramedWebProtocol

/// What a site answers.
@Suite struct WebSiteTests {
  private let page = WebFile("text/html; charset=utf-8", "<!doctype html><title>24</title>")
  private var site: WebSite {
    WebSite(files: ["/": page, "/app.js": WebFile("text/javascript", "1")], subprotocols: ["b", "a"])
  }

  private static let handshake = [
    "GET /socket?token=9Q2&x HTTP/1.1", "Host: 10.0.0.1:80", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "Origin: http://10.0.0.1",
  ]

  private func react(
    _ lines: [String], isEncrypted: Bool = false, isAlone: Bool = true, at site: WebSite? = nil
  ) -> WebReaction {
    (site ?? self.site).react(to: lines.map { Array($0.utf8) }, isEncrypted: isEncrypted, isAlone: isAlone)
  }

  private func answer(_ lines: String..., isAlone: Bool = true) -> (HTTPResponse, hasBody: Bool)? {
    guard case .answer(let response, let hasBody) = react(lines, isAlone: isAlone) else { return nil }
    return (response, hasBody)
  }

  /// The handshake with some lines replaced by others, by their names; an empty text removes one.
  private func handshake(_ changes: [String: String], at site: WebSite? = nil) -> WebReaction {
    let lines = Self.handshake.map { line in
      changes.first { line.hasPrefix($0.key) }?.value ?? line
    }
    return react(lines.flatMap { $0.split(separator: "\n") }.map(String.init).filter { !$0.isEmpty }, at: site)
  }

  private func status(_ reaction: WebReaction) -> Int {
    switch reaction {
    case .answer(let response, _): response.status.code
    case .handle: 0
    case .upgrade(let response, _): response.status.code
    }
  }

  private func field(_ name: String, of response: HTTPResponse) -> String? {
    let values = response.fields.filter { $0.name == name }.map(\.value)
    #expect(values.count <= 1)
    return values.first
  }

  // MARK: - Files

  @Test func `a file is served with its type, its size and its tag`() throws {
    let (response, hasBody) = try #require(answer("GET /?a=b HTTP/1.1", "Host: localhost:1"))
    #expect(response.status == .ok && hasBody && response.body == page.bytes)
    #expect(field("Content-Type", of: response) == "text/html; charset=utf-8")
    #expect(field("Content-Length", of: response) == "\(page.bytes.count)")
    #expect(field("Connection", of: response) == "close")
    #expect(field("Cache-Control", of: response) == "no-cache")
    #expect(field("ETag", of: response) == page.tag)
    let (head, headHasBody) = try #require(answer("HEAD / HTTP/1.1", "Host: localhost:1"))
    #expect(head == response && !headHasBody)
  }

  /// After localsend/localsend#3000: a token in a query goes on to other sites as the referrer.
  @Test func `every answer keeps browsers from what no page needs`() throws {
    for lines in [["GET / HTTP/1.1", "Host: localhost"], ["GET /nothing HTTP/1.1", "Host: localhost"], ["x"]] {
      guard case .answer(let response, _) = react(lines) else {
        Issue.record("\(lines)")
        continue
      }
      let policy = try #require(field("Content-Security-Policy", of: response))
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; ") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe") && !policy.contains("*"))
      #expect(field("X-Content-Type-Options", of: response) == "nosniff")
      #expect(field("X-Frame-Options", of: response) == "DENY")
      #expect(field("Referrer-Policy", of: response) == "no-referrer")
      #expect(field("Cache-Control", of: response) != nil)
    }
  }

  @Test func `a file that the browser has is not sent again`() throws {
    for tag in [page.tag, "W/\(page.tag)", "\"other\", \(page.tag)", "*"] {
      let (response, _) = try #require(answer("GET / HTTP/1.1", "Host: localhost", "If-None-Match: \(tag)"))
      #expect(response.status == .notModified && response.body.isEmpty)
      #expect(field("ETag", of: response) == page.tag && field("Content-Length", of: response) == nil)
    }
    let (response, _) = try #require(answer("GET / HTTP/1.1", "Host: localhost", "If-None-Match: \"other\""))
    #expect(response.status == .ok)
    #expect(WebFile("a/b", [1]).tag != WebFile("a/b", [2]).tag)
  }

  @Test func `no path leads to anything else`() throws {
    for path in [
      "/app.j", "/app.js/", "//app.js", "/../etc/passwd", "/%2e%2e/etc/passwd", "/./", "/app%2Ejs", "/etc/passwd", "/APP.js",
    ] {
      #expect(answer("GET \(path) HTTP/1.1", "Host: localhost")?.0.status == .notFound, "\(path)")
    }
    let (response, _) = try #require(answer("DELETE / HTTP/1.1", "Host: localhost"))
    #expect(response.status == .methodNotAllowed && field("Allow", of: response) == "GET, HEAD")
    #expect(answer("GET / HTTP/1.1", "Host: localhost", isAlone: false)?.0.status == .badRequest)
    #expect(answer("GET / HTTP/1.1", "Host: localhost", "Content-Length: 3")?.0.status == .badRequest)
  }

  @Test func `a refusal repeats nothing of the request`() throws {
    let (response, _) = try #require(answer("GET /<script> HTTP/1.1", "Host: localhost"))
    #expect(!String(decoding: response.head + response.body, as: UTF8.self).contains("script>"))
  }

  // MARK: - Hosts

  @Test(arguments: [
    ("10.0.0.1", true), ("10.0.0.1:8080", true), ("[fe80::1]:80", true), ("[::1]", true), ("localhost:1", true),
    ("Pi.local:80", true), ("LOCALHOST", true), ("party.example:80", true), ("evil.example", false),
    ("1.2.3.4.evil.example", false),
    ("256.0.0.1", false), ("10.0.0", false), ("10.0.0.1.", false), ("local", false), ("evil.example:local", false),
    ("[evil]", false),
    ("[::1]evil", false), ("localhost:", true), ("a.local:80:80", false), ("0x7f.1.1.1", false),
    ("localhost:65535", true), ("localhost:123456", false), ("localhost:8o", false), ("0001.1.1.1", false),
    ("1.1.1.1.1", false),
    ("1..1.1", false), ("[::1]:123456", false), ("[1]", false),
  ])
  func `a name that a stranger may have chosen is refused`(host: String, isServed: Bool) {
    let site = WebSite(files: ["/": page], hosts: .local(names: ["party.example"]))
    #expect(status(react(["GET / HTTP/1.1", "Host: \(host)"], at: site)) == (isServed ? 200 : 421))
    #expect(status(react(["GET / HTTP/1.1", "Host: \(host)"], at: WebSite(files: ["/": page], hosts: .any))) == 200)
  }

  // MARK: - The handshake

  @Test func `a handshake is answered as the standard's example`() throws {
    guard case .upgrade(let response, let details) = react(Self.handshake) else {
      Issue.record("refused")
      return
    }
    #expect(response.status == .switchingProtocols)
    #expect(field("Sec-WebSocket-Accept", of: response) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(field("Upgrade", of: response) == "websocket" && field("Connection", of: response) == "Upgrade")
    #expect(field("Sec-WebSocket-Extensions", of: response) == nil && field("Sec-WebSocket-Protocol", of: response) == nil)
    #expect(details.target == "/socket?token=9Q2&x" && details.host == "10.0.0.1:80" && details.origin == "http://10.0.0.1")
    #expect(details.parameter("token") == "9Q2" && details.parameter("x") == "" && details.parameter("y") == nil)
  }

  @Test(arguments: [("http://example.com", 403), ("https://example.com", 101)])
  func `over TLS only pages that came over TLS are of the same host`(origin: String, expected: Int) {
    let site = WebSite(hosts: .any)
    let lines = Self.handshake.map {
      $0.hasPrefix("Host:") ? "Host: example.com" : $0.hasPrefix("Origin:") ? "Origin: \(origin)" : $0
    }
    #expect(status(react(lines, isEncrypted: true, at: site)) == expected)
    #expect(status(react(lines, at: site)) == 101)
  }

  @Test func `the refusal of a malformed HEAD has no content`() throws {
    let (response, hasBody) = try #require(answer("HEAD / HTTP/1.1"))
    #expect(response.status.code == 400 && !hasBody)
  }

  @Test(arguments: [
    (["Sec-WebSocket-Version": "Sec-WebSocket-Version: 12"], 426), (["Sec-WebSocket-Version": ""], 426),
    (["Sec-WebSocket-Version": "Sec-WebSocket-Version: 13\nSec-WebSocket-Version: 13"], 400), (["Sec-WebSocket-Key": ""], 400),
    (["Sec-WebSocket-Key": "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ="], 400),
    (["Sec-WebSocket-Key": "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZR=="], 400),
    (["Sec-WebSocket-Key": "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ!=="], 400),
    (["Sec-WebSocket-Key": "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="], 400),
    (["Connection": ""], 400), (["Connection": "Connection: close"], 400), (["Upgrade": ""], 426),
    (["Upgrade": "Upgrade: h2c"], 426),
    (["Upgrade": "Upgrade: WebSocket"], 101), (["GET": "HEAD /socket HTTP/1.1"], 400), (["GET": "POST /socket HTTP/1.1"], 405),
    (["GET": "GET /sockets HTTP/1.1"], 404), (["Origin": ""], 101), (["Origin": "Origin: http://10.0.0.1:80"], 101),
    (["Origin": "Origin: null"], 403), (["Origin": "Origin: http://10.0.0.1:81"], 403),
    (["Origin": "Origin: http://evil.example"], 403),
    (["Origin": "Origin: http://10.0.0.1.evil.example"], 403),
    (["Origin": "Origin: http://10.0.0.1\nOrigin: http://10.0.0.1"], 400),
    (["Origin": "Origin: https://10.0.0.1:80"], 101),
    (["Host": "Host: evil.example", "Origin": "Origin: http://evil.example"], 421),
  ])
  func `a handshake is checked`(changes: [String: String], expected: Int) {
    let reaction = handshake(changes)
    #expect(status(reaction) == expected)
    guard case .answer(let response, _) = reaction, expected == 426 else { return }
    #expect(field("Sec-WebSocket-Version", of: response) == "13" && field("Upgrade", of: response) == "websocket")
  }

  @Test func `other pages are permitted only if they are named`() {
    var site = site
    site.origins = .these(["https://party.example"])
    #expect(status(handshake(["Origin": "Origin: https://party.example"], at: site)) == 101)
    #expect(status(handshake(["Origin": "Origin: http://party.example"], at: site)) == 403)
    #expect(status(handshake([:], at: site)) == 101)
    site.origins = .any
    #expect(status(handshake(["Origin": "Origin: null"], at: site)) == 101)
  }

  @Test func `the preferred subprotocol that both know is chosen`() throws {
    for (offer, chosen) in [("a, b", "b"), ("a", "a"), ("c", nil), ("A", nil)] as [(String, String?)] {
      guard case .upgrade(let response, let details) = handshake(["Origin": "Sec-WebSocket-Protocol: \(offer)"]) else {
        Issue.record("\(offer)")
        continue
      }
      #expect(field("Sec-WebSocket-Protocol", of: response) == chosen && details.subprotocol == chosen)
    }
  }

  @Test func `a page and a WebSocket can have the same path`() {
    let site = WebSite(socketPath: "/", files: ["/": page])
    #expect(status(react(["GET / HTTP/1.1", "Host: localhost"], at: site)) == 200)
    #expect(status(handshake(["GET": "GET / HTTP/1.1"], at: site)) == 101)
  }

  // MARK: - Handlers

  private func reply(_ outcome: WebHandlerOutcome, limit: Int = 1_000) -> HTTPResponse {
    let request = WebRequest(method: "GET", target: "/a", host: "localhost")
    return WebSite(handlers: ["/a": { _ in .text("") }], handlerLimits: WebHandlerLimits(largestReply: limit))
      .response(to: request, with: outcome)
  }

  /// The phrases of RFC 9110, section 15, and RFC 6585, section 4. Others may be left out.
  @Test(arguments: [
    (200, "OK"), (201, "Created"), (202, "Accepted"), (299, ""), (400, "Bad Request"), (401, "Unauthorized"),
    (403, "Forbidden"), (404, "Not Found"), (409, "Conflict"), (410, "Gone"), (418, ""), (429, "Too Many Requests"),
    (500, "Internal Server Error"), (502, "Bad Gateway"), (503, "Service Unavailable"), (504, "Gateway Timeout"), (599, ""),
  ])
  func `a reply has the phrase of its status`(code: Int, phrase: String) {
    let response = reply(.replied(.json([0x31], status: code)))
    #expect(String(decoding: response.head, as: UTF8.self).hasPrefix("HTTP/1.1 \(code) \(phrase)\r\n"))
    #expect(response.body == [0x31] && field("Content-Type", of: response) == "application/json")
  }

  @Test func `a refusal has the phrase of its status`() {
    for (status, line) in [
      (HTTPStatus.badRequest, "400 Bad Request"), (.forbidden, "403 Forbidden"), (.notFound, "404 Not Found"),
      (.methodNotAllowed, "405 Method Not Allowed"), (.requestTimeout, "408 Request Timeout"),
      (.uriTooLong, "414 URI Too Long"), (.misdirected, "421 Misdirected Request"), (.upgradeRequired, "426 Upgrade Required"),
      (.fieldsTooLarge, "431 Request Header Fields Too Large"), (.internalError, "500 Internal Server Error"),
      (.serviceUnavailable, "503 Service Unavailable"), (.versionNotSupported, "505 HTTP Version Not Supported"),
    ] {
      let response = WebSite.response(to: HTTPRefusal(status: status, reason: "Why."))
      #expect(String(decoding: response.head, as: UTF8.self).hasPrefix("HTTP/1.1 \(line)\r\n"))
      #expect(response.body == Array("Why.\n".utf8) && field("Content-Length", of: response) == "5")
      #expect((field("Retry-After", of: response) != nil) == (status == .serviceUnavailable))
      #expect((field("Allow", of: response) != nil) == (status == .methodNotAllowed))
    }
    for (status, line) in [(HTTPStatus.switchingProtocols, "101 Switching Protocols"), (.notModified, "304 Not Modified")] {
      #expect(String(decoding: HTTPResponse(status).head, as: UTF8.self) == "HTTP/1.1 \(line)\r\n\r\n")
    }
  }

  @Test func `what a handler does not answer is refused, and an answer may be as large as the limit`() {
    struct Trouble: Error {}
    #expect(reply(.replied(.text("12345")), limit: 5).status == .ok)
    for (outcome, status) in [
      (WebHandlerOutcome.replied(.text("123456")), HTTPStatus.internalError), (.failed(Trouble()), .internalError),
      (.timedOut, .serviceUnavailable), (.crowded, .serviceUnavailable),
    ] {
      #expect(reply(outcome, limit: 5).status == status)
    }
  }

  @Test(
    arguments: [
      ("/a", "b", nil), ("/a?b", "b", ""), ("/a?b=", "b", ""), ("/a?b=c=d", "b", "c=d"), ("/a?c=1&b=2&b=3", "b", "2"),
      ("/a?bb=1", "b", nil), ("/a?%62=1&b=%2B+", "b", "%2B+"),
    ] as [(String, String, String?)])
  func `a parameter is as it was sent, and the first of its name`(target: String, name: String, value: String?) {
    let request = WebRequest(method: "GET", target: target, host: "localhost")
    #expect(request.parameter(name) == value && request.path == "/a")
    #expect(WebDetails(target: target, host: "a", origin: nil, subprotocol: nil).parameter(name) == value)
  }
}
