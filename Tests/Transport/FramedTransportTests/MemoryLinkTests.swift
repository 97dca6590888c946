import FramedCoding
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport
@testable import FramedTransportTesting

@Suite(.timeLimit(.minutes(1))) struct MemoryLinkTests {
  /// The frames that come until the connection ends, and the error that ends it.
  private func rest(of connection: Connection) async -> (frames: [[UInt8]], error: TransportError?) {
    var frames: [[UInt8]] = []
    do throws(TransportError) {
      for try await frame in connection.frames { frames.append(frame) }
      return (frames, nil)
    } catch {
      return (frames, error)
    }
  }

  @Test func `the sides of a pair see each other's addresses`() throws {
    let (client, server, _) = try Connection.pair(limits: .untimed)
    defer {
      client.abort()
      server.abort()
    }
    #expect(client.peer == server.local && server.peer == client.local)
    #expect(client.local.host == "192.0.2.1" && server.local.description == "192.0.2.2:1024")
    #expect(try Connection.pair(limits: .untimed).client.local != client.local)

    let address = try #require(SocketAddress(numericHost: "2001:db8::1", port: 9))
    let (other, otherServer, _) = try Connection.pair(clientAddress: address)
    #expect(other.local == address && otherServer.peer == address)
  }

  /// Something to send over a link of some kind, and a place in it or behind it where something happens.
  private struct Scene {
    var bodies: [[UInt8]] = []
    let size: Int
    let conditions: MemoryLink.Conditions
    let place: Int

    init(seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<30 { bodies.append(generator.bytes(count: generator.number(in: 0..<generator.number(in: 1..<100)))) }
      size = bodies.reduce(0) { $0 + 4 + $1.count }
      conditions = MemoryLink.Conditions(
        window: generator.number(in: 1..<500), largestPiece: generator.once(in: 4) ? 1 : generator.number(in: 1..<200),
        seed: seed)
      place = generator.number(in: 0..<size * 5 / 4)
    }

    /// The frames that are complete at the place, and whether nothing is left over then.
    var beginning: (frames: [[UInt8]], isWhole: Bool) {
      var left = place
      let frames = bodies.prefix { body in
        guard 4 + body.count <= left else { return false }
        left -= 4 + body.count
        return true
      }
      return (Array(frames), left == 0 || frames.count == bodies.count)
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `whatever the pieces and wherever it is cut, what arrives is the beginning of what was sent`(seed: UInt64) async throws {
    let scene = Scene(seed: seed)
    let loss = MemoryLink.Loss.allCases[Int(seed) % 3]
    let (client, server, link) = try Connection.pair(conditions: scene.conditions)
    defer {
      client.abort()
      server.abort()
    }
    await link.cut(loss, afterBytes: scene.place, .toServer)
    let sender = Task {
      try await client.send(contentsOf: scene.bodies)
      if scene.place > scene.size { await client.close(within: .seconds(1000)) }
    }
    let (frames, error) = await rest(of: server)
    // Compared outside, for a failure would print them all.
    let isBeginning = frames == scene.beginning.frames
    #expect(isBeginning, "seed \(seed)")
    if scene.place > scene.size {
      #expect(error == nil, "seed \(seed)")
    } else {
      #expect(error?.errno == loss.errno, "seed \(seed)")
      #expect(await rest(of: client).error?.errno == loss.errno, "seed \(seed)")
    }
    _ = await sender.result
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `wherever one way ends, what arrives is the beginning, and an end inside a frame is an error`(seed: UInt64) async throws
  {
    let scene = Scene(seed: seed)
    let (client, server, link) = try Connection.pair(conditions: scene.conditions)
    defer {
      client.abort()
      server.abort()
    }
    await link.end(.toServer, afterBytes: scene.place)
    // All of it fits below the high-water mark.
    try await client.send(contentsOf: scene.bodies)
    let closing = Task { if scene.place > scene.size { await client.close(within: .seconds(1000)) } }
    let (frames, error) = await rest(of: server)
    let (expected, isWhole) = scene.beginning
    let isBeginning = frames == expected
    #expect(isBeginning, "seed \(seed)")
    #expect(error?.code == (isWhole ? nil : .truncated), "seed \(seed)")
    await closing.value
  }

  @Test func `what is held arrives when it is released, and so much of it as is let through`() async throws {
    let (client, server, link) = try Connection.pair(limits: .untimed)
    defer {
      client.abort()
      server.abort()
    }
    await link.hold()
    try await client.send([1, 2, 3])
    try await client.send([4, 5])
    try await server.send([6])
    #expect(await link.traffic(.toServer) == MemoryLink.Traffic(sent: 13, arrived: 0))

    await link.release(bytes: 6, .toServer)
    #expect(await link.traffic(.toServer).arrived == 6)
    #expect(!server.channel.hasFrame)
    await link.release(bytes: 1, .toServer)
    var frames = server.frames.makeAsyncIterator()
    #expect(try await frames.next() == [1, 2, 3])

    await link.release(.toServer)
    #expect(try await frames.next() == [4, 5])
    #expect(await link.traffic(.toClient) == MemoryLink.Traffic(sent: 5, arrived: 0))
    await link.release()
    var answers = client.frames.makeAsyncIterator()
    #expect(try await answers.next() == [6])
  }

  @Test func `a silent link takes no more than its window, and nothing is lost by the silence`() async throws {
    let limits = TransportLimits.untimed(sendHighWater: 1_000)
    let (client, server, link) = try Connection.pair(limits: limits, conditions: .init(window: 500))
    defer {
      client.abort()
      server.abort()
    }
    await link.hold(.toServer)
    let sender = Task { for number in 0..<200 as Range<UInt8> { try await client.send([UInt8](repeating: number, count: 96)) } }
    try await until { client.channel.outbound.withLock { !$0.senders.isEmpty } }
    #expect(await link.traffic(.toServer) == MemoryLink.Traffic(sent: 500, arrived: 0))
    await link.release()
    var frames = server.frames.makeAsyncIterator()
    for number in 0..<200 as Range<UInt8> { #expect(try await frames.next() == [UInt8](repeating: number, count: 96)) }
    try await sender.value
  }

  @Test(arguments: [
    (MemoryLink.Loss.reset, TransportError.Code.reset), (.timedOut, .timedOut), (.unreachable, .unreachable),
  ])
  func `a lost link is an error for both sides, in both directions`(loss: MemoryLink.Loss, code: TransportError.Code)
    async throws
  {
    let (client, server, link) = try Connection.pair(limits: .untimed)
    defer {
      client.abort()
      server.abort()
    }
    try await client.send([1])
    await link.cut(loss)
    #expect(await rest(of: client).error?.code == code)
    let (frames, error) = await rest(of: server)
    #expect(frames == [[1]])
    #expect(error?.code == code)
    for connection in [client, server] {
      let error = await #expect(throws: TransportError.self) { try await connection.send([2]) }
      #expect(error?.code == code)
      await connection.close(within: .seconds(1000))
    }
  }

  @Test func `what a task on the loop asks of the link comes after what it sent`() async throws {
    let (client, server, link) = try Connection.pair(limits: .untimed)
    defer {
      client.abort()
      server.abort()
    }
    try await Task(executorPreference: client.executor) {
      try await client.send([1])
      await link.cut()
    }.value
    #expect(await rest(of: server).frames == [[1]])
  }

  @Test func `one way can end and the other go on`() async throws {
    let (client, server, link) = try Connection.pair(limits: .untimed)
    defer {
      client.abort()
      server.abort()
    }
    try await client.send([1])
    await link.end(.toServer)
    #expect(await rest(of: server) == ([[1]], nil))
    // Nobody hears it, and nobody is told.
    for _ in 0..<100 { try await client.send([UInt8](repeating: 2, count: 60_000)) }
    try await server.send([3])
    await server.close(within: .seconds(1000))
    #expect(await rest(of: client) == ([[3]], nil))
  }

  @Test func `closing while the link is held is not noticed until it is released`() async throws {
    let (client, server, link) = try Connection.pair(limits: .untimed)
    defer {
      client.abort()
      server.abort()
    }
    await link.hold()
    try await client.send([1])
    // With something on its way, closing takes the time it may take.
    await client.close(within: .milliseconds(1))
    #expect(!server.channel.hasFrame)
    await link.release()
    #expect(await rest(of: server) == ([[1]], nil))
  }

  @Test func `sending to a side that has closed is refused, and its end stays an end`() async throws {
    let (client, server, _) = try Connection.pair(limits: .untimed)
    defer {
      client.abort()
      server.abort()
    }
    await server.close()
    let error = await #expect(throws: TransportError.self) {
      while true {
        try await client.send([1])
        await Task.yield()
      }
    }
    #expect(error?.code == .reset)
    #expect(await rest(of: client) == ([], nil))
  }

  @Test func `a connection that is forgotten is an error for the other, though the link is kept`() async throws {
    var pair: (client: Connection, server: Connection)?
    let link: MemoryLink
    (pair, link) = try {
      let (client, server, link) = try Connection.pair(limits: .untimed)
      return ((client, server), link)
    }()
    let client = try #require(pair?.client)
    pair = nil
    #expect(await rest(of: client).error?.code == .reset)
    // A link whose ends have gone has nothing to lose.
    await link.cut()
    #expect(await link.traffic(.toClient).sent == 0)
  }

  @Test func `a connection in memory takes the time of its link`() async throws {
    let (client, server, _) = try Connection.pair(conditions: .init(delay: .milliseconds(3)))
    defer {
      client.abort()
      server.abort()
    }
    let start = ContinuousClock.now
    try await client.send([1])
    async let closed: Void = client.close(within: .seconds(1000))
    var frames = server.frames.makeAsyncIterator()
    #expect(try await frames.next() == [1])
    #expect(ContinuousClock.now - start >= .milliseconds(3))
    #expect(try await frames.next() == nil)
    await server.close(within: .seconds(1000))
    await closed
  }

  @Test func `pairs leave no memory behind`() async throws {
    weak var channel: Channel?
    weak var stream: (any ByteStream)?
    do {
      let (client, server, link) = try Connection.pair(limits: .untimed)
      (channel, stream) = (client.channel, client.channel.stream)
      try await client.send([1])
      await link.hold()
      try await server.send([2])
      await client.close(within: .zero)
    }
    try await until { channel == nil && stream == nil }
  }
}
