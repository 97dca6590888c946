import FramedTransport
import FramedWebSockets
import Testing
import TransportTestSupport

/// Many who mean no good, and a few who want to be served meanwhile.
@Suite(.timeLimit(.minutes(2))) struct HostileTests {
  private static let page = WebFile("text/html; charset=utf-8", String(repeating: "<p>24</p>\n", count: 3_000))

  /// What strangers send and then leave as it is: heads that do not end, upgrades that say nothing, and nonsense.
  private static let beginnings: [[UInt8]] =
    [
      "", "G", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", "GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n",
      RawPeer.handshake(), "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 30_000), "GET / HTTP/1.1\nHost: a\n\n",
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ].map { Array($0.utf8) } + [
      Array(RawPeer.handshake().utf8) + [0x81, 0x05, 1, 2, 3], [0, 0, 16, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF],
    ]

  /// A site with a group, in which everything that a member says is told to all.
  private func withParty(
    pending: PendingConnectionLimits, _ body: (Listener) async throws -> Void
  ) async throws {
    let site = WebSite(files: ["/": Self.page], headTime: .seconds(2))
    try await withSite(site, limits: TransportLimits(heartbeat: Heartbeat()), pending: pending) { listener in
      let group = Group()
      async let served: Void = listener.serve { connection in
        do {
          for try await frame in connection.frames {
            group.add(connection)
            try await group.broadcast(frame)
          }
        } catch {}
      }
      try await body(listener)
      await listener.close()
      await served
    }
  }

  /// Plays on a native connection and on a WebSocket at once, and fetches a page now and then.
  private func play(_ listener: Listener, rounds: Int) async throws {
    let limits = TransportLimits(heartbeat: Heartbeat())
    let honest = listener.addresses.filter { $0.family == .ipv4 }
    let native = try await Connection.connect(to: honest, limits: limits)
    let web = try await Connection.connect(to: honest, limits: limits, security: try .socket())
    for connection in [native, web] {
      try await connection.send(Array("here".utf8))
      // Whoever was there before hears it, too.
      while try await connection.next() != Array("here".utf8) {}
    }
    #expect(try await native.next() == Array("here".utf8))
    for round in 0..<rounds {
      let said = Array("round \(round)".utf8)
      try await (round % 2 == 0 ? native : web).send(said)
      for connection in [native, web] { #expect(try await connection.next() == said) }
      guard round % 50 == 0 else { continue }
      let answer = try await listener.reachRaw(from: .ipv4).ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(answer.hasSuffix("</p>\n"))
    }
    await native.close()
    await web.close()
  }

  @Test func `a thousand half-open upgrades from one address disturb nobody`() async throws {
    try await withParty(pending: .standard) { listener in
      var strangers: [RawPeer] = []
      async let played: Void = play(listener, rounds: 300)
      for number in 0..<1_000 {
        guard let peer = try? await listener.reachRaw(from: .ipv6) else { continue }
        // Refused ones are reset, perhaps while they send.
        try? await peer.send(Self.beginnings[number % Self.beginnings.count])
        // A stranger that is let go of would be gone.
        strangers.append(peer)
        if strangers.count > 200 { strangers.removeFirst().connection.abort() }
      }
      try await played
      let counters = listener.metrics
      #expect(counters.refusedFromAddress > 500)
      #expect(counters.pending <= 64)
      strangers = []
    }
  }

  @Test func `where strangers come from many addresses, the newest of them make room`() async throws {
    let pending = PendingConnectionLimits(count: 16, countPerAddress: nil, timeLimit: .seconds(20))
    try await withParty(pending: pending) { listener in
      var strangers: [RawPeer] = []
      async let played: Void = play(listener, rounds: 300)
      for number in 0..<1_000 {
        let peer = try await listener.reachRaw(from: .ipv6)
        try? await peer.send(Self.beginnings[number % Self.beginnings.count])
        strangers.append(peer)
        if strangers.count > 100 { strangers.removeFirst().connection.abort() }
      }
      try await played
      #expect(listener.metrics.pending <= 16)
      strangers = []
    }
  }

  private func echo(_ connection: Connection) async {
    do { for try await frame in connection.frames { try await connection.send(frame) } } catch {}
    await connection.close()
  }

  @Test func `whoever sends a head byte by byte is told that it is too slow`() async throws {
    try await withSite(WebSite(headTime: .milliseconds(300)), pending: .standard) { listener in
      let honest = try await listener.reach(try .socket())
      let server = try await listener.accept()
      async let echoed: Void = echo(server)
      let peer = try await listener.reachRaw()
      // Below the limit of a head.
      let bytes = Array("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "y", count: 7_000))".utf8)
      async let answer = peer.readAll()
      var sent = 0
      while sent < bytes.count, listener.metrics.connections > 1 {
        guard (try? await peer.send([bytes[sent]])) != nil else { break }
        sent += 1
        // The pace: what somebody honest is answered meanwhile. On a slower machine fewer bytes are sent in the same time.
        for _ in 0..<5 {
          try await honest.send([0x61])
          #expect(try await honest.next() == [0x61])
        }
      }
      await honest.close()
      await echoed
      #expect(sent < bytes.count)
      #expect(try await answer.hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test func `a peer that reads nothing costs one frame's rest and is given up`() async throws {
    let limits = TransportLimits(stallTime: .milliseconds(300), keepAlive: nil, silenceLimit: nil)
    try await withSite(limits: limits) { listener in
      let group = Group()
      let peer = try await listener.reachRawSocket()
      let server = try await listener.accept()
      group.add(server, whenSlow: .wait)
      await #expect(throws: TransportError.self) {
        while true {
          try await group.broadcast([UInt8](repeating: 0x61, count: 60_000))
          try await server.send([0x62])
        }
      }
      #expect(await server.failure()?.code == .sendTimedOut)
      peer.connection.abort()
    }
  }

  @Test func `a flood of pings is answered by at most one pong for each read`() async throws {
    try await withSite { listener in
      let peer = try await listener.reachRawSocket()
      let server = try await listener.accept()
      let ping: [UInt8] = [0x89, 0xFD, 0, 0, 0, 0] + [UInt8](repeating: 0x70, count: 125)
      for _ in 0..<200 { try await peer.send([[UInt8]](repeating: ping, count: 100).flatMap { $0 }) }
      try await peer.send(frame: 0x81, [0x61])
      #expect(try await server.next() == [0x61])
      #expect(await server.metrics.bytesSent == 0)
      #expect(await server.metrics.bytesReceived == 5)
      peer.connection.abort()
      server.abort()
    }
  }
}
