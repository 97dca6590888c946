import FramedTransport
import FramedWebSockets
import Testing
import TransportTestSupport

/// Files over HTTP, and requests that are none.
@Suite(.timeLimit(.minutes(1))) struct ServingTests {
  private let page = String(repeating: "<p>24</p>\n", count: 8_000)

  private var site: WebSite { site(headTime: .seconds(30)) }

  private func site(headTime: Duration) -> WebSite {
    WebSite(files: ["/": WebFile("text/html; charset=utf-8", page)], headTime: headTime)
  }

  @Test func `a file is sent whole, and the connection ends`() async throws {
    try await withSite(site) { listener in
      let answer = try await listener.reachRaw().ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(
        answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n" + page))
      let head = try await listener.reachRaw().ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(head + page == answer)
      try await until { listener.metrics.connections == 0 }
      #expect(listener.metrics.admitted == 0 && listener.metrics.malformed == 0)
    }
  }

  @Test(arguments: [
    ("GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404), ("PUT / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421), ("GET / HTTP/1.1\nHost: localhost\n\n", 400),
    ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nGET ", 400), ("SSH-2.0-OpenSSH_9.2\r\n", 408),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400), ("GET / HTTP/1.0\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400), ("HELO mail\r\n", 408),
    ("GET /" + String(repeating: "a", count: 100_000), 414),
    ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 100_000), 431),
    ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 2_000), 431), ("GET / HTTP/1.1\r\nHost: local", 408),
    (RawPeer.handshake() + "\u{1}\u{2}", 400), ("GET /socket HTTP/1.1\r\nHost: localhost\r\n\r\n", 426),
  ])
  func `what is not served is refused, and the connection ends`(request: String, status: Int) async throws {
    try await withSite(site(headTime: status == 408 ? .milliseconds(100) : .seconds(30))) { listener in
      let answer = try await listener.reachRaw().ask(request)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(100))")
      #expect(answer.contains("\r\nConnection: close\r\n"))
      #expect(answer.components("HTTP/1.1 ") == 1, "one answer")
      try await until { listener.metrics.connections == 0 }
    }
  }

  @Test func `a request may come in pieces`() async throws {
    try await withSite(site) { listener in
      let peer = try await listener.reachRaw()
      for byte in "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8 {
        try await peer.send([byte])
        await Task.yield()
      }
      #expect(try await peer.readAll().hasSuffix(page))
    }
  }

  @Test func `frames that are too large for their format are refused as without a site`() async throws {
    try await withSite(site) { listener in
      for bytes: [UInt8] in [[0x7F, 0xFF, 0xFF, 0xFF], [0x00, 0x10, 0x00, 0x00], [0x16, 0x03, 0x01, 0x02]] {
        let peer = try await listener.reachRaw()
        try await peer.send(bytes)
        #expect(try await listener.accept().failure()?.code == .frameTooLarge)
      }
    }
  }

  @Test func `whoever comes and goes leaves nothing`() async throws {
    try await withSite(site) { listener in
      for bytes in ["", "G", "GET / HTT", RawPeer.handshake(), "\u{0}\u{0}\u{0}\u{1}a"] {
        let peer = try await listener.reachRaw()
        if !bytes.isEmpty { try await peer.send(bytes) }
        await peer.connection.close()
        let other = try await listener.reachRaw()
        if !bytes.isEmpty { try await other.send(bytes) }
        other.connection.abort()
      }
      try await until { listener.metrics.connections <= 4 }
      await listener.close()
      try await until { listener.metrics.connections == 0 }
    }
  }
}

extension String {
  fileprivate func components(_ separator: String) -> Int { ranges(of: separator).count }
}
