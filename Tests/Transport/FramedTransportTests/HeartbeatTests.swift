import FramedCoding
import FramedTransportTesting
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// Connections with a heartbeat. The times are so short that they are always over when they are waited for, or so long that they
/// never are.
@Suite(.timeLimit(.minutes(1))) struct HeartbeatTests {
  private let beating = TransportLimits(
    frameTime: nil, stallTime: nil, heartbeat: Heartbeat(interval: .milliseconds(1), timeout: .seconds(1000)))
  private let silent = TransportLimits(
    frameTime: nil, stallTime: nil, heartbeat: Heartbeat(interval: .seconds(1000), timeout: .seconds(2000)))

  @Test func `an idle connection sends empty frames, which are not delivered`() async throws {
    let (client, server, link) = try Connection.pair(limits: beating)
    for direction in MemoryLink.Direction.allCases {
      while await link.traffic(direction).arrived < 12 { await Task.yield() }
    }
    try await client.send([1])
    client.finishSending()
    #expect(try await server.frames.reduce(into: []) { $0.append($1) } == [[1]])
    await server.close()
  }

  @Test func `frames shown in place are shown without heartbeats`() async throws {
    let (client, server, link) = try Connection.pair(limits: silent)
    for body: [UInt8] in [[], [], [1], [], [2], []] { try await client.send(body) }
    client.finishSending()
    while await link.traffic(.toServer).arrived < 26 { await Task.yield() }
    var shown: [[UInt8]] = []
    while let count = try await server.receiveFrames({ body in shown.append(body.indices.map { body[$0] }) }) {
      #expect(count > 0)
    }
    #expect(shown == [[1], [2]])
    await server.close()
  }

  @Test(arguments: Medium.allCases)
  func `empty frames between others are dropped however they come`(_ medium: Medium) async throws {
    try await withPair(over: medium, limits: silent) { client, server in
      for number in 0..<200 {
        try await client.send([])
        try await client.send([UInt8](repeating: UInt8(number), count: number + 1))
        try await client.send(contentsOf: [[], []])
      }
      client.finishSending()
      var sizes: [Int] = []
      for try await frame in server.frames { sizes.append(frame.count) }
      #expect(sizes == Array(1...200))
    }
  }

  @Test func `a reader on the loop, which takes many frames at once, gets no heartbeats`() async throws {
    try await withPair(over: .memory, limits: silent) { client, server in
      for body: [UInt8] in [[], [1], [], [], [2], [], [3], []] { try await client.send(body) }
      // All but the first, which is dropped at once.
      try await until { server.channel.inbound.withLock { $0.decoder.bufferedByteCount == 31 } }
      let frames = try await withTaskExecutorPreference(server.executor) { try await Self.threeFrames(of: server) }
      #expect(frames == [[1], [2], [3]])
    }
  }

  @concurrent private static func threeFrames(of connection: Connection) async throws -> [[UInt8]] {
    #expect(connection.channel.loop.isCurrent)
    var frames: [[UInt8]] = []
    for try await frame in connection.frames.prefix(3) { frames.append(frame) }
    return frames
  }

  @Test func `a connection without a heartbeat delivers empty frames`() async throws {
    try await withPair(over: .memory) { client, server in
      try await client.send([])
      #expect(try await server.frames.first { _ in true } == [])
    }
  }

  @Test func `messages come without heartbeats between them`() async throws {
    let (client, server, link) = try Connection.pair(limits: beating)
    while await link.traffic(.toServer).arrived < 12 { await Task.yield() }
    let codec = MarshallingCodec<Word>()
    try await MessageConnection(client, codec: codec).send(Word("hello"))
    var messages = MessageConnection(server, codec: codec).messages.makeAsyncIterator()
    #expect(try await messages.next() == Word("hello"))
    client.abort()
  }

  @Test func `a vanished peer ends the connection on both sides`() async throws {
    let limits = TransportLimits(heartbeat: Heartbeat(interval: .milliseconds(1), timeout: .milliseconds(20)))
    let (client, server, link) = try Connection.pair(limits: limits)
    await link.hold()
    for connection in [client, server] {
      let error = try await #require(throws: TransportError.self) { for try await _ in connection.frames {} }
      #expect(error.code == .timedOut)
      #expect(error.description.contains("0.02 seconds"))
      let sendError = await #expect(throws: TransportError.self) { try await connection.send([1]) }
      #expect(sendError?.code == .timedOut)
    }
  }

  @Test func `a peer that has ended its side owes no heartbeat`() async throws {
    let (client, server, _) = try Connection.pair(limits: silent)
    #expect(await isListening(server))
    client.finishSending()
    #expect(try await server.frames.reduce(0) { count, _ in count + 1 } == 0)
    #expect(await !isListening(server))
    #expect(await isListening(client))
    await server.close()
  }

  @Test func `a peer owes no heartbeat while its data are not read`() async throws {
    let limits = TransportLimits(receiveAhead: 1, heartbeat: Heartbeat(interval: .seconds(1000), timeout: .seconds(2000)))
    let (client, server, _) = try Connection.pair(limits: limits)
    try await client.send([1])
    while !server.channel.hasFrame { await Task.yield() }
    try await client.send([2])
    while await isListening(server) { await Task.yield() }
    var frames = server.frames.makeAsyncIterator()
    #expect(try await frames.next() == [1])
    #expect(try await frames.next() == [2])
    #expect(await isListening(server))
    client.abort()
  }

  @Test(arguments: [FrameFormat.varint(), .lines(), .header(prefix: [1, 2])])
  func `heartbeats go over every format that has empty frames`(format: FrameFormat) async throws {
    let (client, server, link) = try Connection.pair(format: format, limits: beating)
    while await link.traffic(.toServer).arrived < 12 { await Task.yield() }
    try await client.send([65])
    client.finishSending()
    #expect(try await server.frames.reduce(into: []) { $0.append($1) } == [[65]])
    await server.close()
  }

  @Test func `a heartbeat is refused where the format has no empty frames`() async {
    await #expect(processExitsWith: .failure) {
      _ = ChannelTerms(.header(fieldsBefore: 1), TransportLimits(heartbeat: Heartbeat()))
    }
  }

  @Test func `a heartbeat admits no connection`() async throws {
    let pending = PendingConnectionLimits(timeLimit: .seconds(1000))
    try await withListener(limits: silent, pending: pending) { listener in
      let peer = try RawSocket(connectedTo: listener.port)
      let connection = try await listener.accept()
      defer { connection.abort() }
      try peer.write([0, 0, 0, 0])
      try await until { listener.metrics.bytesReceived == 4 }
      #expect(listener.metrics.pending == 1)
      try peer.write([0, 0, 0, 0, 0, 0, 0, 1, 7])
      #expect(try await connection.frames.first { _ in true } == [7])
      #expect(listener.metrics.pending == 0)
    }
  }

  private func isListening(_ connection: Connection) async -> Bool {
    await withCheckedContinuation { continuation in
      connection.channel.loop.perform { continuation.resume(returning: connection.channel.isListening) }
    }
  }
}
