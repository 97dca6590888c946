import FramedCoding
import FramedTransportTesting
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct BackPressureTests {
  /// The low-water mark is next to the high-water mark, so that the queue is full when a sender waits: between the marks it
  /// could wait as well, depending on when the system takes how much.
  private let limits = TransportLimits.untimed(
    sendHighWater: 64 * 1024, sendLowWater: 64 * 1024 - 1, receiveAhead: 64 * 1024)
  private let body = [UInt8](repeating: 5, count: 10_000)

  /// More frames than what is between the ends ever holds.
  private func frameCount(_ medium: Medium) -> Int { medium == .loopback ? 6_000 : 200 }

  /// Fills a connection whose peer does not read until `send` suspends, then runs a closure.
  private func withSuspendedSender(
    over medium: Medium,
    _ run: (_ client: Connection, _ server: Connection, _ sender: Task<Int, any Error>) async throws -> Void
  ) async throws {
    try await withPair(over: medium, limits: limits) { client, server in
      let (body, count) = (body, frameCount(medium))
      let sender = Task {
        var sent = 0
        while sent < count {
          try await client.send(body)
          sent += 1
        }
        return sent
      }
      // What goes in small pieces may come to rest between the marks.
      let least = medium == .loopback ? limits.sendHighWater : limits.sendLowWater + 1
      try await until {
        client.channel.outbound.withLock { !$0.senders.isEmpty && $0.byteCount >= least } && isFull(server)
      }
      try await run(client, server, sender)
      sender.cancel()
      _ = await sender.result
    }
  }

  /// Whether the loop has stopped reading because nobody takes what it has read.
  private func isFull(_ connection: Connection) -> Bool {
    connection.channel.inbound.withLock { $0.isPaused }
  }

  /// Whether a connection refuses a frame while the high-water mark is reached.
  ///
  /// The system may take some of what waits at any time, so it is looked for and tried in one go on the loop, which alone gives
  /// anything to the system.
  private func isRefused(by connection: Connection) async throws -> Bool {
    let limit = limits.sendHighWater
    while true {
      try Task.checkCancellation()
      let isRefused: Bool? = await withCheckedContinuation { continuation in
        connection.channel.loop.perform {
          let isFull = connection.channel.outbound.withLock { $0.byteCount >= limit }
          continuation.resume(returning: isFull ? (try? connection.trySend([1])) == false : nil)
        }
      }
      if let isRefused { return isRefused }
    }
  }

  @Test(arguments: Medium.allCases)
  func `a sender waits for a peer that does not read, in bounded memory, and goes on when it does`(medium: Medium) async throws
  {
    try await withSuspendedSender(over: medium) { client, server, sender in
      let waiting = client.channel.outbound.withLock { $0.byteCount }
      #expect(waiting < limits.sendHighWater + 10_004)
      let received = server.channel.inbound.withLock { $0.decoder.bufferedByteCount }
      #expect(received >= 64 * 1024)
      #expect(received < 64 * 1024 + BufferPool.capacity)
      // Over memory it may have come to rest between the marks, where a frame more is accepted.
      if medium == .loopback || waiting >= limits.sendHighWater {
        let isRefused = try await isRefused(by: client)
        #expect(isRefused)
      }

      let count = frameCount(medium)
      var frames = server.frames.makeAsyncIterator()
      for _ in 0..<count { #expect(try await frames.next()?.count == 10_000) }
      #expect(try await sender.value == count)
    }
  }

  @Test(arguments: Medium.allCases)
  func `frames in place resume reading too`(medium: Medium) async throws {
    try await withSuspendedSender(over: medium) { client, server, sender in
      let count = frameCount(medium)
      var received = 0
      while received < count { received += try #require(try await server.receiveFrames { _ in }) }
      #expect(try await sender.value == count)
    }
  }

  @Test(arguments: Medium.allCases)
  func `a cancelled sender stops waiting and its frame is not sent`(medium: Medium) async throws {
    try await withPair(over: medium, limits: limits) { client, server in
      let sender = Task { [body] in
        var accepted = 0
        do throws(TransportError) {
          while true {
            try await client.send(body)
            accepted += 1
          }
        } catch {
          #expect(error.code == .cancelled)
        }
        return accepted
      }
      try await until { client.channel.outbound.withLock { !$0.senders.isEmpty } }
      sender.cancel()
      let accepted = await sender.value
      #expect(client.channel.outbound.withLock { $0.senders.isEmpty })

      await withTaskGroup { group in
        group.addTask { await client.close(within: .seconds(1000)) }
        var received = 0
        do {
          for try await _ in server.frames { received += 1 }
        } catch {
          Issue.record(error)
        }
        #expect(received == accepted)
      }
    }
  }

  @Test(arguments: Medium.allCases)
  func `closing, and a peer that breaks the connection, end the wait of a sender`(medium: Medium) async throws {
    try await withSuspendedSender(over: medium) { client, server, sender in
      server.abort()
      let error = await #expect(throws: TransportError.self) { try await sender.value }
      #expect(error?.code == .reset)
    }
    try await withSuspendedSender(over: medium) { client, server, sender in
      await client.close(within: .milliseconds(1))
      let error = await #expect(throws: TransportError.self) { try await sender.value }
      #expect(error?.code == .closed)
    }
  }

  @Test(arguments: Medium.allCases)
  func `a cancelled reader stops waiting and another goes on`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      let reader = Task {
        var frames = server.frames.makeAsyncIterator()
        return try await frames.next()
      }
      try await until { server.channel.inbound.withLock { $0.reader != nil } }
      reader.cancel()
      let error = await #expect(throws: TransportError.self) { try await reader.value }
      #expect(error?.code == .cancelled)

      try await client.send([1, 2])
      var frames = server.frames.makeAsyncIterator()
      #expect(try await frames.next() == [1, 2])
    }
  }

  @Test(arguments: Medium.allCases)
  func `an idle connection keeps no large buffer`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      var frames = server.frames.makeAsyncIterator()
      for _ in 0..<10 {
        async let sent: Void = client.send(contentsOf: Array(repeating: body, count: 100))
        for _ in 0..<100 { #expect(try await frames.next() == body) }
        try await sent
      }
      let reader = Task { try await server.receiveFrames { _ in } }
      try await until { server.channel.inbound.withLock { $0.reader != nil } }
      #expect(server.channel.inbound.withLock { $0.decoder.storageCapacity } < 1024)
      #expect(client.channel.outbound.withLock { $0.queue.capacity } <= 2048)
      reader.cancel()
      _ = await reader.result
    }
  }

  @Test func `a few bytes of a frame keep no large buffer`() async throws {
    try await withRawPeer { peer, connection in
      try peer.write([0, 0, 0xFF, 0xFF, 1, 2, 3])
      try await until { connection.channel.inbound.withLock { $0.decoder.bufferedByteCount == 7 } }
      #expect(connection.channel.inbound.withLock { $0.decoder.storageCapacity } < 1024)
    }
  }

  @Test func `a frame is accepted below the high-water mark, and refused at it`() async throws {
    let (client, server, _) = try Connection.pair(
      limits: .untimed(sendHighWater: 9), conditions: .init(window: 1, delay: .seconds(3_600)))
    #expect(try client.trySend([1]))
    // There is room for one of five bytes.
    try await until { client.channel.outbound.withLock { $0.byteCount } == 4 }
    #expect(try client.trySend([2]))
    #expect(try !client.trySend([3]))
    for connection in [client, server] { connection.abort() }
  }
}
