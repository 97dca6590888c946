import Foundation
import FramedTransport
import FramedWebSockets
import TestSupport
import Testing
import TransportTestSupport

/// Programs of others at the other end: python3-websockets, as a client and as a server.
@Suite(.timeLimit(.minutes(2))) struct ForeignPeerTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peers/echo.py").path

  private func expect(_ output: String, _ arguments: String...) async throws {
    let result = try await blocking {
      try ChildProcess.run("/usr/bin/timeout", ["60", "/usr/bin/python3", Self.script] + arguments)
    }
    #expect(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
    #expect(String(decoding: result.output, as: UTF8.self) == output)
  }

  @Test func `a client of theirs speaks with a listener of ours`() async throws {
    try await withSite(WebSite(subprotocols: ["echo"])) { listener in
      async let served: Void = listener.serve { connection in
        do { for try await frame in connection.frames { try await connection.send(frame) } } catch {}
      }
      try await expect("done\n", "ask", "\(listener.port)", "/socket?a=b")
      try await expect("403\n", "refused", "\(listener.port)", "/socket", "http://evil.example")
      try await expect("404\n", "refused", "\(listener.port)", "/other", "http://127.0.0.1:\(listener.port)")
      await listener.close()
      await served
    }
  }

  @Test func `a client of ours speaks with a server of theirs`() async throws {
    let server = try ChildProcess("/usr/bin/python3", [Self.script, "serve"])
    defer { server.signal(9) }
    let output = server.output
    let line = try await blocking { String(decoding: output.availableData, as: UTF8.self) }
    let port = try #require(UInt16(line.trimmingCharacters(in: .newlines)))
    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
    for messages in [WebSocketMessages.text, .binary] {
      let security = try ConnectionSecurity.webSocket(
        host: "127.0.0.1:\(port)", messages: messages, subprotocols: ["none", "echo"])
      let client = try await Connection.connect(to: [address], limits: .untimed, security: security)
      #expect(client.webDetails?.subprotocol == "echo")
      for size in [0, 1, 125, 126, 127, 65_535, 65_536] {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) & (messages == .text ? 0x7F : 0xFF) }
        try await client.send(body)
        #expect(try await client.next() == body, "\(size)")
      }
      if messages == .text {
        try await client.send(Array("fragments".utf8))
        #expect(try await client.next() == Array("fragments é".utf8))
      }
      await client.close()
      #expect(await client.failure() == nil)
    }
    let security = try ConnectionSecurity.webSocket(host: "127.0.0.1:\(port)")
    let closed = try await Connection.connect(to: [address], limits: .untimed, security: security)
    try await closed.send(Array("close 4001".utf8))
    let error = await closed.failure()
    #expect(error?.webSocketClose?.code.rawValue == 4001 && error?.webSocketClose?.reason == "as asked")
    let refused = try await Connection.connect(to: [address], limits: .untimed, security: security)
    try await refused.send([0xC3, 0x28])
    #expect(await refused.failure()?.webSocketClose?.code == .invalidText)
    let heard = try await Connection.connect(
      to: [address], limits: TransportLimits(heartbeat: Heartbeat(interval: .milliseconds(20), timeout: .milliseconds(500))),
      security: security)
    // Meanwhile only pongs keep it open.
    try await heard.send(Array("after a second".utf8))
    #expect(try await heard.next() == Array("still there".utf8))
    await heard.close()
  }
}
