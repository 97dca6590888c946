import CBonjourishLinux
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// Connections on several loops. The loops are the tests' own, because others use those of the process at the same time.
@Suite(.timeLimit(.minutes(1))) struct LoopsTests {
  private func loops(_ count: Int) throws -> [TransportLoop] {
    try (1...count).map { TransportLoop(try EventLoop(name: "loops-\($0)")) }
  }

  private func withListener(
    on loops: [TransportLoop], _ body: (Listener) async throws -> Void
  ) async throws {
    let listener = try await Listener.bind(
      interface: "lo", limits: .untimed, pending: .unlimited, on: TransportLoops(loops))
    do {
      try await body(listener)
      await listener.close()
    } catch {
      await listener.close()
      throw error
    }
  }

  @Test func `connections are spread evenly, and leave no trace`() async throws {
    let loops = try loops(3)
    try await withListener(on: loops) { listener in
      var connections: [Connection] = []
      for _ in 0..<30 {
        connections.append(try await Connection.connect(to: listener.addresses))
        connections.append(try await listener.accept())
      }
      #expect(loops.map(\.connectionCount) == [10, 10, 10])
      for connection in connections { await connection.close() }
      #expect(loops.map(\.connectionCount) == [0, 0, 0])
    }
  }

  @Test func `one after another, connections stay where they are accepted`() async throws {
    let loops = try loops(2)
    try await withListener(on: loops) { listener in
      for _ in 0..<5 {
        let client = try await Connection.connect(to: listener.addresses)
        let server = try await listener.accept()
        #expect(server.channel.loop === loops[0].loop)
        await server.close()
        await client.close()
      }
    }
  }

  @Test func `each connection is served on its own loop`() async throws {
    let loops = try loops(3)
    try await withListener(on: loops) { listener in
      let served = Locked<[ObjectIdentifier: Int]>([:])
      let serving = Task {
        await listener.serve(on: .connectionLoop) { connection in
          do throws(TransportError) {
            for try await frame in connection.frames {
              #expect(connection.channel.loop.isCurrent)
              served.withLock { $0[ObjectIdentifier(connection.channel.loop), default: 0] += 1 }
              try await connection.send(frame)
            }
          } catch {
            Issue.record(error)
          }
        }
      }
      var clients: [Connection] = []
      for _ in 0..<12 { clients.append(try await Connection.connect(to: listener.addresses)) }
      try await withThrowingTaskGroup { group in
        for client in clients {
          group.addTask {
            var frames = client.frames.makeAsyncIterator()
            for number in 0..<100 as Range<UInt8> {
              try await client.send([number])
              #expect(try await frames.next() == [number])
            }
            await client.close()
          }
        }
        try await group.waitForAll()
      }
      await listener.close()
      await serving.value
      #expect(served.withLock { $0 } == Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.loop), 400) }))
      #expect(loops.allSatisfy { $0.connectionCount == 0 })
    }
  }

  @Test func `a client lives where it is told to, or beside another`() async throws {
    let loops = try loops(2)
    try await withListener(on: [loops[0]]) { listener in
      let first = try await Connection.connect(to: listener.addresses, on: TransportLoops([loops[1]]))
      #expect(first.channel.loop === loops[1].loop)
      #expect(first.loop.count == 1)
      let beside = try await Connection.connect(toHost: "localhost", port: listener.port, on: first.loop)
      #expect(beside.channel.loop === loops[1].loop)
      // Of several, the loop with the fewest connections; the listener's has none yet, or those that it has accepted.
      let spread = try await Connection.connect(
        to: listener.addresses, on: TransportLoops([loops[1], TransportLoop(loops[0].loop)]))
      #expect(spread.channel.loop === loops[0].loop)
      for connection in [first, beside, spread] { await connection.close() }
    }
  }

  @Test func `what is sent before its loop has begun with a connection leaves when it does`() async throws {
    var ends: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    let anywhere = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
    let transportLoop = try loops(1)[0]
    // A lock, because the thread sanitizer does not see that a continuation which is resumed before it is awaited hands over.
    let made = Locked<[Connection]>([])
    await withCheckedContinuation { [ends] continuation in
      transportLoop.loop.perform {
        let channels = ends.map {
          Channel(Socket(taking: $0), peer: anywhere, terms: ChannelTerms(.standard, .standard), on: transportLoop)
        }
        let connections = channels.map { Connection($0, local: anywhere) }
        channels[1].start()
        #expect((try? connections[0].trySend([1, 2])) == true)
        // Turns pass before it begins.
        transportLoop.loop.execute { transportLoop.loop.execute { channels[0].start() } }
        made.withLock { $0 = connections }
        continuation.resume()
      }
    }
    let (first, second) = made.withLock { ($0[0], $0[1]) }
    var frames = second.frames.makeAsyncIterator()
    #expect(try await frames.next() == [1, 2])
    await first.close()
    #expect(try await frames.next() == nil)
  }

  @Test func `the newest frame is kept for a slow member of one loop when another loop needs nothing`() async throws {
    let loops = try loops(2)
    try await withListener(on: [loops[0]]) { slowListener in
      try await withListener(on: [loops[1]]) { fastListener in
        let peer = try RawSocket(connectedTo: slowListener.port)
        let slow = try await slowListener.accept()
        let client = try await Connection.connect(to: fastListener.addresses)
        let fast = try await fastListener.accept()
        let group = Group(backlogLimit: 64 * 1024)
        group.add(slow, whenSlow: .latest)
        group.add(fast, whenSlow: .wait)
        let reading = Task { try await client.frames.reduce(0) { count, _ in count + 1 } }
        for number in 0..<2_000 {
          try await group.broadcast([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 10_000))
        }
        try await until { group.broadcaster.state.withLock { $0.log.byteCount } == 0 }
        async let received = blocking { try peer.readToEnd() }
        await slow.close(within: .seconds(1000))
        #expect(try await received.last == UInt8(truncatingIfNeeded: 1_999))
        await fast.close(within: .seconds(1000))
        #expect(try await reading.value == 2_000)
      }
    }
  }

  @Test func `the process's loops are shared, and named`() async throws {
    let (one, two) = try (TransportLoops(1).started(), TransportLoops(2).started())
    #expect(two.count == 2)
    #expect(one[0] === two[0])
    #expect(try TransportLoops.one.started()[0] === one[0])
    #expect(TransportLoops.perCore.count >= 1)
    let name = await withCheckedContinuation { continuation in
      two[1].loop.perform { continuation.resume(returning: threadName()) }
    }
    #expect(name == "transport-2")
  }
}

/// The name of the calling thread, as the kernel has it.
private func threadName() -> String {
  let file = linux_open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC, 0)
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 16)
  let count = read(file, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(0, count - 1)), as: UTF8.self)
}
