import FramedCoding
import FramedJSON
import FramedTransport
import FramedWebSockets
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

/// Connections over WebSockets, which behave as all others do.
@Suite(.timeLimit(.minutes(1))) struct WebConnectionTests {
  @Test func `native and web peers are taken on one port`() async throws {
    try await withSite(WebSite(messages: .binary)) { listener in
      async let served: Void = listener.serve { connection in
        do { for try await frame in connection.frames { try await connection.send(frame) } } catch {}
      }
      for security in [ConnectionSecurity.plaintext, try .socket("/socket?a=1", .binary)] {
        let client = try await listener.reach(security)
        #expect((client.webDetails?.target == nil) == (security.isPlain))
        for size in [0, 1, 125, 126, 4_000, 65_535, 65_536] {
          let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
          try await client.send(body)
          #expect(try await client.next() == body, "\(size)")
        }
        await client.close()
        #expect(await client.failure() == nil)
      }
      #expect(listener.metrics.accepted == 2)
      await listener.close()
      await served
    }
  }

  @Test(arguments: [
    FrameFormat(lengthWidth: .one, maximumBodySize: 30), FrameFormat(lengthWidth: .two, maximumBodySize: 8_000),
    FrameFormat(lengthWidth: .two, byteOrder: .littleEndian, lengthCountsItself: true, maximumBodySize: 8_000),
    FrameFormat(lengthWidth: .four, byteOrder: .littleEndian, lengthCountsItself: true),
    FrameFormat(lengthWidth: .eight, byteOrder: .littleEndian), FrameFormat(lengthWidth: .eight),
  ])
  func `formats with lengths of all kinds go over WebSockets and beside them`(format: FrameFormat) async throws {
    try await withSite(format: format) { listener in
      for security in [ConnectionSecurity.plaintext, try .socket()] {
        let client = try await listener.reach(security, format: format)
        // Those whose length begins with the letter G, which text could begin with, too.
        let sizes = [
          0x47 - (format.lengthPrefix?.countsItself == true ? format.lengthPrefix!.width.rawValue : 0), 1, 0, 300, 7_000,
        ]
        for size in sizes where size <= format.largestBodySize {
          try await client.send([UInt8](repeating: 0x41, count: size))
        }
        let server = try await listener.accept()
        for size in sizes where size <= format.largestBodySize {
          #expect(try await server.next() == [UInt8](repeating: 0x41, count: size))
        }
        client.abort()
        server.abort()
      }
    }
  }

  @Test func `thousands of messages go both ways, whole and in order`() async throws {
    try await withPair { client, server in
      @Sendable func bodies(_ seed: UInt64) -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<2_000).map { _ in
          let size = Int.random(in: 0..<(Int.random(in: 0..<100, using: &generator) == 0 ? 60_000 : 300), using: &generator)
          return (0..<size).map { UInt8(truncatingIfNeeded: $0 ^ size) & 0x7F }
        }
      }
      @Sendable func exchange(_ connection: Connection, _ seed: UInt64, _ other: UInt64) async throws {
        async let sent: Void = connection.send(contentsOf: bodies(seed))
        var frames = connection.frames.makeAsyncIterator()
        for body in bodies(other) { #expect(try await frames.next() == body) }
        try await sent
      }
      async let there: Void = exchange(server, 1, 2)
      try await exchange(client, 2, 1)
      try await there
      async let closed: Void = client.close(within: .seconds(1000))
      #expect(try await server.next() == nil)
      await server.close(within: .seconds(1000))
      await closed
    }
  }

  @Test func `a handshake tells the target, and a subprotocol is agreed on`() async throws {
    try await withSite(WebSite(subprotocols: ["two", "one"])) { listener in
      let security = try ConnectionSecurity.socket(
        "/socket?token=9Q2-K4&seat=3", origin: "http://localhost", subprotocols: ["one", "two"])
      let client = try await listener.reach(security)
      let server = try await listener.accept()
      let details = try #require(server.webDetails)
      #expect(details.parameter("token") == "9Q2-K4" && details.parameter("seat") == "3")
      #expect(details.origin == "http://localhost" && details.host == "localhost" && details.subprotocol == "two")
      #expect(client.webDetails == details)
      client.abort()
      server.abort()
    }
  }

  @Test func `a broadcast reaches native and web members alike, in order`() async throws {
    for loops in [TransportLoops.one, TransportLoops(2)] {
      try await withSite(on: loops) { listener in
        let group = Group()
        let securities = [ConnectionSecurity.plaintext, try .socket(), .plaintext, try .socket(), try .socket()]
        var clients: [Connection] = []
        var servers: [Connection] = []
        for security in securities {
          let client = try await listener.reach(security)
          try await client.send([0x68])
          let server = try await listener.accept()
          #expect(try await server.next() == [0x68])
          group.add(server, whenSlow: .wait)
          clients.append(client)
          servers.append(server)
        }
        let bodies = (0..<400).map { [UInt8](repeating: UInt8($0 & 0x7F), count: $0 * 37 % 9_000) }
        async let sent: Void = group.broadcast(contentsOf: bodies)
        for (number, client) in clients.enumerated() {
          var frames = client.frames.makeAsyncIterator()
          for body in bodies { #expect(try await frames.next() == body, "member \(number)") }
        }
        try await sent
        for connection in clients + servers { connection.abort() }
      }
    }
  }

  @Test func `a broadcast reaches members of two sites, each in the kind of its site`() async throws {
    try await withSite { texts in
      try await withSite(WebSite(messages: .binary)) { bytes in
        let group = Group()
        var members: [(peer: RawPeer, server: Connection)] = []
        for listener in [texts, bytes, texts] {
          members.append((try await listener.reachRawSocket(), try await listener.accept()))
          group.add(members[members.count - 1].server, whenSlow: .wait)
        }
        try await group.broadcast([0x61, 0x62])
        for (member, first) in zip(members, [0x81, 0x82, 0x81] as [UInt8]) {
          #expect(try await member.peer.readFrame() == (first, [0x61, 0x62]))
          for connection in [member.peer.connection, member.server] { connection.abort() }
        }
      }
    }
  }

  @Test func `a slow web member gets every broadcast, and its own frames between them`() async throws {
    try await withSite { listener in
      let group = Group(backlogLimit: 8 * 1024 * 1024)
      let client = try await listener.reach(try .socket())
      let server = try await listener.accept()
      group.add(server, whenSlow: .wait)
      for number in 0..<200 {
        try await group.broadcast([UInt8](repeating: UInt8(number & 0x7F), count: 20_000))
        if number == 100 { try await server.send([0x21]) }
        if number % 20 == 0 { await Task.yield() }
      }
      var frames = client.frames.makeAsyncIterator()
      for number in 0..<200 {
        #expect(try await frames.next() == [UInt8](repeating: UInt8(number & 0x7F), count: 20_000), "\(number)")
        if number == 100 { #expect(try await frames.next() == [0x21]) }
      }
      client.abort()
      server.abort()
    }
  }

  @Test func `typed messages and requests work as over other connections`() async throws {
    try await withPair { client, server in
      let (asker, reader) = (
        MessageConnection(client, codec: JSONCodec<[String: Int]>()),
        MessageConnection(server, codec: JSONCodec<[String: Int]>())
      )
      try await asker.send(["ä": 1])
      var messages = reader.messages.makeAsyncIterator()
      #expect(try await messages.next() == ["ä": 1])
    }
    try await withPair(WebSite(messages: .binary), .binary) { client, server in
      async let answered: Void = server.answerRequests(JSONCodec<Int>(), replies: JSONCodec<Int>()) { number, _ in number * 2 }
      try await client.withRequests(JSONCodec<Int>(), replies: JSONCodec<Int>()) { (peer) async throws in
        for number in 0..<50 { #expect(try await peer.request(number) == 2 * number) }
      }
      try await answered
    }
  }

  @Test func `an app that closes with a reason is heard`() async throws {
    // What must not be sent is an end in order.
    for (code, expected) in [
      (WebSocketCloseCode.policyViolation, TransportError.Code?.some(.closedByPeer)), (.goingAway, nil), (.none, nil),
      (WebSocketCloseCode(rawValue: 1006), nil),
    ] {
      try await withPair { client, server in
        try await server.send([0x61])
        async let closed: Void = server.close(code, "kicked")
        #expect(try await client.next() == [0x61])
        let error = await client.failure()
        #expect(error?.code == expected)
        if expected != nil { #expect(error?.webSocketClose?.code == code && error?.webSocketClose?.reason == "kicked") }
        await client.close()
        await closed
      }
    }
  }

  @Test func `a side that has finished still receives`() async throws {
    try await withPair { client, server in
      client.finishSending()
      #expect(try await server.next() == nil)
      try await server.send([0x61])
      #expect(try await client.next() == [0x61])
      await server.close()
      #expect(try await client.next() == nil)
      await client.close()
    }
  }

  @Test func `a connection that is aborted is an error at the other end`() async throws {
    try await withPair { client, server in
      client.abort()
      #expect(await server.failure()?.code == .reset)
    }
  }

  @Test func `metrics count what passes`() async throws {
    try await withPair { client, server in
      try await client.send([UInt8](repeating: 0x61, count: 100))
      #expect(try await server.next()?.count == 100)
      let metrics = await server.metrics
      #expect(metrics.framesReceived == 1 && metrics.bytesReceived == 104)
    }
  }

  @Test(
    arguments: [
      ("/nothing", nil, 404), ("/socket", "http://evil.example", 403), ("/page", nil, 200),
    ] as [(String, String?, Int)]) func `a refusal tells its status`(target: String, origin: String?, status: Int) async throws
  {
    try await withSite(WebSite(files: ["/page": WebFile("text/plain", "x")])) { listener in
      let error = await #expect(throws: TransportError.self) {
        try await listener.reach(try .socket(target, origin: origin))
      }
      #expect(error?.code == .webSocketRefused && error?.httpStatus == status)
    }
  }

  @Test func `a server that speaks something else is told apart`() async throws {
    let listener = try await Listener.bind(interface: "lo", format: RawBytes.format, limits: .untimed, pending: .unlimited)
    for answer in ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 101 X\r\n\r\n", "\u{0}\u{0}\u{0}\u{5}hello\n", ""] {
      let security = try ConnectionSecurity.socket()
      let reached = Task { () async throws(TransportError) in try await listener.reach(security) }
      let server = try await listener.accept()
      _ = try await server.next()
      if !answer.isEmpty { try await server.send(Array(answer.utf8)) }
      await server.close()
      let error = await #expect(throws: TransportError.self) { try await reached.value }
      #expect(error?.code == .handshakeMalformed, "\(answer)")
    }
    await listener.close()
    #expect(throws: TransportError.self) { try ConnectionSecurity.webSocket(host: "a\r\nX: y") }
  }
}

extension ConnectionSecurity {
  var isPlain: Bool { layer == nil }
}
