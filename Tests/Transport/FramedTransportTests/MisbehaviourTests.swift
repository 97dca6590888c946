import CBonjourishLinux
import FramedCoding
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport

@Suite(.timeLimit(.minutes(1))) struct MisbehaviourTests {
  /// Writes bytes to a connection, ends it in some way, and returns the frames and the error that come of it.
  private func outcome(
    of bytes: [UInt8], format: FrameFormat = .standard,
    then end: @escaping @Sendable (RawSocket) throws -> Void = { $0.close() }
  ) async throws -> (frames: [[UInt8]], error: TransportError?) {
    try await withRawPeer(format: format) { peer, connection in
      try peer.write(bytes)
      try end(peer)
      var frames: [[UInt8]] = []
      do throws(TransportError) {
        for try await frame in connection.frames { frames.append(frame) }
        return (frames, nil)
      } catch {
        var iterator = connection.frames.makeAsyncIterator()
        await #expect(throws: error, "the error stays") { try await iterator.next() }
        return (frames, error)
      }
    }
  }

  @Test func `an end between frames is an end`() async throws {
    let (frames, error) = try await outcome(of: [0, 0, 0, 1, 7])
    #expect(frames == [[7]])
    #expect(error == nil)
  }

  @Test func `a frame that is too large is refused before it comes`() async throws {
    let (frames, error) = try await outcome(of: [0, 0, 0, 1, 7, 0, 1, 0, 1]) { _ in }
    #expect(frames == [[7]])
    #expect(error?.code == .frameTooLarge)
    #expect(error?.description.contains("65537") == true)
    #expect(error?.description.contains("127.0.0.1:") == true)
  }

  @Test func `a length that is none is refused`() async throws {
    let (frames, error) = try await outcome(
      of: [0, 4, 1, 1, 0, 1], format: FrameFormat(lengthWidth: .two, lengthCountsItself: true)
    ) { _ in }
    #expect(frames == [[1, 1]])
    #expect(error?.code == .malformedFrame)
  }

  @Test(arguments: [[0, 0], [0, 0, 0, 9, 1]] as [[UInt8]])
  func `an end inside a frame is an error`(rest: [UInt8]) async throws {
    let (frames, error) = try await outcome(of: [0, 0, 0, 1, 7] + rest)
    #expect(frames == [[7]])
    #expect(error?.code == .truncated)
  }

  @Test func `a broken connection is an error, in both directions`() async throws {
    try await withRawPeer { peer, connection in
      try peer.write([0, 0, 0, 1, 7])
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == [7])
      peer.reset()
      let error = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(error?.code == .reset)
      #expect(error?.errno == ECONNRESET)
      let sendError = await #expect(throws: TransportError.self) { try await connection.send([1]) }
      #expect(sendError?.code == .reset)
    }
  }

  @Test func `sending finds out that the peer has gone`() async throws {
    try await withRawPeer { peer, connection in
      peer.reset()
      let error = await #expect(throws: TransportError.self) {
        while true {
          try await connection.send([1])
          await Task.yield()
        }
      }
      #expect(error?.code == .reset)
      var frames = connection.frames.makeAsyncIterator()
      let readError = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(readError?.code == .reset)
    }
  }

  @Test(arguments: Medium.allCases)
  func `what cannot be framed is refused and the connection goes on`(medium: Medium) async throws {
    try await withPair(over: medium) { client, server in
      let error = await #expect(throws: TransportError.self) {
        try await client.send([UInt8](repeating: 0, count: 65_537))
      }
      #expect(error?.code == .frameTooLarge)
      try await client.send([3])
      var frames = server.frames.makeAsyncIterator()
      #expect(try await frames.next() == [3])
    }
  }

  @Test func `a peer that has ended its side can still be answered`() async throws {
    try await withRawPeer { peer, connection in
      try peer.write([0, 0, 0, 1, 7])
      try peer.finishSending()
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == [7])
      #expect(try await frames.next() == nil)
      try await connection.send([8, 9])
      async let answer = blocking { try peer.readToEnd() }
      await connection.close()
      #expect(try await answer == [0, 0, 0, 2, 8, 9])
    }
  }

  @Test func `the misbehaviour of one peer does not disturb another`() async throws {
    try await withListener(format: FrameFormat(maximumBodySize: 100)) { listener in
      try await withThrowingTaskGroup { group in
        group.addTask {
          await listener.serve { connection in
            do {
              for try await frame in connection.frames { try await connection.send(frame) }
            } catch {}
          }
        }
        let good = try await Connection.connect(to: listener.addresses, format: FrameFormat(maximumBodySize: 100))
        var echoes = good.frames.makeAsyncIterator()
        for round in 0..<50 as Range<UInt8> {
          let bad = try RawSocket(connectedTo: listener.port)
          switch round % 5 {
          case 0: try bad.write([0xFF, 0xFF, 0xFF, 0xFF])
          case 1: try bad.write([0, 0, 0, 100, 1])
          case 2: bad.reset()
          case 3: bad.close()
          default: try bad.write([0, 0, 0, 1, 1, 0, 0])
          }
          try await good.send([round])
          #expect(try await echoes.next() == [round])
        }
        await good.close()
        await listener.close()
      }
    }
  }
}
