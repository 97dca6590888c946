import Foundation
import FramedTransport
import FramedWebSockets
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

/// Answers that are made when they are asked for.
@Suite(.timeLimit(.minutes(1))) struct HandlerTests {
  private func request(_ target: String, method: String = "GET") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
  }

  private struct Trouble: Error {}

  @Test func `a handler sees the target, and its answer is sent whole`() async throws {
    let site = WebSite(handlers: [
      "/health": { request in
        #expect(request.path == "/health" && request.host == "localhost")
        return .json(Array("{\"of\":\"\(request.parameter("of") ?? "")\"}".utf8))
      }
    ])
    try await withSite(site) { listener in
      let answer = try await listener.reachRaw().ask(request("/health?of=24&x"))
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n"))
      #expect(answer.contains("\r\nCache-Control: no-store\r\n") && answer.contains("\r\nConnection: close\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n{\"of\":\"24\"}"))
      let head = try await listener.reachRaw().ask(request("/health?of=24", method: "HEAD"))
      #expect(head + "{\"of\":\"24\"}" == answer)
      try await until { listener.metrics.connections == 0 }
      #expect(listener.metrics.admitted == 0)
    }
  }

  @Test func `a handler sees the method and the address of its client`() async throws {
    let seen = Locked<[WebRequest]>([])
    let site = WebSite(handlers: [
      "/who": { request in
        seen.withLock { $0.append(request) }
        return .text(request.peer.host)
      }
    ])
    try await withSite(site) { listener in
      for (family, host) in [(SocketAddress.Family.ipv4, "127.0.0.1"), (.ipv6, "::1")] {
        for method in ["GET", "HEAD"] {
          let peer = try await listener.reachRaw(from: family)
          let address = peer.connection.local
          let content = method == "GET" ? host : ""
          #expect(try await peer.ask(request("/who", method: method)).hasSuffix("\r\n\r\n\(content)"))
          let request = try #require(seen.withLock { $0.last })
          #expect(request.method == method && request.peer == address && request.peer.host == host)
        }
      }
      #expect(seen.withLock { Set($0).count } == 4)
    }
  }

  @Test func `a handler chooses the status, and what it throws is 500`() async throws {
    let site = WebSite(handlers: [
      "/away": { _ in .text("away\n", status: 503) }, "/teapot": { _ in .text("", status: 418) },
      "/fails": { _ in throw Trouble() },
    ])
    try await withSite(site) { listener in
      #expect(try await listener.reachRaw().ask(request("/away")).hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
      #expect(try await listener.reachRaw().ask(request("/teapot")).hasPrefix("HTTP/1.1 418 \r\n"))
      let failed = try await listener.reachRaw().ask(request("/fails"))
      #expect(failed.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n") && !failed.contains("Trouble"))
      let head = try await listener.reachRaw().ask(request("/fails", method: "HEAD"))
      #expect(head.hasPrefix("HTTP/1.1 500 ") && head.hasSuffix("\r\n\r\n"))
    }
  }

  @Test(arguments: [
    ("POST", "/health", "\r\n", 405), ("GET", "/health/", "\r\n", 404), ("HEAD", "/other", "\r\n", 404),
    ("GET", "/health", "Content-Length: 2\r\n\r\n{}", 400),
    ("GET", "/health", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("GET", "/health", "\r\nmore", 400),
  ])
  func `a handler is called only for a request without content`(method: String, target: String, rest: String, status: Int)
    async throws
  {
    let calls = Locked(0)
    let site = WebSite(handlers: [
      "/health": { _ in
        calls.withLock { $0 += 1 }
        return .text("")
      }
    ])
    try await withSite(site) { listener in
      let answer = try await listener.reachRaw().ask("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(rest)")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      if method == "HEAD" { #expect(answer.hasSuffix("\r\n\r\n")) }
      if status == 405 { #expect(answer.contains("\r\nAllow: GET, HEAD\r\n")) }
      #expect(calls.withLock { $0 } == 0)
    }
  }

  @Test func `at most so many handlers run at a time, and others are refused at once`() async throws {
    let entered = Locked(0)
    let gate = Gate()
    let site = WebSite(
      handlers: [
        "/slow": { _ in
          entered.withLock { $0 += 1 }
          await gate.wait()
          return .text("slow")
        }
      ], handlerLimits: WebHandlerLimits(count: 2, timeLimit: .seconds(600)))
    try await withSite(site) { listener in
      let (first, second) = (try await listener.reachRaw(), try await listener.reachRaw())
      for peer in [first, second] { try await peer.send(request("/slow")) }
      try await until { entered.withLock { $0 } == 2 }
      let refused = try await listener.reachRaw().ask(request("/slow"))
      #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("\r\nRetry-After: 1\r\n"))
      await gate.open()
      #expect(try await first.readAll().hasSuffix("\r\n\r\nslow"))
      #expect(try await second.readAll().hasSuffix("\r\n\r\nslow"))
      #expect(try await listener.reachRaw().ask(request("/slow")).hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func `one address does not take the places of others, nor a slow path those of other paths`() async throws {
    let entered = Locked(0)
    let gate = Gate()
    let site = WebSite(
      handlers: [
        "/slow": { _ in
          entered.withLock { $0 += 1 }
          await gate.wait()
          return .text("slow")
        }, "/health": { _ in .text("fine") },
      ], handlerLimits: WebHandlerLimits(count: 5, countPerAddress: 3, timeLimit: .seconds(600)))
    try await withSite(site) { listener in
      func ask(_ target: String, _ family: SocketAddress.Family) async throws -> RawPeer {
        let peer = try await listener.reachRaw(from: family)
        try await peer.send(request(target))
        return peer
      }
      let waiting = [
        try await ask("/slow", .ipv4), try await ask("/slow", .ipv4), try await ask("/slow", .ipv4),
      ]
      try await until { entered.withLock { $0 } == 3 }
      #expect(try await ask("/slow", .ipv4).readAll().hasPrefix("HTTP/1.1 503 "))
      #expect(try await ask("/health", .ipv4).readAll().hasPrefix("HTTP/1.1 503 "))
      let other = try await ask("/slow", .ipv6)
      try await until { entered.withLock { $0 } == 4 }
      #expect(try await ask("/slow", .ipv6).readAll().hasPrefix("HTTP/1.1 503 "))
      #expect(try await ask("/health", .ipv6).readAll().hasSuffix("\r\n\r\nfine"))
      await gate.open()
      for peer in waiting + [other] { #expect(try await peer.readAll().hasSuffix("\r\n\r\nslow")) }
    }
  }

  @Test func `a handler that takes too long is cancelled, and keeps its place until it returns`() async throws {
    let cancelled = Locked(false)
    let gate = Gate()
    let site = WebSite(
      handlers: [
        "/stubborn": { _ in
          await withTaskCancellationHandler {
            await gate.wait()
          } onCancel: {
            cancelled.withLock { $0 = true }
          }
          return .text("overdue")
        }
      ], handlerLimits: WebHandlerLimits(count: 1, timeLimit: .milliseconds(50)))
    try await withSite(site) { listener in
      let answer = try await listener.reachRaw().ask(request("/stubborn"))
      #expect(answer.hasPrefix("HTTP/1.1 503 ") && !answer.contains("overdue"))
      #expect(cancelled.withLock { $0 })
      let other = try await listener.reachRaw().ask(request("/stubborn"))
      #expect(other.contains("Too many requests"), "\(other)")
      await gate.open()
      // The place is free again once the handler has returned.
      while try await !listener.reachRaw().ask(request("/stubborn")).hasPrefix("HTTP/1.1 200 ") {}
    }
  }

  @Test func `a client that is gone cancels its handler`() async throws {
    let entered = Locked(false)
    let cancelled = Locked(false)
    let site = WebSite(
      handlers: [
        "/slow": { _ in
          entered.withLock { $0 = true }
          await untilCancelled()
          cancelled.withLock { $0 = Task.isCancelled }
          return .text("")
        }
      ], handlerLimits: WebHandlerLimits(timeLimit: .seconds(600)))
    try await withSite(site) { listener in
      let peer = try await listener.reachRaw()
      try await peer.send(request("/slow"))
      try await until { entered.withLock { $0 } }
      peer.connection.abort()
      try await until { cancelled.withLock { $0 } && listener.metrics.connections == 0 }
    }
  }

  @Test func `a client that has ended its side still gets the answer`() async throws {
    let gate = Gate()
    let site = WebSite(
      handlers: [
        "/slow": { _ in
          await gate.wait()
          return .text("for you")
        }
      ], handlerLimits: WebHandlerLimits(timeLimit: .seconds(600)))
    try await withSite(site) { listener in
      let script = """
        import socket
        peer = socket.create_connection(("127.0.0.1", \(listener.port)), 30)
        peer.sendall(b"GET /slow HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
        peer.shutdown(socket.SHUT_WR)
        print("ended", flush=True)
        print(peer.makefile().read().splitlines()[-1])
        """
      let peer = try ChildProcess("/usr/bin/python3", ["-c", script])
      defer { peer.signal(9) }
      let output = peer.output
      #expect(try await blocking { try output.read(upToCount: 6) } == Data("ended\n".utf8))
      await gate.open()
      #expect(try await blocking { String(decoding: output.readDataToEndOfFile(), as: UTF8.self) } == "for you\n")
    }
  }

  @Test func `an answer that is too large is not sent`() async throws {
    let site = WebSite(
      handlers: ["/large": { _ in .text(String(repeating: "a", count: 101)) }],
      handlerLimits: WebHandlerLimits(largestReply: 100))
    try await withSite(site) { listener in
      let answer = try await listener.reachRaw().ask(request("/large"))
      #expect(answer.hasPrefix("HTTP/1.1 500 ") && !answer.contains("aaa"))
    }
  }

  @Test func `the listener's log tells of a handler's error, which the client does not see`() async throws {
    let messages = Locked<[LogMessage]>([])
    let site = WebSite(handlers: ["/fails": { _ in throw Trouble() }])
    let listener = try await Listener.bind(interface: "lo", limits: .untimed, security: .plaintext(serving: site)) { message in
      messages.withLock { $0.append(message) }
    }
    _ = try await listener.reachRaw().ask(request("/fails?x=secret"))
    await listener.close()
    let told = try #require(messages.withLock { $0.first { $0.text.contains("handler of /fails") } })
    #expect(told.level == .warning && told.source == "FramedWebSockets" && told.metadata["path"] == "/fails")
    #expect(told.text.contains("Trouble") && !told.text.contains("secret"))
  }

  @Test func `the listener's log tells of an answer that is larger than permitted, and of no other`() async throws {
    let messages = Locked<[LogMessage]>([])
    let site = WebSite(
      handlers: ["/fits": { _ in .text("12345") }, "/large": { _ in .text("123456") }],
      handlerLimits: WebHandlerLimits(largestReply: 5))
    let listener = try await Listener.bind(interface: "lo", limits: .untimed, security: .plaintext(serving: site)) { message in
      messages.withLock { $0.append(message) }
    }
    for path in ["/fits", "/large"] { _ = try await listener.reachRaw().ask(request(path)) }
    await listener.close()
    let told = messages.withLock { $0.filter { $0.text.contains("handler of") } }
    #expect(told.map { $0.metadata["path"] } == ["/large"] && told[0].text.contains("its answer is too large"))
  }

  @Test func `a handler that blocks its thread delays no frames`() async throws {
    let entered = Locked(false)
    let release = Locked(false)
    let site = WebSite(
      handlers: [
        "/blocks": { _ in
          entered.withLock { $0 = true }
          while !release.withLock({ $0 }) {}
          return .text("")
        }
      ], handlerLimits: WebHandlerLimits(timeLimit: .seconds(600)))
    try await withSite(site) { listener in
      let peer = try await listener.reachRaw()
      try await peer.send(request("/blocks"))
      try await until { entered.withLock { $0 } }
      let client = try await listener.reach(.socket())
      let server = try await listener.accept()
      try await client.send(Array("meanwhile".utf8))
      #expect(try await server.next() == Array("meanwhile".utf8))
      release.withLock { $0 = true }
      #expect(try await peer.readAll().hasPrefix("HTTP/1.1 200 "))
    }
  }
}

/// Lets tasks through once it is open.
private actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    guard !isOpen else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
