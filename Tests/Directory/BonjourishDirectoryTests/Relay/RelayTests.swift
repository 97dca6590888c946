import Bonjourish
import BonjourishDirectory
import BonjourishTransport
import FramedSecurity
import FramedTransport
import Testing

/// Connections by the relay of a real server.
@Suite(.timeLimit(.minutes(2))) struct RelayTests {
  @Test func `two programs that do not reach each other talk by the relay`() async throws {
    let server = try await NATSServer()
    let format = FrameFormat(maximumBodySize: 2_000_000)
    let room = try await RelayRoom(server, format: format)
    try await room.opened {
      let connection = try await room.connect(format: format)
      #expect(connection.isRelayed)
      #expect(connection.peer.family == .ipv6 && connection.peer.host.hasPrefix("fd"))
      var frames = connection.frames.makeAsyncIterator()
      for size in [0, 1, 100, 70_000, 1_000_000] {
        let frame = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await connection.send(frame)
        #expect(try await frames.next() == frame)
      }
      connection.finishSending()
      #expect(try await frames.next() == nil)
      await connection.close()
      let counters = room.listener.metrics
      #expect(counters.accepted == 1 && counters.admitted == 1 && counters.bytesReceived > 1_000_000)
    }
  }

  @Test func `a directory that takes long to answer at first is waited for`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    try await room.opened {
      server.pause()
      let (states, state) = AsyncStream<String>.makeStream()
      let guest = try await Bonjour(server) {
        $0.stateChanged = { if case .unavailable(let error) = $0 { state.yield(error.message) } }
      }
      // It counts as away, but nothing has failed.
      let away = await states.first { _ in true }
      #expect(away?.hasSuffix("it has not answered yet") == true)
      async let connecting = Connection.connect(
        to: RelayRoom.instance, using: guest, format: .standard, security: .plaintext, within: .seconds(20))
      server.resume()
      let connection = try await connecting
      #expect(connection.isRelayed)
      await connection.close()
    }
  }

  @Test func `an address that answers is preferred`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server, at: "0.0.0.0")
    try await room.opened {
      let connection = try await room.connect()
      #expect(!connection.isRelayed)
      await connection.close()
    }
  }

  @Test func `a passcode is proved from end to end`() async throws {
    let server = try await NATSServer()
    let identity = try Identity.ephemeral()
    let room = try await RelayRoom(server, security: .passcode("471123", service: "_game._tcp", identity: identity))
    try await room.opened {
      let connection = try await room.connect(security: .passcode("471123", service: "_game._tcp"))
      #expect(connection.isRelayed && connection.securityDetails != nil)
      try await connection.send([1, 2, 3])
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == [1, 2, 3])
      await connection.close()
      let error = await #expect(throws: ServiceConnectionError.self) {
        try await room.connect(security: .passcode("471124", service: "_game._tcp"))
      }
      #expect(error?.message.contains("passcode") == true, "\(error?.message ?? "")")
      // The guest is told before it is counted.
      while room.listener.metrics.securityFailures[.wrongPasscode] < 1 { await Task.yield() }
    }
  }

  @Test func `a closed connection ends for the other side, and an aborted one is an error`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    let (ends, told) = AsyncStream.makeStream(of: TransportError.Code?.self)
    try await room.opened { connection in
      told.yield(await RelayRoom.end(of: connection))
    } _: {
      var ends = ends.makeAsyncIterator()
      let one = try await room.connect()
      try await one.send([1])
      await one.close()
      #expect(await ends.next() == .some(nil))
      let other = try await room.connect()
      try await other.send([1])
      other.abort()
      #expect(await ends.next() == .some(.reset))
    }
  }

  @Test func `nobody is reached where nobody accepts, and it is told why`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server)
    let none = await #expect(throws: ServiceConnectionError.self) { try await room.connect(within: .seconds(2)) }
    #expect(none?.code == .unresolved)
    try await room.opened {
      // The listener takes no more.
      await room.listener.close()
      let closed = await #expect(throws: ServiceConnectionError.self) { try await room.connect() }
      #expect(closed?.transportError.code == .refused)
      #expect(closed?.message.contains("By the relay: ") == true, "\(closed?.message ?? "")")
      server.kill()
      let away = await #expect(throws: ServiceConnectionError.self) { try await room.connect(within: .seconds(3)) }
      #expect(away != nil)
    }
  }

  @Test func `without relays, or without a listener, there are only addresses`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server) { $0.relays = false }
    try await room.opened {
      let error = await #expect(throws: ServiceConnectionError.self) { try await room.connect() }
      #expect(error?.transportError.code == .refused && error?.message.contains("By the relay") == false)
    }
    let other = try await RelayRoom(server)
    try await other.host.withPublishedService(named: "Game", type: "_game._tcp", port: other.listener.port) { _ in
      let error = await #expect(throws: ServiceConnectionError.self) { try await other.connect() }
      #expect(error?.transportError.code == .refused && error?.message.contains("By the relay") == false)
    }
  }

  @Test func `many pending connections of one program are refused, as from one address`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server, pending: PendingConnectionLimits(countPerAddress: 3))
    try await room.opened {
      var connections: [Connection] = []
      for _ in 0..<3 { connections.append(try await room.connect()) }
      let error = await #expect(throws: ServiceConnectionError.self) { try await room.connect() }
      #expect(error?.transportError.code == .refused)
      #expect(room.listener.metrics.refusedFromAddress >= 1 && room.listener.metrics.pending == 3)
      for connection in connections { await connection.close() }
    }
  }

  @Test func `a program connects with itself, many times at once`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server, pending: .init(countPerAddress: nil))
    try await room.opened {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<20 {
          group.addTask {
            let connection = try await Connection.connect(to: RelayRoom.instance, using: room.host)
            var frames = connection.frames.makeAsyncIterator()
            for turn in 0..<20 {
              let frame = [UInt8](repeating: UInt8(number), count: turn * 500)
              try await connection.send(frame)
              guard try await frames.next() == frame, connection.isRelayed else { throw Surprise() }
            }
            await connection.close()
            return number
          }
        }
        var count = 0
        for try await _ in group { count += 1 }
        #expect(count == 20)
      }
    }
  }

  @Test func `a group reaches relayed members, and draining ends them`() async throws {
    let server = try await NATSServer()
    let room = try await RelayRoom(server, pending: .init(countPerAddress: nil))
    let group = Group()
    try await room.opened { connection in
      group.add(connection)
      do { for try await _ in connection.frames {} } catch {}
    } _: {
      var members: [Connection] = []
      for _ in 0..<5 {
        let connection = try await room.connect()
        try await connection.send([])
        members.append(connection)
      }
      while room.listener.metrics.admitted < 5 { await Task.yield() }
      while group.count < 5 { await Task.yield() }
      for number in 0..<100 { try await group.broadcast([UInt8(number)]) }
      for member in members {
        var frames = member.frames.makeAsyncIterator()
        for number in 0..<100 { #expect(try await frames.next() == [UInt8(number)]) }
      }
      async let report = room.listener.drain(within: .seconds(20))
      for member in members { await member.close() }
      #expect(await report.aborted == 0)
    }
  }

  @Test func `the permissions that the documentation names are enough, and without them there is no relay`() async throws {
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        authorization: { users: [
          { user: host, password: h, permissions: {
            publish: ["$KV.bonjourish.>", "$JS.API.STREAM.INFO.KV_bonjourish", "$JS.API.STREAM.CREATE.KV_bonjourish",
              "$JS.API.CONSUMER.CREATE.KV_bonjourish", "$JS.API.DIRECT.GET.KV_bonjourish.>", "$JS.FC.KV_bonjourish.>",
              "bonjourish.relay.*.*"], subscribe: ["_INBOX.>", "bonjourish.relay.*.*"] } },
          { user: other, password: o, permissions: {
            publish: ["$JS.API.STREAM.INFO.KV_bonjourish", "$JS.API.CONSUMER.CREATE.KV_bonjourish",
              "$JS.API.DIRECT.GET.KV_bonjourish.>", "$JS.FC.KV_bonjourish.>"], subscribe: "_INBOX.>" } } ] }
        """)
    let room = try await RelayRoom(server) { $0.credentials = .password(user: "host", "h") }
    let other = try await Bonjour(server) { $0.credentials = .password(user: "other", "o") }
    try await room.opened {
      let connection = try await room.connect()
      #expect(connection.isRelayed)
      await connection.close()
      let error = await #expect(throws: ServiceConnectionError.self) {
        try await Connection.connect(to: RelayRoom.instance, using: other, within: .seconds(2))
      }
      #expect(error?.message.contains("By the relay") == true, "\(error?.message ?? "")")
    }
  }
}
