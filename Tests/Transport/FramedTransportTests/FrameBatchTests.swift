import FramedCoding
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport

/// A reader on the connection's thread takes many frames at once from what has come. Nobody else must notice.
@Suite(.timeLimit(.minutes(1))) struct FrameBatchTests {
  private static let count = 200

  /// A connection over which `count` frames have come, each with its number as the first byte, and the peer has ended its side.
  private func withReceived(
    limits: TransportLimits = .untimed, _ body: @Sendable (_ server: Connection, _ client: Connection) async throws -> Void
  ) async throws {
    try await withPair(limits: limits) { client, server in
      try await client.send(contentsOf: (0..<Self.count).map { [UInt8($0)] + [UInt8](repeating: 7, count: $0 % 50) })
      client.finishSending()
      try await until { server.channel.inbound.withLock { $0.end != nil } }
      try await body(server, client)
    }
  }

  private func onLoop<Value: Sendable>(
    of connection: Connection, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task(executorPreference: connection.executor) { try await body() }.value
  }

  /// Sendable: the tests use an iterator in one task after another.
  private final class Kept: @unchecked Sendable {
    var frames: Frames.Iterator

    init(_ connection: Connection) { frames = connection.frames.makeAsyncIterator() }
  }

  @Test func `a second iterator begins where the first stopped, on whatever thread`() async throws {
    try await withReceived { server, _ in
      // Kept until the end, so that it cannot give anything back by being dropped.
      let kept = Kept(server)
      try await onLoop(of: server) { () async throws in
        for number in 0..<10 { #expect(try await kept.frames.next()?.first == UInt8(number)) }
        #expect(server.channel.batchFloor != nil)
        var second = server.frames.makeAsyncIterator()
        for number in 10..<20 { #expect(try await second.next()?.first == UInt8(number)) }
        #expect(try await kept.frames.next()?.first == 20)
      }
      var elsewhere = server.frames.makeAsyncIterator()
      for number in 21..<30 { #expect(try await elsewhere.next()?.first == UInt8(number)) }
      try await onLoop(of: server) { () async throws in
        for number in 30..<Self.count { #expect(try await kept.frames.next()?.first == UInt8(number)) }
        #expect(try await kept.frames.next() == nil)
      }
      #expect(try await elsewhere.next() == nil)
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `every way to take frames goes on where another stopped`(seed: UInt64) async throws {
    let limits = TransportLimits.untimed(receiveAhead: seed % 2 == 0 ? 1000 : 256 * 1024)
    try await withPair(limits: limits) { client, server in
      async let sent: Void = {
        for number in 0..<1000 { try await client.send([UInt8(number % 256)] + [UInt8](repeating: 7, count: number % 99)) }
        client.finishSending()
      }()
      let numbers = Locked<[UInt8]>([])
      var generator = SeededGenerator(seed: seed)
      var isAtEnd = false
      while !isAtEnd {
        let (isOnLoop, isInPlace, most) = (generator.once(in: 2), generator.once(in: 3), generator.number(in: 1..<40))
        let take: @Sendable () async throws -> Bool = {
          if isInPlace {
            return try await server.receiveFrames { frame in
              let number = frame[0]
              numbers.withLock { $0.append(number) }
            } == nil
          }
          var frames = server.frames.makeAsyncIterator()
          for _ in 0..<most {
            guard let frame = try await frames.next() else { return true }
            numbers.withLock { $0.append(frame[0]) }
          }
          return false
        }
        isAtEnd = isOnLoop ? try await onLoop(of: server, take) : try await take()
      }
      try await sent
      #expect(numbers.withLock { $0 } == (0..<1000).map { UInt8($0 % 256) }, "seed \(seed)")
    }
  }

  @Test func `cancelling a reader loses no frame`() async throws {
    try await withReceived { server, _ in
      try await onLoop(of: server) { () async throws in
        withUnsafeCurrentTask { $0?.cancel() }
        var frames = server.frames.makeAsyncIterator()
        for number in 0..<10 {
          let frame = try await frames.next()
          #expect(frame?.first == UInt8(number))
        }
      }
      var frames = server.frames.makeAsyncIterator()
      for number in 10..<Self.count { #expect(try await frames.next()?.first == UInt8(number)) }
    }
  }

  @Test(arguments: [false, true])
  func `closing drops the frames of a batch`(isElsewhere: Bool) async throws {
    try await withReceived { server, _ in
      try await onLoop(of: server) { () async throws in
        var frames = server.frames.makeAsyncIterator()
        #expect(try await frames.next()?.first == 0)
        #expect(server.channel.batchFloor != nil)
        if isElsewhere {
          await Task.detached { await server.close() }.value
        } else {
          server.abort()
        }
        #expect(try await frames.next() == nil)
        #expect(server.channel.batch.bufferedByteCount == 0)
      }
    }
  }

  @Test func `a reader that is busy with a frame does not hold up others`() async throws {
    try await withPair { client, server in
      try await client.send(contentsOf: [[1], [2], [3]])
      try await until { server.channel.inbound.withLock { $0.decoder.bufferedByteCount == 15 } }
      try await onLoop(of: server) { () async throws in
        var frames = server.frames.makeAsyncIterator()
        #expect(try await frames.next() == [1])
        try await client.send([4])
        try await until { server.channel.inbound.withLock { $0.decoder.bufferedByteCount == 15 } }
        for number in 2...4 as ClosedRange<UInt8> { #expect(try await frames.next() == [number]) }
      }
    }
  }

  @Test func `an error behind a batch is found after its frames`() async throws {
    try await withRawPeer(format: FrameFormat(maximumBodySize: 10)) { peer, connection in
      try peer.write([0, 0, 0, 1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 1, 3, 0, 0, 0, 11])
      try await until { connection.channel.inbound.withLock { $0.decoder.bufferedByteCount == 19 } }
      try await onLoop(of: connection) { () async throws in
        var frames = connection.frames.makeAsyncIterator()
        for number in 1...3 as ClosedRange<UInt8> { #expect(try await frames.next() == [number]) }
        for _ in 0..<2 {
          let error = await #expect(throws: TransportError.self) { try await frames.next() }
          #expect(error?.code == .frameTooLarge)
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `heartbeats are not delivered, wherever they stand in a batch`(isOnLoop: Bool) async throws {
    let heartbeat = Heartbeat(interval: .seconds(1000), timeout: .seconds(2000))
    let limits = TransportLimits(frameTime: nil, stallTime: nil, keepAlive: nil, silenceLimit: nil, heartbeat: heartbeat)
    try await withRawPeer(limits: limits) { peer, connection in
      let empty: [UInt8] = [0, 0, 0, 0]
      let full = (1...4 as ClosedRange<UInt8>).map { [0, 0, 0, 1, $0] }
      try peer.write((empty + full[0] + empty + full[1] + full[2] + empty + empty + full[3] + empty)[...])
      peer.close()
      try await until { connection.channel.inbound.withLock { $0.end != nil } }
      let take: @Sendable () async throws -> [[UInt8]] = {
        var taken: [[UInt8]] = []
        for try await frame in connection.frames { taken.append(frame) }
        return taken
      }
      let taken = isOnLoop ? try await onLoop(of: connection, take) : try await take()
      #expect(taken == [[1], [2], [3], [4]])
    }
  }
}
