import FramedCoding
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase

@Suite(.timeLimit(.minutes(1))) struct ExchangeTests {
  @Test func `what is sent comes back over either family`() async throws {
    try await withListener { listener in
      try await withThrowingTaskGroup { group in
        group.addTask {
          await listener.serve { connection in
            do {
              for try await frame in connection.frames { try await connection.send(frame.reversed()) }
            } catch {
              Issue.record(error)
            }
          }
        }
        #expect(listener.addresses.map(\.host).contains("127.0.0.1"))
        for address in listener.addresses {
          let client = try await Connection.connect(to: [address])
          #expect(client.peer == address)
          #expect(client.local.family == address.family)
          var frames = client.frames.makeAsyncIterator()
          for body: [UInt8] in [[], [1, 2, 3], [UInt8](repeating: 9, count: 65_535) + [1]] {
            try await client.send(body)
            #expect(try await frames.next() == body.reversed())
          }
          await client.close()
        }
        await listener.close()
      }
    }
  }

  @Test(
    arguments: Medium.allCases,
    [
      .header(prefix: [1, 2], fieldsBefore: 4, fieldsAfter: 1), .varint(), .lines(maximumBodySize: 40_000),
      .delimited(by: [13, 10, 46, 13, 10], maximumBodySize: 40_000),
    ] as [FrameFormat])
  func `frames of every kind are sent, broadcast and received`(medium: Medium, format: FrameFormat) async throws {
    try await withPair(over: medium, format: format) { client, server in
      let group = Group(format: format)
      group.add(server)
      // Small ones, and one above the size from which on bodies that follow a length are not copied.
      let bodies = [8, 100, 30_000, 5, 16_384].map { [UInt8](repeating: 65, count: $0) }
      for body in bodies {
        try await server.send(body)
        try await group.broadcast(body)
        #expect(try server.trySend(body.span))
      }
      var frames = client.frames.makeAsyncIterator()
      for body in bodies.flatMap({ [$0, $0, $0] }) { #expect(try await frames.next() == body) }
      if !format.permitsEmptyFrames {
        await #expect(throws: TransportError.self) { try await server.send([]) }
        await #expect(throws: TransportError.self) { try await group.broadcast([]) }
        try await server.send(bodies[0])
        #expect(try await frames.next() == bodies[0])
      }
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `bytes that dribble in give the same frames`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let format = FrameFormat(lengthWidth: .two, byteOrder: .littleEndian, lengthCountsItself: true, maximumBodySize: 500)
    let bodies = (0..<100).map { _ in generator.bytes(count: .random(in: 0...500, using: &generator)) }
    var bytes: [UInt8] = []
    for body in bodies { try FrameEncoder(format: format).encode(body, into: &bytes) }
    var pieces: [ArraySlice<UInt8>] = []
    while !bytes.isEmpty {
      let count = min(bytes.count, .random(in: 1...200, using: &generator))
      pieces.append(bytes.prefix(count))
      bytes.removeFirst(count)
    }
    try await withRawPeer(format: format) { [pieces] peer, connection in
      async let written: Void = blocking {
        for piece in pieces { try peer.write(piece) }
        peer.close()
      }
      var received: [[UInt8]] = []
      for try await frame in connection.frames { received.append(frame) }
      #expect(received == bodies, "seed \(seed)")
      try await written
    }
  }

  @Test(arguments: Medium.allCases)
  func `frames can be looked at in place and taken in turn`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      try await client.send(contentsOf: (0..<100).map { [UInt8](repeating: $0, count: Int($0)) })
      await client.close()
      var frames = server.frames.makeAsyncIterator()
      #expect(try await frames.next() == [])
      var expected: UInt8 = 1
      var shown = 0
      while let count = try await server.receiveFrames({ body in
        #expect(body.count == Int(expected) && body[body.count - 1] == expected)
        expected += 1
      }) {
        shown += count
        if let frame = try await frames.next() {
          #expect(frame == [UInt8](repeating: expected, count: Int(expected)))
          expected += 1
        }
      }
      #expect(expected == 100)
      #expect(shown > 0)
      #expect(try await frames.next() == nil)
    }
  }

  @Test(arguments: Medium.allCases)
  func `frames of every size arrive in order, small ones together and large ones as they are`(medium: Medium) async throws {
    let format = FrameFormat(maximumBodySize: 3_000_000)
    var generator = SeededGenerator(seed: 7)
    let sizes =
      [3_000_000, 0, 1, 16_383, 16_384, 16_385, 262_144, 1_000_000, 5]
      + (0..<200).map { _ in
        Int.random(in: 0...40_000, using: &generator)
      }
    try await withPair(over: medium, format: format) { client, server in
      try await withThrowingTaskGroup { group in
        group.addTask {
          for (number, size) in sizes.enumerated() {
            try await client.send([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
          }
          await client.close(within: .seconds(1000))
        }
        var number = 0
        for try await frame in server.frames {
          #expect(frame == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: sizes[number]))
          number += 1
        }
        #expect(number == sizes.count)
        try await group.waitForAll()
      }
    }
  }

  @Test func `two hundred connections exchange a thousand frames each`() async throws {
    /// Enough to tell that a body has come as it was sent, and to the right place.
    @Sendable func sum(_ body: [UInt8]) -> UInt64 {
      var sum: UInt64 = 14_695_981_039_346_656_037
      for byte in body { sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211 }
      return sum
    }
    try await withListener { listener in
      try await withThrowingTaskGroup { group in
        group.addTask {
          await listener.serve { connection in
            do {
              for try await frame in connection.frames {
                var writer = MessageWriter()
                writer.writeUInt64(sum(frame))
                try await connection.send(writer.bytes)
              }
            } catch {
              Issue.record(error)
            }
          }
        }
        try await withThrowingTaskGroup { clients in
          for number in 0..<200 {
            clients.addTask {
              let client = try await Connection.connect(to: listener.addresses)
              var generator = SeededGenerator(seed: UInt64(number))
              let bodies = (0..<1000).map { _ -> [UInt8] in
                let number = generator.next()
                return [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int((number >> 32) % 48))
              }
              async let sent: Void = client.send(contentsOf: bodies)
              var frames = client.frames.makeAsyncIterator()
              for body in bodies {
                var reader = MessageReader(try #require(try await frames.next()))
                let received = try reader.readUInt64()
                if received != sum(body) { Issue.record("connection \(number) got the sum of another body") }
              }
              try await sent
              await client.close()
            }
          }
          try await clients.waitForAll()
        }
        await listener.close()
      }
    }
  }

  @Test(arguments: Medium.allCases)
  func `tasks and actors can run where their connection is`(medium: Medium) async throws {
    actor Counter {
      let connection: Connection
      nonisolated var unownedExecutor: UnownedSerialExecutor { connection.executor.asUnownedSerialExecutor() }

      init(_ connection: Connection) { self.connection = connection }

      func count() async throws -> Int {
        var count = 0
        for try await _ in connection.frames {
          connection.executor.preconditionIsolated()
          count += 1
        }
        return count
      }
    }
    try await withPair(over: medium) { client, server in
      try await client.send(contentsOf: [[1], [2], [3]])
      await client.close()
      #expect(try await Counter(server).count() == 3)
    }
  }
}
