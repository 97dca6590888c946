import CBonjourishLinux
import FramedCoding
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct GroupTests {
  /// Frames whose bodies are numbers, so many from one on.
  private func bodies(_ numbers: Range<UInt8>) -> [[UInt8]] { numbers.map { [$0] } }

  /// The next frames, so many.
  private func take(_ count: Int, from connection: Connection) async throws -> [[UInt8]] {
    var frames = connection.frames.makeAsyncIterator()
    var taken: [[UInt8]] = []
    while taken.count < count { taken.append(try #require(await frames.next())) }
    return taken
  }

  /// The ends of so many connections.
  private func withPairs(
    _ count: Int, _ body: (_ clients: [Connection], _ servers: [Connection]) async throws -> Void
  ) async throws {
    try await withListener { listener in
      var clients: [Connection] = []
      var servers: [Connection] = []
      for _ in 0..<count {
        clients.append(try await Connection.connect(to: listener.addresses))
        servers.append(try await listener.accept())
      }
      try await body(clients, servers)
    }
  }

  @Test func `all members get all frames in order`() async throws {
    try await withPairs(5) { clients, servers in
      let group = Group()
      for server in servers { group.add(server) }
      #expect(group.count == 5)
      for body in bodies(0..<100) { try await group.broadcast(body) }
      try await group.broadcast(contentsOf: bodies(100..<150))
      #expect(try group.tryBroadcast([150]))
      for client in clients { #expect(try await take(151, from: client) == bodies(0..<151)) }
      try await until { group.broadcaster.state.withLock { $0.log.capacity } == 0 }
    }
  }

  @Test func `broadcast frames and those for one member arrive in the order of the calls`() async throws {
    try await withPairs(3) { clients, servers in
      let group = Group()
      for server in servers { group.add(server) }
      let large = [UInt8](repeating: 9, count: 40_000)
      var expected: [[[UInt8]]] = [[], [], []]
      for round in 0..<200 as Range<UInt8> {
        let body = round % 7 == 0 ? large : [round]
        try await group.broadcast(body)
        for index in 0..<3 { expected[index].append(body) }
        let chosen = Int(round % 5)
        guard chosen < 3 else { continue }
        try await servers[chosen].send([round, round])
        expected[chosen].append([round, round])
        #expect(try await take(expected[chosen].count, from: clients[chosen]) == expected[chosen])
        expected[chosen] = []
      }
      for index in 0..<3 { #expect(try await take(expected[index].count, from: clients[index]) == expected[index]) }
    }
  }

  @Test func `a member gets what is broadcast between adding and removing it`() async throws {
    try await withPairs(2) { clients, servers in
      let group = Group()
      group.add(servers[0])
      for body in bodies(0..<10) { try await group.broadcast(body) }
      group.add(servers[1])
      group.add(servers[1])
      #expect(group.count == 2)
      for body in bodies(10..<20) { try await group.broadcast(body) }
      #expect(group.remove(servers[0]))
      #expect(!group.remove(servers[0]))
      #expect(group.count == 1)
      for body in bodies(20..<30) { try await group.broadcast(body) }
      try await servers[0].send([100])
      try await servers[1].send([100])
      #expect(try await take(21, from: clients[0]) == bodies(0..<20) + [[100]])
      #expect(try await take(21, from: clients[1]) == bodies(10..<30) + [[100]])
    }
  }

  @Test func `a group that all have left goes on with those who join then`() async throws {
    try await withPairs(2) { clients, servers in
      let group = Group()
      group.add(servers[0])
      try await group.broadcast([1])
      #expect(group.remove(servers[0]))
      try await until { group.broadcaster.state.withLock { $0.shardStates.allSatisfy { $0.memberCount == 0 } } }
      try await group.broadcast([2])
      for server in servers { group.add(server) }
      try await group.broadcast([3])
      #expect(try await take(2, from: clients[0]) == [[1], [3]])
      #expect(try await take(1, from: clients[1]) == [[3]])
      try await until { group.broadcaster.state.withLock { $0.log.byteCount } == 0 }
    }
  }

  @Test func `everything that was broadcast before arrives when a member closes, and nothing after`() async throws {
    try await withPairs(2) { clients, servers in
      let group = Group()
      for server in servers { group.add(server) }
      for body in bodies(0..<100) { try await group.broadcast(body) }
      async let closed: Void = servers[0].close(within: .seconds(1000))
      try await until { group.count == 1 }
      for body in bodies(100..<110) { try await group.broadcast(body) }
      var frames: [[UInt8]] = []
      for try await frame in clients[0].frames { frames.append(frame) }
      #expect(frames == bodies(0..<100))
      await closed
      #expect(try await take(110, from: clients[1]) == bodies(0..<110))
    }
  }

  @Test func `a member leaves when its connection ends, however it ends`() async throws {
    try await withPairs(4) { clients, servers in
      let group = Group()
      for server in servers { group.add(server) }
      servers[0].abort()
      clients[1].abort()
      await servers[2].close()
      try await until {
        // What the peer did is found out by the next who writes.
        _ = try? group.tryBroadcast([1])
        return group.count == 1
      }
      try await until { group.broadcaster.state.withLock { $0.shardStates.reduce(0) { $0 + $1.memberCount } } == 1 }
      group.add(servers[0])
      #expect(group.count == 1)
      #expect(try await take(1, from: clients[3]) == [[1]])
    }
  }

  @Test func `whoever joins a group that ends at once gets what was broadcast, and is no member any more`() async throws {
    try await withPairs(1) { clients, servers in
      let channel = servers[0].channel
      // In one tick, before the loop has seen the member.
      await withCheckedContinuation { continuation in
        channel.loop.perform {
          let group = Group()
          group.add(servers[0])
          #expect((try? group.tryBroadcast([7])) == true)
          continuation.resume()
        }
      }
      let received = try await take(1, from: clients[0])
      #expect(received == [[7]])
      #expect(channel.outbound.withLock { $0.memberships.isEmpty })
    }
  }

  @Test func `a group holds no connection, and is held by none`() async throws {
    try await withListener { listener in
      let client = try await Connection.connect(to: listener.addresses)
      var server: Connection? = try await listener.accept()
      var group: Group? = Group()
      weak let broadcaster = group?.broadcaster
      if let server { group?.add(server) }
      #expect(try group?.tryBroadcast([7]) == true)
      group = nil
      #expect(try await take(1, from: client) == [[7]])
      try await until { broadcaster == nil }

      group = Group()
      if let server { group?.add(server) }
      server = nil
      try await until { group?.count == 0 }
    }
  }

  @Test func `a connection can be in several groups`() async throws {
    try await withPairs(1) { clients, servers in
      let groups = [Group(), Group()]
      for group in groups { group.add(servers[0]) }
      for body in bodies(0..<50) { try await groups[Int(body[0] % 2)].broadcast(body) }
      let frames = try await take(50, from: clients[0])
      #expect(frames.filter { $0[0] % 2 == 0 } == bodies(0..<50).filter { $0[0] % 2 == 0 })
      #expect(frames.filter { $0[0] % 2 == 1 } == bodies(0..<50).filter { $0[0] % 2 == 1 })
    }
  }

  @Test func `a body that is too large is refused, with members and without`() async throws {
    try await withPairs(1) { clients, servers in
      let group = Group()
      let large = [UInt8](repeating: 0, count: 65_537)
      #expect(try group.tryBroadcast([1]))
      let error = try await #require(throws: TransportError.self) { try await group.broadcast(large) }
      #expect(error.code == .frameTooLarge)
      group.add(servers[0])
      #expect(throws: error) { try group.tryBroadcast(large) }
      try await group.broadcast([2])
      #expect(try await take(1, from: clients[0]) == [[2]])
    }
  }

  /// How many segments with data a connection has sent.
  private func countSegments(_ connection: Connection) async -> UInt32 {
    await withCheckedContinuation { continuation in
      connection.channel.loop.perform {
        // tcpi_data_segs_out of struct tcp_info (linux/tcp.h), which the C library's own does not have.
        let offset = 156
        var info = [UInt8](repeating: 0, count: 160)
        var size = socklen_t(info.count)
        let descriptor = (connection.channel.stream as? SocketStream)?.descriptor ?? -1
        getsockopt(descriptor, CInt(IPPROTO_TCP), TCP_INFO, &info, &size)
        continuation.resume(returning: info.withUnsafeBytes { $0.load(fromByteOffset: offset, as: UInt32.self) })
      }
    }
  }

  @Test func `frames of a tick leave together`() async throws {
    try await withPairs(2) { clients, servers in
      let group = Group()
      for server in servers { group.add(server) }
      let before = await countSegments(servers[1])
      // Where the one lives whose segments are counted; the other may live on another loop.
      try await Task(executorPreference: servers[1].executor) {
        for body in bodies(0..<5) {
          let isAccepted = try group.tryBroadcast(body)
          #expect(isAccepted)
        }
      }.value
      for client in clients { #expect(try await take(5, from: client) == bodies(0..<5)) }
      #expect(await countSegments(servers[1]) - before == 1)
    }
  }
}
