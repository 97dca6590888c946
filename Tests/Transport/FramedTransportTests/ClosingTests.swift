import CBonjourishLinux
import FramedCoding
import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct ClosingTests {
  @Test(arguments: Medium.allCases)
  func `everything that was accepted arrives before the end`(medium: Medium) async throws {
    try await withPair(
      over: medium, limits: .untimed(sendHighWater: 16 * 1024 * 1024)
    ) { client, server in
      let body = [UInt8](repeating: 3, count: 10_000)
      for _ in 0..<1000 { #expect(try client.trySend(body)) }
      async let closed: Void = client.close(within: .seconds(1000))
      var count = 0
      for try await frame in server.frames where frame == body { count += 1 }
      #expect(count == 1000)
      await closed
    }
  }

  @Test func `a peer that goes on sending gets everything too`() async throws {
    try await withListener { listener in
      let peer = try RawSocket(connectedTo: listener.port)
      let connection = try await listener.accept()
      for _ in 0..<20 { #expect(try connection.trySend([UInt8](repeating: 1, count: 10_000))) }
      async let received = blocking {
        // It sends before it reads, and what it sends is not wanted any more.
        for _ in 0..<200 { try peer.write([UInt8](repeating: 0, count: 5_000)) }
        try peer.finishSending()
        return try peer.readToEnd().count
      }
      await connection.close(within: .seconds(1000))
      #expect(try await received == 20 * 10_004)
    }
  }

  @Test func `what has come and was not read does not turn the end into an error`() async throws {
    try await withRawPeer(limits: .untimed(receiveAhead: 4096)) { peer, connection in
      try peer.write([0, 0, 0x13, 0x88] + [UInt8](repeating: 7, count: 5_000))
      try await until { connection.channel.inbound.withLock { $0.decoder.bufferedByteCount == 5_004 } }
      // This stays in the system, which answers the closing of a socket that holds unread bytes with a reset.
      try peer.write([UInt8](repeating: 0, count: 1_000))
      try await until { connection.channel.inbound.withLock { $0.isPaused } }
      async let received = blocking { try peer.readToEnd() }
      await connection.close(within: .seconds(1000))
      #expect(try await received == [])
    }
  }

  @Test(arguments: Medium.allCases)
  func `closing one side and then the other does not take the time limit`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      try await client.send([1])
      await client.close(within: .seconds(1000))
      await server.close(within: .seconds(1000))
      #expect(client.channel.outbound.withLock { $0.isOver } && server.channel.outbound.withLock { $0.isOver })
    }
  }

  @Test(arguments: Medium.allCases)
  func `after closing nothing is accepted and nothing comes`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      try await server.send([1])
      async let closed: Void = client.close()
      await client.close()
      await closed
      var frames = client.frames.makeAsyncIterator()
      #expect(try await frames.next() == nil)
      #expect(try await client.receiveFrames { _ in } == nil)
      let error = try await #require(throws: TransportError.self) { try await client.send([1]) }
      #expect(error.code == .closed)
      #expect(throws: error) { try client.trySend([1]) }
      await client.close()
    }
  }

  @Test(arguments: Medium.allCases)
  func `a reader that waits is told of the closing`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      let reader = Task {
        var frames = client.frames.makeAsyncIterator()
        return try await frames.next()
      }
      try await until { client.channel.inbound.withLock { $0.reader != nil } }
      await client.close()
      #expect(try await reader.value == nil)
    }
  }

  @Test func `a peer that does not read cannot hold up the closing, and learns what it missed`() async throws {
    try await withRawPeer(limits: TransportLimits.untimed(sendHighWater: 64 * 1024 * 1024)) { peer, connection in
      for _ in 0..<3000 { try #require(try connection.trySend([UInt8](repeating: 1, count: 20_000))) }
      await connection.close(within: .milliseconds(20))
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) {
        try await blocking { try peer.readToEnd() }
      }
    }
  }

  @Test func `closing takes as long as was asked for, and ends at once when the connection is aborted`() async throws {
    let (client, server, link) = try Connection.pair(limits: .untimed)
    await link.hold()
    try await client.send([1])
    let closing = Task { await client.close(within: .seconds(1000)) }
    var deadline: LoopTime?
    while deadline == nil {
      deadline = await withCheckedContinuation { continuation in
        client.channel.loop.perform { continuation.resume(returning: client.channel.closeTimer?.deadline) }
      }
    }
    #expect(try #require(deadline) > .now + .seconds(900))
    client.abort()
    await closing.value
    server.abort()
  }

  @Test(arguments: Medium.allCases)
  func `aborting a connection is an error for the peer`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      client.abort()
      var frames = server.frames.makeAsyncIterator()
      let error = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(error?.code == .reset)
    }
  }

  @Test func `forgetting a connection is an error for the peer`() async throws {
    try await withListener { listener in
      let client = try await Connection.connect(to: listener.addresses)
      _ = try await listener.accept()
      var frames = client.frames.makeAsyncIterator()
      let error = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(error?.code == .reset)
    }
  }

  @Test func `a connection that has ended keeps no memory`() async throws {
    weak var channel: Channel?
    weak var stream: (any ByteStream)?
    try await withPair { client, server in
      (channel, stream) = (client.channel, client.channel.stream)
      try await client.send([1])
      await client.close()
      await server.close()
    }
    try await until { channel == nil && stream == nil }
  }

  @Test func `no descriptor is left behind`() async {
    // In a process of its own, where nobody else opens descriptors.
    await #expect(processExitsWith: .success) {
      func countSockets() throws -> Int {
        try listFolder("/proc/self/fd").compactMap { CInt($0) }.count { descriptor in
          var status = stat()
          return fstat(descriptor, &status) == 0 && status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK)
        }
      }
      let before = try countSockets()
      for round in 0..<20 {
        try await withPair { client, server in
          try await client.send([1, 2, 3])
          switch round % 4 {
          case 0: await client.close()
          case 1: server.abort()
          case 2:
            var frames = server.frames.makeAsyncIterator()
            _ = try await frames.next()
            await server.close()
          default: break
          }
        }
        try await withListener { listener in
          // One that is never taken, and one that is taken and forgotten.
          let first = try await Connection.connect(to: listener.addresses)
          _ = try await listener.accept()
          let second = try await Connection.connect(to: listener.addresses)
          await first.close()
          second.abort()
        }
        _ = try? await Connection.connect(to: [try RawSocket().socketAddress])
      }
      while try countSockets() != before { await Task.yield() }
    }
  }
}
