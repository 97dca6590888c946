import Bonjourish
import BonjourishTransport
import FramedTransport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// Relayed connections while the server hangs, dies and comes back.
@Suite(.timeLimit(.minutes(2))) struct RelayOutageTests {
  /// Sends numbered frames to an echo, and checks that they come back, while something happens.
  private func exchange(
    _ frameCount: Int, of size: Int, in room: RelayRoom, meanwhile: () async throws -> Void
  ) async throws {
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
        for number in 0..<frameCount {
          let frame = try await frames.next()
          guard frame == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size) else { throw Surprise() }
        }
      }
      try await meanwhile()
      try await sending.value
      try await receiving.value
      await connection.close()
    }
  }

  @Test func `a server that is killed and started again loses nothing`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    try await exchange(4_000, of: 10_000, in: room) {
      for _ in 0..<2 {
        try await Task.sleep(for: .milliseconds(300))
        server.kill()
        try await Task.sleep(for: .milliseconds(500))
        try await server.start()
      }
    }
  }

  @Test func `a server that hangs for five seconds loses nothing`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    try await exchange(4_000, of: 10_000, in: room) {
      try await Task.sleep(for: .milliseconds(300))
      server.pause()
      try await Task.sleep(for: .seconds(5))
      server.resume()
    }
  }

  @Test func `a server that stays away ends the connection on both sides`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    let (ends, told) = AsyncStream.makeStream(of: TransportError.Code?.self)
    try await room.opened { connection in
      told.yield(await RelayRoom.end(of: connection))
    } _: {
      let connection = try await room.connect()
      try await connection.send([1])
      while room.listener.counters.admitted < 1 { try await Task.sleep(for: .milliseconds(10)) }
      server.kill()
      let start = ContinuousClock.now
      #expect(await RelayRoom.end(of: connection) == .timedOut)
      var ends = ends.makeAsyncIterator()
      #expect(await ends.next() == .some(.timedOut))
      #expect((.seconds(20)...(.seconds(32))).contains(ContinuousClock.now - start))
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
      // Until nothing more is taken for a while.
      var idle = 0
      while idle < 30 {
        if try connection.trySend([UInt8](repeating: 1, count: 10_000)) {
          (accepted, idle) = (accepted + 1, 0)
        } else {
          idle += 1
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      // Queue, window, and what the reader's side reads ahead.
      #expect((60...600).contains(accepted), "\(accepted)")
      opener.finish()
      for _ in 0..<500 { try await connection.send([UInt8](repeating: 2, count: 10_000)) }
      await connection.close(within: .seconds(20))
      var counts = counts.makeAsyncIterator()
      #expect(await counts.next() == accepted + 500)
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
