import CBonjourishLinux
import FramedCoding
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct ConnectTests {
  /// A listener of which the system lets one connection in, which is made; who comes then gets no answer.
  private struct BlackHole {
    let listener: RawSocket
    let admission: RawSocket

    init() throws {
      listener = try RawSocket()
      try listener.listenForOne()
      admission = try RawSocket(connectedTo: listener.port)
    }
  }

  @Test func `a port without a listener refuses`() async throws {
    let socket = try RawSocket()
    let error = await #expect(throws: TransportError.self) { try await Connection.connect(to: [socket.socketAddress]) }
    #expect(error?.code == .refused)
    #expect(error?.errno == ECONNREFUSED)
    #expect(
      error?.description
        == "Connecting to 127.0.0.1:\(socket.port) failed: Connection refused; check that the other program runs and listens at this port"
    )
  }

  @Test func `when all addresses fail the error tells of each`() async throws {
    let sockets = try [RawSocket(), RawSocket()]
    let error = await #expect(throws: TransportError.self) {
      try await Connection.connect(to: sockets.map(\.socketAddress))
    }
    #expect(error?.code == .refused)
    for socket in sockets { #expect(error?.description.contains(":\(socket.port)") == true) }
  }

  @Test func `a link-local address without its interface is told what it lacks`() async throws {
    let address = try #require(SocketAddress(numericHost: "fe80::1", port: 9))
    let error = await #expect(throws: TransportError.self) { try await Connection.connect(to: [address]) }
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("[fe80::1]:9") == true && error?.description.contains("%eth0") == true)
  }

  @Test func `an IPv4 peer of a socket for both families has an IPv4 address`() throws {
    let mapped = try #require(SocketAddress(numericHost: "::ffff:10.0.0.1", port: 80))
    #expect(mapped.withSystemAddress { SocketAddress($0, size: $1) } == SocketAddress(numericHost: "10.0.0.1", port: 80))
    let other = try #require(SocketAddress(numericHost: "::fffe:10.0.0.1", port: 80))
    #expect(other.withSystemAddress { SocketAddress($0, size: $1) } == other)
  }

  @Test func `a connected descriptor belongs to the caller, which closes it`() async throws {
    let refusing = try RawSocket()
    try await withListener { listener in
      let descriptor = try await ConnectedSocket.connect(to: [refusing.socketAddress] + listener.addresses).take()
      let server = try await listener.accept()
      #expect(linux_fcntl(descriptor, F_GETFL, 0) & O_NONBLOCK != 0)
      #expect(linux_fcntl(descriptor, F_GETFD, 0) & FD_CLOEXEC != 0)
      #expect(write(descriptor, [0, 0, 0, 2, 7, 8] as [UInt8], 6) == 6)
      var frames = server.frames.makeAsyncIterator()
      #expect(try await frames.next() == [7, 8])
      #expect(close(descriptor) == 0)
      #expect(try await frames.next() == nil)
      await server.close()
    }
  }

  @Test func `a descriptor that cannot be connected is told as a connection is`() async throws {
    let refusing = try RawSocket()
    let refused = await #expect(throws: TransportError.self) {
      _ = try await ConnectedSocket.connect(to: [refusing.socketAddress])
    }
    #expect(refused?.code == .refused)
    let nowhere = await #expect(throws: TransportError.self) { _ = try await ConnectedSocket.connect(to: []) }
    #expect(nowhere?.code == .unreachable)
    let hole = try BlackHole()
    let late = await #expect(throws: TransportError.self) {
      _ = try await ConnectedSocket.connect(to: [hole.listener.socketAddress], within: .milliseconds(20))
    }
    #expect(late?.code == .timedOut && late?.message.contains("no answer within 0.0 seconds") == true)
  }

  @Test func `without addresses no host can be reached`() async {
    let error = await #expect(throws: TransportError.self) { try await Connection.connect(to: []) }
    #expect(error?.code == .unreachable)
  }

  @Test func `the next address is tried when the first refuses`() async throws {
    let refusing = try RawSocket()
    try await withListener { listener in
      let connection = try await Connection.connect(to: [refusing.socketAddress] + listener.addresses)
      #expect(listener.addresses.contains(connection.peer))
      await connection.close()
    }
  }

  @Test func `an address that does not answer is overtaken by the next`() async throws {
    let hole = try BlackHole()
    try await withListener { listener in
      let clock = ContinuousClock()
      let start = clock.now
      let connection = try await Connection.connect(to: [hole.listener.socketAddress] + listener.addresses)
      #expect(start.duration(to: clock.now) >= ConnectRace.step)
      #expect(listener.addresses.contains(connection.peer))
      await connection.close()
    }
  }

  /// The second host is a form of the first that only the system's resolver knows.
  @Test(arguments: [nil, "127.0.0.1", "127.1"])
  func `a peer that does not answer is given up in time`(host: String?) async throws {
    let hole = try BlackHole()
    let error = await #expect(throws: TransportError.self) {
      if let host {
        _ = try await Connection.connect(toHost: host, port: hole.listener.port, within: .milliseconds(60))
      } else {
        _ = try await Connection.connect(to: [hole.listener.socketAddress], within: .milliseconds(60))
      }
    }
    #expect(error?.code == .timedOut)
    #expect(error?.description.contains("no answer within 0.1 seconds; check the address") == true)
  }

  @Test(arguments: [nil, "127.0.0.1", "127.1"])
  func `a connection has the format, the limits, the loop and the log that were asked for`(host: String?) async throws {
    let format = FrameFormat(maximumBodySize: 77)
    let limits = TransportLimits.untimed(sendHighWater: 5_000)
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    let messages = Locked<[LogMessage]>([])
    let log: @Sendable (LogMessage) -> Void = { message in messages.withLock { $0.append(message) } }
    try await withListener(format: format) { listener in
      let connection =
        if let host {
          try await Connection.connect(
            toHost: host, port: listener.port, format: format, limits: limits, on: TransportLoops([transportLoop]), log: log)
        } else {
          try await Connection.connect(
            to: listener.addresses, format: format, limits: limits, on: TransportLoops([transportLoop]), log: log)
        }
      #expect(connection.format == format && connection.channel.limits == limits)
      #expect(connection.channel.loop === transportLoop.loop)
      #expect(messages.withLock { $0.contains { $0.text == "connected to \(connection.peer)" } })
      await connection.close()
    }
  }

  @Test func `a connected socket that nobody takes is closed, and has both addresses`() async throws {
    try await withListener { listener in
      func connect() async throws -> Connection {
        let socket = try await ConnectedSocket.connect(to: listener.addresses)
        let server = try await listener.accept()
        #expect(socket.peer == server.local && socket.local == server.peer)
        #expect(linux_fcntl(socket.descriptor, F_GETFD, 0) >= 0)
        return server
      }
      let server = try await connect()
      #expect(try await server.next() == nil)
    }
  }

  @Test func `connecting ends when its task is cancelled`() async throws {
    let hole = try BlackHole()
    let task = Task { try await Connection.connect(to: [hole.listener.socketAddress], within: .seconds(1000)) }
    task.cancel()
    let error = await #expect(throws: TransportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `a host can be named`() async throws {
    try await withListener { listener in
      let connection = try await Connection.connect(toHost: "localhost", port: listener.port)
      #expect(connection.peer.port == listener.port)
      await connection.close()
    }
    let addresses = try await SocketAddress.resolve(host: "LocalHost.", port: 9)
    #expect(addresses.map(\.description) == ["[::1]:9", "127.0.0.1:9"])
    #expect(try await SocketAddress.resolve(host: "10.1.2.3", port: 9).map(\.description) == ["10.1.2.3:9"])
  }

  @Test func `a host's families are looked up each for itself`() async throws {
    try await withListener { listener in
      let messages = Observed<[LogMessage]>([])
      // One is known only after the other has ended.
      let (answers, answer) = AsyncStream.makeStream(of: Void.self)
      let connecting = Task {
        try await Connection.connect(
          toHost: "host.example", port: listener.port, log: { message in messages.change { $0.append(message) } }
        ) {
          (host, family) throws(TransportError) in
          #expect(host == "host.example")
          switch family {
          case .ipv6:
            answer.finish()
            throw TransportError(.nameNotFound, "no IPv6")
          case .ipv4:
            for await _ in answers {}
            return [SocketAddress(numericHost: "127.0.0.1", port: 1)!]
          case .unix:
            return []
          }
        }
      }
      let connection = try await connecting.value
      // The port is the one that was asked for.
      #expect(connection.peer == SocketAddress(numericHost: "127.0.0.1", port: listener.port))
      let missing = try #require(messages.value(\.first))
      #expect(missing.level == .debug && missing.text == "no IPv6")
      #expect(missing.metadata == ["address": "host.example, port \(listener.port)", "error": "nameNotFound"])
      await connection.close()
    }
  }

  @Test func `a family whose look-up is silent holds the other one up for a moment only`() async throws {
    try await withListener { listener in
      let connection = try await Connection.connect(toHost: "host.example", port: listener.port, within: .seconds(3_600)) {
        (host, family) throws(TransportError) in
        if family == .ipv4 { return [SocketAddress(numericHost: "127.0.0.1", port: 1)!] }
        await untilCancelled()
        throw .cancelled("Looking up \(host)")
      }
      #expect(connection.peer.family == .ipv4)
      await connection.close()
    }
  }

  @Test func `a host without addresses is not found, and a silent lookup is given up`() async throws {
    let unknown = await #expect(throws: TransportError.self) {
      try await Connection.connect(toHost: "host.example", port: 1, within: .seconds(3_600)) {
        (_, family) throws(TransportError) in
        throw TransportError(.nameNotFound, "no \(family)")
      }
    }
    #expect(unknown?.code == .nameNotFound)
    let silent = await #expect(throws: TransportError.self) {
      try await Connection.connect(toHost: "host.example", port: 1, within: .milliseconds(20)) {
        (host, _) throws(TransportError) in
        await untilCancelled()
        throw .cancelled("Looking up \(host)")
      }
    }
    #expect(silent?.code == .timedOut)
    #expect(silent?.description.contains("host.example, port 1") == true)
  }

  @Test(arguments: ["", "a\0b", "no host has spaces", "double..dot"])
  func `a host that cannot exist is not found`(host: String) async {
    let error = await #expect(throws: TransportError.self) { try await SocketAddress.resolve(host: host, port: 1) }
    #expect(error?.code == .nameNotFound)
  }

  @Test func `a look-up ends when its task is cancelled`() async {
    let lookup = Task {
      // Cancelled before it begins, so that this does not depend on how fast a name service is.
      while !Task.isCancelled { await Task.yield() }
      return try await SocketAddress.resolve(host: "never.invalid", port: 1)
    }
    lookup.cancel()
    let error = await #expect(throws: TransportError.self) { try await lookup.value }
    #expect(error?.code == .cancelled)
  }
}
