import CBonjourishLinux
import FramedCoding
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// Finishing, and draining.
extension PeerLimitsTests {
  @Test func `a side that has finished sending still receives`() async throws {
    try await withPair { client, server in
      try await client.send([1])
      client.finishSending()
      client.finishSending()
      let error = await #expect(throws: TransportError.self) { try await client.send([2]) }
      #expect(error?.code == .closed)
      var requests = server.frames.makeAsyncIterator()
      #expect(try await requests.next() == [1])
      #expect(try await requests.next() == nil)
      try await server.send([3])
      await server.close()
      var answers = client.frames.makeAsyncIterator()
      #expect(try await answers.next() == [3])
      #expect(try await answers.next() == nil)
      await client.close()
    }
  }

  @Test func `finishing to send waits for what has been accepted`() async throws {
    try await withRawPeer { peer, connection in
      for _ in 0..<10 { try await connection.send([UInt8](repeating: 1, count: 20_000)) }
      connection.finishSending()
      #expect(try await blocking { try peer.readToEnd() }.count == 10 * 20_004)
      try peer.write([0, 0, 0, 1, 9])
      #expect(try await connection.frames.first { _ in true } == [9])
    }
  }

  @Test func `draining waits for connections that end, and ends those that do not`() async throws {
    try await withListener { listener in
      let client = try await Connection.connect(to: listener.addresses)
      let server = try await listener.accept()
      let stayer = try await Connection.connect(to: listener.addresses)
      let stays = try await listener.accept()
      let waiting = try await Connection.connect(to: listener.addresses)
      try await until { listener.metrics.connections == 3 }

      let draining = Task { await listener.drain(within: long) }
      var connections = listener.connections.makeAsyncIterator()
      let taken = await connections.next()
      #expect(taken?.peer == waiting.local, "who has come before is served")
      #expect(await connections.next() == nil)
      await #expect(throws: TransportError.self) { try await Connection.connect(to: listener.addresses) }
      try await client.send([1])
      #expect(try await server.frames.first { _ in true } == [1])
      await client.close()
      await server.close()
      await taken?.close()
      #expect(listener.metrics.connections == 1)
      draining.cancel()
      #expect(await draining.value == DrainReport(ended: 2, aborted: 1))
      #expect(try await end(of: stays).code == .closed)
      #expect(try await end(of: stayer).code == .reset)
    }
  }

  @Test func `draining ends when the time is over, and at once without connections`() async throws {
    try await withListener { listener in
      let client = try await Connection.connect(to: listener.addresses)
      let server = try await listener.accept()
      #expect(await listener.drain(within: short) == DrainReport(ended: 0, aborted: 1))
      #expect(try await end(of: client).code == .reset)
      #expect(await listener.drain(within: long) == DrainReport(ended: 0, aborted: 0))
      await server.close()
    }
  }

  @Test func `serving ends with the draining`() async throws {
    try await withListener { listener in
      let serving = Task {
        await listener.serve { connection in
          do {
            for try await frame in connection.frames { try await connection.send(frame) }
          } catch {}
        }
      }
      let client = try await Connection.connect(to: listener.addresses)
      try await client.send([1])
      var answers = client.frames.makeAsyncIterator()
      #expect(try await answers.next() == [1])
      let draining = Task { await listener.drain(within: long) }
      try await until { listener.acceptor.state.withLock { $0.isClosed } }
      await client.close()
      #expect(await draining.value == DrainReport(ended: 1, aborted: 0))
      await serving.value
    }
  }
}
