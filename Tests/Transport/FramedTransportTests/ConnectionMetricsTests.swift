import FramedTransportTesting
import Testing
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct ConnectionMetricsTests {
  @Test(arguments: [false, true])
  func `frames and bytes are counted in both directions`(onLoop: Bool) async throws {
    try await withPair { client, server in
      let sizes = [0, 1, 100, 20_000, 3]
      try await client.send(contentsOf: sizes.map { [UInt8](repeating: 7, count: $0) })
      let take: @Sendable () async throws -> Void = { () async throws in
        var frames = server.frames.makeAsyncIterator()
        for size in sizes { #expect(try await frames.next()?.count == size) }
      }
      if onLoop { try await Task(executorPreference: server.executor) { try await take() }.value } else { try await take() }
      let bytes = UInt64(sizes.reduce(0) { $0 + 4 + $1 })
      let (sent, received) = await (client.metrics, server.metrics)
      #expect(sent.framesSent == 5 && sent.bytesSent == bytes && sent.bytesWaiting == 0)
      #expect(received.framesReceived == 5 && received.bytesReceived == bytes)
      #expect(received.framesSent == 0 && received.bytesSent == 0)
    }
  }

  @Test func `frames that are shown in place are counted`() async throws {
    try await withPair { client, server in
      try await client.send(contentsOf: [[1], [2], [3]])
      var count = 0
      while count < 3 { count += try #require(await server.receiveFrames { _ in }) }
      #expect(await server.metrics.framesReceived == 3)
    }
  }

  @Test func `broadcasts of a group are counted in bytes`() async throws {
    try await withPair { client, server in
      let group = Group()
      group.add(server)
      try await group.broadcast([1, 2, 3])
      var frames = client.frames.makeAsyncIterator()
      _ = try await frames.next()
      let metrics = await server.metrics
      #expect(metrics.bytesSent == 7 && metrics.framesSent == 0)
    }
  }

  @Test func `what the peer has no room for is told to wait`() async throws {
    let (client, server, _) = try Connection.pair(conditions: .init(window: 1_000, delay: .seconds(3600)))
    try await client.send([UInt8](repeating: 0, count: 5_000))
    let metrics = await client.metrics
    #expect(metrics.bytesSent == 1_000 && metrics.bytesWaiting == 4_004)
    #expect(await server.metrics.bytesReceived == 0)
    client.abort()
  }

  @Test func `each number of a connection has its name`() {
    let metrics = ConnectionMetrics(
      bytesReceived: 1, bytesSent: .max, framesReceived: 3, framesSent: 4, bytesWaiting: 5, age: .microseconds(6_900),
      idle: .seconds(7))
    let numbers = metrics.list.map { "\($0.name) \($0.labels["direction"] ?? "") \($0.value)" }
    #expect(
      numbers.map { $0.replacing("bonjourish_connection_", with: "") } == [
        "bytes_total in 1", "bytes_total out \(Int.max)", "frames_total in 3", "frames_total out 4", "waiting_bytes  5",
        "age_milliseconds  6", "idle_milliseconds  7000",
      ])
  }

  @Test func `a connection is told by its number and its peer, and counts for its address`() throws {
    let address = try #require(SocketAddress(numericHost: "2001:db8:0:1::7", port: 9))
    let (client, server, _) = try Connection.pair(clientAddress: address)
    #expect("\(server)" == "\(server.id) with [2001:db8:0:1::7]:9" && "\(server.id)".hasPrefix("connection "))
    #expect(Set([client, server, client]).count == 2 && client.id != server.id)
    #expect(server.peerBlock.description == "2001:db8:0:1::/64")
    client.abort()
  }

  @Test func `idleness ends with each byte and age does not`() async throws {
    let (client, server, _) = try Connection.pair()
    let first = await server.metrics
    // The clock is real, so that only comparisons are certain.
    try await client.send([1])
    var frames = server.frames.makeAsyncIterator()
    _ = try await frames.next()
    let second = await server.metrics
    #expect(first.idle == first.age && second.idle < second.age && second.age > first.age)
    client.abort()
  }
}
