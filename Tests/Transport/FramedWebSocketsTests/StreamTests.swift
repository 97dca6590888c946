import CBonjourishLinux
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport
@testable import FramedTransportTesting
@testable import FramedWebSockets

/// The stream between two others, over links that cut everything into pieces.
@Suite(.timeLimit(.minutes(2))) struct StreamTests {
  static let conditions = [
    MemoryLink.Conditions(), .init(window: 9_000, largestPiece: 6_000, seed: 24), .init(window: 100, largestPiece: 1, seed: 3),
  ]

  private let address = SocketAddress(numericHost: "192.0.2.1", port: 7)!

  /// Two connections over a link in memory: a listener's, and a client's over a WebSocket or without.
  private func withLayers(
    _ conditions: MemoryLink.Conditions, isNative: Bool,
    _ body: (_ client: Connection, _ server: Connection) async throws -> Void
  ) async throws {
    let transportLoop = try TransportLoop.first(1)[0]
    let client: ConnectionSecurity = isNative ? .plaintext : try .socket("/socket", .binary)
    let server = ListenerSecurity.plaintext(serving: WebSite(messages: .binary))
    let ends = await Task(executorPreference: transportLoop.loop) {
      let wire = MemoryWire(conditions, on: transportLoop.loop)
      return [(server.layer, MemoryLink.Direction.toClient), (client.layer, .toServer)].map { layer, direction in
        var stream: any ByteStream = MemoryStream(wire, sending: direction)
        let terms = StreamTerms(.standard, .untimed, largestFrame: 65_536)
        if let layer { stream = layer.wrap(stream, peer: address, terms: terms, on: transportLoop) }
        return Connection(
          over: stream, peer: address, local: address, format: .standard, limits: .untimed, on: transportLoop)
      }
    }.value
    defer { for end in ends { end.abort() } }
    try await body(ends[1], ends[0])
  }

  private static func bodies(_ seed: UInt64, _ count: Int) -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let most = Int.random(in: 0..<100, using: &generator) == 0 ? 65_536 : 300
      let size = Int.random(in: 0...(count < 100 ? 150 : most), using: &generator)
      return (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ size) }
    }
  }

  @Test(arguments: conditions, [false, true])
  func `thousands of frames go both ways, whole and in order`(conditions: MemoryLink.Conditions, isNative: Bool) async throws {
    let count = conditions.largestPiece == 1 ? 60 : 1_500
    try await withLayers(conditions, isNative: isNative) { client, server in
      // A native peer must send first, and so must the other be heard before the server can answer.
      try await client.send([1])
      #expect(try await server.next() == [1])
      @Sendable func exchange(_ connection: Connection, _ seed: UInt64, _ other: UInt64) async throws {
        async let sent: Void = connection.send(contentsOf: Self.bodies(seed, count))
        var frames = connection.frames.makeAsyncIterator()
        for body in Self.bodies(other, count) { #expect(try await frames.next() == body) }
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

  @Test func `everything that was accepted arrives before the end`() async throws {
    try await withLayers(.init(window: 9_000, largestPiece: 6_000, seed: 5), isNative: false) { client, server in
      try await client.send([1])
      #expect(try await server.next() == [1])
      let body = [UInt8](repeating: 3, count: 60_000)
      for _ in 0..<4 { #expect(try server.trySend(body)) }
      async let closed: Void = server.close(within: .seconds(1000))
      var count = 0
      for try await frame in client.frames where frame == body { count += 1 }
      #expect(count == 4)
      await client.close()
      await closed
    }
  }

  @Test func `a broadcast for which there is no room leaves in parts, whole and in order`() async throws {
    try await withLayers(.init(window: 9_000, largestPiece: 6_000, seed: 7), isNative: false) { client, server in
      try await client.send([1])
      #expect(try await server.next() == [1])
      let group = Group()
      group.add(server, whenSlow: .wait)
      let bodies = (0..<60).map { [UInt8](repeating: UInt8($0), count: 700 + $0 * 71) }
      for body in bodies { #expect(try group.tryBroadcast(body)) }
      for body in bodies { #expect(try await client.next() == body) }
    }
  }

  /// The form of a batch of frames with bodies of these sizes, and what of it is taken when so many bytes have left.
  private func batch(
    _ sizes: [Int], _ opcode: WebSocketOpcode, hasHeartbeat: Bool, sent: [Int] = []
  ) async throws -> (bytes: [UInt8], taken: [[Int]]) {
    let transportLoop = try TransportLoop.first(1)[0]
    return await Task(executorPreference: transportLoop.loop) {
      var batch: [UInt8] = []
      for size in sizes {
        batch += [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)]
        batch += [UInt8](repeating: 7, count: size)
      }
      return batch.withUnsafeMutableBytes { bytes in
        // In two pieces, which do not end where a frame does.
        let half = bytes.count / 2
        var vectors = [
          iovec(iov_base: bytes.baseAddress, iov_len: half),
          iovec(iov_base: bytes.baseAddress! + half, iov_len: bytes.count - half),
        ]
        return vectors.withUnsafeMutableBufferPointer { pieces in
          let form = WebBatch(pieces, opcode, FrameFormat.standard.lengthPrefix!, hasHeartbeat: hasHeartbeat)
          let taken = sent.map { form.taken($0) }
          return (form.bytes, taken.map { [$0.count, $0.frameEnd] })
        }
      }
    }.value
  }

  @Test func `a batch of broadcasts is taken in whole frames`() async throws {
    // Between two frames, at their ends, and inside each.
    let (bytes, taken) = try await batch(
      [0, 5, 200, 70_000], .binary, hasHeartbeat: false, sent: [0, 1, 2, 3, 9, 10, 213, 214, 70_223])
    #expect(bytes.count == 70_223)
    let expected = [
      [0, 0], [4, 2], [4, 2], [13, 9], [13, 9], [217, 213], [217, 213], [70_221, 70_223], [70_221, 70_223],
    ]
    #expect(taken == expected)
  }

  @Test func `an empty frame of a batch is a ping where there are heartbeats`() async throws {
    for (opcode, first) in [(WebSocketOpcode.text, UInt8(0x81)), (.binary, 0x82)] {
      #expect(try await batch([0, 1], opcode, hasHeartbeat: true).bytes == [0x89, 0, first, 1, 7])
      #expect(try await batch([0, 1], opcode, hasHeartbeat: false).bytes == [first, 0, first, 1, 7])
    }
  }
}
