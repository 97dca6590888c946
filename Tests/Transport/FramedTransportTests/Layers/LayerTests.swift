import CBonjourishLinux
import FramedCoding
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport
@testable import FramedTransportTesting

/// A layer between socket and frames, as one that encrypts would be, and nothing of it to be seen in a `Connection`.
@Suite(.timeLimit(.minutes(1))) struct LayerTests {
  /// A connection over a layer, and the layer to look at on the loop.
  private struct End: @unchecked Sendable {
    let connection: Connection
    let layer: ScramblingStream

    /// On the loop only.
    init(over lower: any ByteStream, seed: UInt64, limits: TransportLimits, on transportLoop: TransportLoop) throws {
      let anywhere = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
      layer = ScramblingStream(over: lower, on: transportLoop.loop, seed: seed)
      let channel = Channel(layer, peer: anywhere, terms: ChannelTerms(.standard, limits), on: transportLoop)
      channel.start()
      connection = Connection(channel, local: anywhere)
    }
  }

  /// The two ends of what is below the layers.
  private func streams(over medium: Medium, on loop: EventLoop) throws -> [any ByteStream] {
    guard medium == .loopback else {
      let wire = MemoryWire(medium.conditions, on: loop)
      return MemoryLink.Direction.allCases.map { MemoryStream(wire, sending: $0) }
    }
    var ends: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return ends.map { SocketStream(Socket(taking: $0), on: loop) }
  }

  /// The two ends of a pair of streams with a layer over each, for the time of a closure.
  private func withLayers(
    over medium: Medium, seed: UInt64, limits: TransportLimits = .untimed,
    _ body: (_ client: End, _ server: End) async throws -> Void
  ) async throws {
    let transportLoop = try TransportLoop.first(1)[0]
    let (client, server) = try await Task(executorPreference: transportLoop.loop) {
      let streams = try streams(over: medium, on: transportLoop.loop)
      return (
        try End(over: streams[0], seed: seed, limits: limits, on: transportLoop),
        try End(over: streams[1], seed: ~seed, limits: limits, on: transportLoop)
      )
    }.value
    defer {
      client.connection.abort()
      server.connection.abort()
    }
    try await body(client, server)
  }

  private func bodies(_ generator: inout SeededGenerator, count: Int) -> [[UInt8]] {
    (0..<count).map { _ in
      // Mostly small, some larger than all that the layer holds.
      let size = generator.number(in: 0..<(generator.once(in: 200) ? 20_000 : 100))
      var body: [UInt8] = []
      while body.count < size { withUnsafeBytes(of: generator.next()) { body += $0 } }
      return body
    }
  }

  @Test(arguments: Medium.allCases, [1, 2] as [UInt64])
  func `thousands of frames go both ways through a layer, whole and in order`(medium: Medium, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let questions = bodies(&generator, count: 1_500)
    let answers = bodies(&generator, count: 1_500)
    try await withLayers(over: medium, seed: seed) { client, server in
      @Sendable func exchange(_ end: End, sending: [[UInt8]], expecting: [[UInt8]]) async throws {
        async let sent: Void = end.connection.send(contentsOf: sending)
        var frames = end.connection.frames.makeAsyncIterator()
        for body in expecting { #expect(try await frames.next() == body, "seed \(seed)") }
        try await sent
      }
      async let there: Void = exchange(server, sending: answers, expecting: questions)
      try await exchange(client, sending: questions, expecting: answers)
      try await there

      async let closed: Void = client.connection.close(within: .seconds(1000))
      var frames = server.connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == nil)
      await server.connection.close(within: .seconds(1000))
      await closed
      let transportLoop = try TransportLoop.first(1)[0]
      for end in [client, server] {
        let (toldOfRest, renewals) = await Task(executorPreference: transportLoop.loop) {
          (end.layer.toldOfRest, end.layer.renewals)
        }.value
        // Otherwise the layer has not shown what it is for.
        #expect(toldOfRest > 0 && renewals > 0)
      }
    }
  }

  @Test(arguments: Medium.allCases)
  func `everything that was accepted arrives before the end, through a layer that holds some of it`(medium: Medium) async throws
  {
    try await withLayers(over: medium, seed: 5, limits: .untimed(sendHighWater: 16 * 1024 * 1024)) { client, server in
      let body = [UInt8](repeating: 3, count: 10_000)
      for _ in 0..<40 { #expect(try client.connection.trySend(body)) }
      async let closed: Void = client.connection.close(within: .seconds(1000))
      var count = 0
      for try await frame in server.connection.frames where frame == body { count += 1 }
      #expect(count == 40)
      await closed
    }
  }

  @Test(arguments: Medium.allCases)
  func `a sender waits for a reader behind two layers`(medium: Medium) async throws {
    let limits = TransportLimits.untimed(sendHighWater: 64 * 1024, receiveAhead: 64 * 1024)
    try await withLayers(over: medium, seed: 6, limits: limits) { client, server in
      let sender = Task {
        for _ in 0..<70 { try await client.connection.send([UInt8](repeating: 5, count: 10_000)) }
      }
      try await until {
        client.connection.channel.outbound.withLock { !$0.senders.isEmpty }
          && server.connection.channel.inbound.withLock { $0.isPaused }
      }
      var frames = server.connection.frames.makeAsyncIterator()
      for _ in 0..<70 { #expect(try await frames.next()?.count == 10_000) }
      try await sender.value
    }
  }

  @Test(arguments: Medium.allCases)
  func `an end below without the layer's goodbye is an error above`(medium: Medium) async throws {
    try await withLayers(over: medium, seed: 7) { client, server in
      try await client.connection.send([1])
      var frames = server.connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == [1])
      let transportLoop = try TransportLoop.first(1)[0]
      // Without a handler the channel is not told; the stream below ends in order.
      transportLoop.loop.perform { client.layer.close() }
      let error = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(error?.code == .reset)
    }
  }
}
