import Bonjourish
import BonjourishTransport
import FramedTransport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// Relayed connections while the server hangs, dies and comes back.
@Suite(.timeLimit(.minutes(2))) struct RelayOutageTests {
  /// Sends numbered frames to an echo, and checks that they come back, while something happens, which gets their numbers.
  private func exchange(
    _ frameCount: Int, of size: Int, in room: RelayRoom, meanwhile: (_ numbers: AsyncStream<Int>) async throws -> Void
  ) async throws {
    let (numbers, number) = AsyncStream.makeStream(of: Int.self)
    try await room.opened {
      let connection = try await room.connect()
      #expect(connection.isRelayed)
      let sending = Task {
        for number in 0..<frameCount {
          try await connection.send([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
        }
      }
      let receiving = Task {
        var frames = connection.frames.makeAsyncIterator()
        defer { number.finish() }
        for next in 0..<frameCount {
          let frame = try await frames.next()
          guard frame == [UInt8](repeating: UInt8(truncatingIfNeeded: next), count: size) else { throw Surprise() }
          number.yield(next)
        }
      }
      do {
        try await meanwhile(numbers)
      } catch {
        // Usually because nothing more comes back, which has another reason.
        try await receiving.value
        throw error
      }
      try await sending.value
      try await receiving.value
      await connection.close()
    }
  }

  /// Asks the server for the record of the room, as whoever connects by the relay does.
  private func findRecord(for room: RelayRoom, within limit: Duration) async throws {
    let backend = try #require(room.guest.backend as? DirectoryBackend)
    let key = DirectoryKey(region: await backend.settings.region, type: "_game._tcp", name: "Game")
    _ = try await RecordRequest(RelayRoom.instance, key, on: backend.loop).run(on: backend, within: limit)
  }

  @Test func `a server that is killed and started again loses nothing`() async throws {
    let server = try await NATSServer()
    // Whether the directory can be used, as each program knows.
    let known = Locked<[Bool]>([])
    let (changes, change) = AsyncStream.makeStream(of: [Bool].self, bufferingPolicy: .bufferingNewest(1))
    let room = try await RelayRoom(server) { configuration in
      let program = known.withLock { known in
        known.append(false)
        return known.count - 1
      }
      configuration.stateChanged = { state in
        known.withLock { known in
          known[program] = state == .available
          change.yield(known)
        }
      }
    }
    try await exchange(4_000, of: 10_000, in: room) { numbers in
      for due in [500, 2_000] {
        guard await numbers.contains(due), await changes.contains([true, true]) else { throw Surprise() }
        server.kill()
        guard await changes.contains([false, false]) else { throw Surprise() }
        try await server.start()
      }
    }
  }

  @Test func `a server that hangs for five seconds loses nothing`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    try await exchange(4_000, of: 10_000, in: room) { numbers in
      guard await numbers.contains(500) else { throw Surprise() }
      server.pause()
      defer { server.resume() }
      await #expect(throws: TransportError.self) { try await findRecord(for: room, within: .seconds(5)) }
    }
  }

  @Test func `a server that stays away ends the connection on both sides`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    let (ends, told) = AsyncStream.makeStream(of: TransportError.Code?.self)
    let (beginnings, began) = AsyncStream.makeStream(of: Void.self)
    try await room.opened { connection in
      var frames = connection.frames.makeAsyncIterator()
      _ = try? await frames.next()
      began.yield()
      told.yield(await RelayRoom.end(of: connection))
    } _: {
      let connection = try await room.connect()
      try await connection.send([1])
      for await _ in beginnings { break }
      server.kill()
      let start = ContinuousClock.now
      #expect(await RelayRoom.end(of: connection) == .timedOut)
      var ends = ends.makeAsyncIterator()
      #expect(await ends.next() == .some(.timedOut))
      // Not sooner than an outage that a server survives.
      #expect(ContinuousClock.now - start >= .seconds(20))
    }
  }

  @Test func `a slow reader stops the sender, and nothing is lost`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    let (gates, opener) = AsyncStream.makeStream(of: Void.self)
    let (counts, told) = AsyncStream.makeStream(of: Int.self)
    try await room.opened { connection in
      do {
        var frames = connection.frames.makeAsyncIterator()
        _ = try await frames.next()
        for await _ in gates {}
        var count = 1
        while try await frames.next() != nil { count += 1 }
        told.yield(count)
      } catch {
        told.yield(-1)
      }
    } _: {
      let connection = try await room.connect()
      var accepted = 0
      // Until nothing more is taken although the server has answered ten times since, and at least what the queue and the window hold.
      var answers = 0
      while answers < 10 || accepted < 60, accepted <= 600 {
        if try connection.trySend([UInt8](repeating: 1, count: 10_000)) {
          (accepted, answers) = (accepted + 1, 0)
        } else {
          try await findRecord(for: room, within: .seconds(10))
          answers += 1
        }
      }
      // Queue, window, and what the reader's side reads ahead.
      #expect(accepted <= 600)
      opener.finish()
      for _ in 0..<500 { try await connection.send([UInt8](repeating: 2, count: 10_000)) }
      await connection.close(within: .seconds(20))
      var counts = counts.makeAsyncIterator()
      #expect(await counts.next() == accepted + 500)
    }
  }

  @Test func `a directory that does not tell in time where a service is counts as slow, and not as unreachable`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    try await room.opened {
      try await findRecord(for: room, within: .seconds(10))
      server.pause()
      defer { server.resume() }
      let error = await #expect(throws: TransportError.self) { try await findRecord(for: room, within: .milliseconds(10)) }
      #expect(error?.code == .timedOut)
      #expect(error?.message.hasPrefix("Connecting to \"Game\" by the relay failed: ") == true)
    }
  }

  @Test func `a record whose program is gone is refused in a second`() async throws {
    let server = try await NATSServer()
    let settings = try DirectorySettings(DirectoryConfiguration(servers: [server.url]))
    let hub = RelayHub(prefix: settings.relayPrefix, on: try EventLoop(name: "test-relay"))
    try hub.use(try NATSConnection(settings) { _ in })
    let record = DirectoryRecord(
      name: "Gone", type: "_game._tcp", port: 1, host: "h", addresses: [], txt: [:], owner: 1)
    let loop = try EventLoop(name: "test-dial")
    let start = ContinuousClock.now
    let error = await #expect(throws: TransportError.self) {
      try await RelayDial(record, at: .random(), by: hub, on: loop).connect(within: .seconds(10))
    }
    #expect(error?.code == .refused)
    #expect(ContinuousClock.now - start < .seconds(5))
    // The program is there, but not the record's owner.
    let other = RelayHub(prefix: settings.relayPrefix, on: try EventLoop(name: "test-relay"))
    try other.use(try NATSConnection(settings) { _ in })
    let unknown = await #expect(throws: TransportError.self) {
      try await RelayDial(record, at: other.address, by: hub, on: loop).connect(within: .seconds(10))
    }
    #expect(unknown?.code == .refused)
    #expect(other.streamCount == 0)
  }
}
