import EventLoop
import Framing
import Testing

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct BackPressureTests {
  /// The low-water mark is next to the high-water mark, so that the queue of a sender who waits is full: between the marks he
  /// could wait as well, depending on when the system takes how much.
  private let limits = TransportLimits.untimed(
    sendHighWater: 64 * 1024, sendLowWater: 64 * 1024 - 1, receiveAhead: 64 * 1024)
  private let body = [UInt8](repeating: 5, count: 10_000)

  /// Fills a connection whose peer does not read until `send` suspends, then runs a closure.
  private func withSuspendedSender(
    _ run: (_ client: Connection, _ server: Connection, _ sender: Task<Int, any Error>) async throws -> Void
  ) async throws {
    try await withPair(limits: limits) { client, server in
      let body = body
      let sender = Task {
        var sent = 0
        // More than the system would ever hold for a connection.
        while sent < 6_000 {
          try await client.send(body)
          sent += 1
        }
        return sent
      }
      try await until {
        client.channel.outbound.withLock { !$0.senders.isEmpty && $0.byteCount >= 64 * 1024 } && isFull(server)
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

  @Test func `a sender waits for a peer that does not read, in bounded memory, and goes on when it does`() async throws {
    try await withSuspendedSender { client, server, sender in
      let waiting = client.channel.outbound.withLock { $0.byteCount }
      #expect(waiting < 64 * 1024 + 10_004)
      let received = server.channel.inbound.withLock { $0.decoder.bufferedByteCount }
      #expect(received >= 64 * 1024)
      #expect(received < 64 * 1024 + BufferPool.capacity)
      let isAccepted = try client.trySend([1])
      #expect(!isAccepted)

      var frames = server.frames.makeAsyncIterator()
      for _ in 0..<6_000 { #expect(try await frames.next()?.count == 10_000) }
      #expect(try await sender.value == 6_000)
    }
  }

  @Test func `frames in place resume reading too`() async throws {
    try await withSuspendedSender { client, server, sender in
      var received = 0
      while received < 6_000 { received += try #require(try await server.receiveFrames { _ in }) }
      #expect(try await sender.value == 6_000)
    }
  }

  @Test func `a cancelled sender stops waiting and its frame is not sent`() async throws {
    try await withPair(limits: limits) { client, server in
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

  @Test func `closing, and a peer that breaks the connection, end the wait of a sender`() async throws {
    try await withSuspendedSender { client, server, sender in
      server.abort()
      let error = await #expect(throws: TransportError.self) { try await sender.value }
      #expect(error?.code == .reset)
    }
    try await withSuspendedSender { client, server, sender in
      await client.close(within: .milliseconds(1))
      let error = await #expect(throws: TransportError.self) { try await sender.value }
      #expect(error?.code == .closed)
    }
  }

  @Test func `a cancelled reader stops waiting and another goes on`() async throws {
    try await withPair { client, server in
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

  @Test func `an idle connection keeps no large buffer`() async throws {
    try await withPair { client, server in
      var frames = server.frames.makeAsyncIterator()
      for _ in 0..<10 {
        try await client.send(contentsOf: Array(repeating: body, count: 100))
        for _ in 0..<100 { #expect(try await frames.next() == body) }
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
}
