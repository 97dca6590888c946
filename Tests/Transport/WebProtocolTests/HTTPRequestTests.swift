import Testing
import _BonjourishBase
import _FramedWebProtocol

/// Heads of requests, those that are served and those that smugglers send.
@Suite struct HTTPRequestTests {
  /// The request in some bytes, or the status of the refusal; nil if the head is incomplete.
  private func outcome(_ text: String, pieces size: () -> Int = { .max }) -> Result<HTTPRequest, HTTPRefusal>? {
    outcome(Array(text.utf8), pieces: size)
  }

  private func outcome(_ bytes: [UInt8], pieces size: () -> Int = { .max }) -> Result<HTTPRequest, HTTPRefusal>? {
    var lines = HTTPLines()
    var rest = bytes[...]
    do throws(HTTPRefusal) {
      while !rest.isEmpty {
        let piece = Array(rest.prefix(size()))
        rest = rest.dropFirst(piece.count)
        var offset = 0
        if try lines.read(piece.span, from: &offset) { return .success(try HTTPRequest(lines.lines)) }
      }
      return nil
    } catch {
      return .failure(error)
    }
  }

  private func status(_ text: String) -> Int? {
    let whole = outcome(text)
    #expect(outcome(text, pieces: { 1 }) == whole)
    return switch whole {
    case .success?: 200
    case .failure(let refusal)?: refusal.status.code
    case nil: nil
    }
  }

  @Test func `what browsers send is read`() throws {
    let head =
      "GET /a.js?b=1&c=%20 HTTP/1.1\r\nHost: 10.0.0.1:8080\r\nUser-Agent: Mozilla/5.0 (X11)\r\nAccept: */*\r\n"
      + "Accept-Language: de;q=0.7, en\r\nEmpty:\r\nSpaced: \t a b \t\r\nReferer: http://x/é\r\n\r\n"
    let request = try #require(try outcome(head)?.get())
    #expect(request.method == "GET" && request.target == "/a.js?b=1&c=%20" && request.path == "/a.js")
    #expect(request.host == "10.0.0.1:8080")
    #expect(request.fields.values("empty") == [""] && request.fields.values("spaced") == ["a b"])
    #expect(request.fields.list("accept-language") == ["de;q=0.7", "en"])
    #expect(request.fields.contains("en", in: "accept-language") && !request.fields.contains("e", in: "accept-language"))
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20 { #expect(outcome(head, pieces: { generator.number(in: 1..<40) }) == .success(request)) }
    for count in 0..<head.utf8.count { #expect(outcome(Array(head.utf8.prefix(count))) == nil) }
  }

  @Test(arguments: [
    ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", 200), ("OPTIONS /x HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    // The first line (RFC 9112, section 3).
    ("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", 400), (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400), ("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\r\nHost: a\r\n\r\n", 400),
    ("GET / http/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.0\r\nHost: a\r\n\r\n", 505), ("GET / HTTP/2.0\r\n\r\n", 505),
    ("GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400), ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /é HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("\r\nGET / HTTP/1.1\r\n\r\n", 400),
    // The host (section 3.2).
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: [fe80::1]:80\r\n\r\n", 200),
    // Lines (sections 2.2, 5.1 and 5.2).
    ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\rX: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\rHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\tc\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", 400),
    // Content (section 6 and 11.2).
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 5\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n", 400),
    ("SSH-2.0-OpenSSH_9.2\r\n\r\n", 400),
  ])
  func `a head is read strictly`(head: String, status expected: Int) {
    #expect(status(head) == expected)
  }

  @Test func `elements of lists are those of all lines, without blanks and empty ones`() throws {
    let request = try #require(try outcome("GET / HTTP/1.1\r\nHost: a\r\nX: a\t, \tB ,\r\nX:,, c d \r\n\r\n")?.get())
    #expect(request.fields.list("x") == ["a", "B", "c d"] && request.fields.values("x") == ["a\t, \tB ,", ",, c d"])
    #expect(request.fields.contains("b", in: "x") && !request.fields.contains("c", in: "x"))
    #expect(throws: HTTPRefusal.self) { try request.fields.only("x") }
    #expect(try request.fields.only("y") == nil)
  }

  @Test func `values that are not UTF-8 are refused`() {
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8)
    guard case .failure(let refusal)? = outcome(bytes) else {
      Issue.record("served")
      return
    }
    #expect(refusal.status.code == 400)
  }

  @Test func `limits hold to the byte`() {
    let (firstLine, byteCount, fieldCount) = (2_048, 8_192, 64)
    func request(target: Int = 1, fields: Int = 0, byteCount: Int? = nil) -> String {
      var text = "GET /" + String(repeating: "a", count: target - 1) + " HTTP/1.1\r\nHost: a\r\n"
      for _ in 0..<fields { text += "X: y\r\n" }
      if let byteCount {
        // Line ends do not count, except for the CR that has arrived and may still be a fault.
        let held = text.utf8.count - 2 * text.split(separator: "\r\n").count
        text += "Y: " + String(repeating: "b", count: byteCount - held - 3 - 1) + "\r\n"
      }
      return text + "\r\n"
    }
    #expect(status(request(target: firstLine - 14)) == 200)
    #expect(status(request(target: firstLine - 13)) == 414, "there is no room for the CR")
    #expect(status(request(target: firstLine - 12)) == 414)
    #expect(status("G" + String(repeating: "E", count: 5_000)) == 414, "before the line ends")
    #expect(status(request(fields: fieldCount - 1)) == 200)
    #expect(status(request(fields: fieldCount)) == 431)
    #expect(status(request(byteCount: byteCount)) == 200)
    #expect(status(request(byteCount: byteCount + 1)) == 431)
  }

  @Test(arguments: [(1, 200), (255, 200), (256, 400)]) func `the host has at most 255 bytes`(count: Int, expected: Int) {
    #expect(status("GET / HTTP/1.1\r\nHost: \(String(repeating: "a", count: count))\r\n\r\n") == expected)
  }

  @Test func `what follows the head is not read`() throws {
    var lines = HTTPLines()
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET".utf8)
    var offset = 0
    #expect(try lines.read(bytes.span, from: &offset))
    #expect(offset == bytes.count - 3)
  }

  @Test func `answers are read`() throws {
    func answer(_ text: String) throws -> HTTPAnswer {
      var lines = HTTPLines()
      var offset = 0
      try #require(try lines.read(Array(text.utf8).span, from: &offset))
      return try HTTPAnswer(lines.lines)
    }
    let answered = try answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
    #expect(answered.status == 101 && answered.fields.values("upgrade") == ["websocket"])
    #expect(try answer("HTTP/1.1 404 \r\n\r\n").status == 404)
    #expect(try answer("HTTP/1.1 404\r\n\r\n").status == 404)
    for wrong in [
      "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 20x OK\r\n\r\n", "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1\r\n\r\n", "x\r\n\r\n",
    ] {
      #expect(throws: HTTPRefusal.self) { try answer(wrong) }
    }
  }
}
