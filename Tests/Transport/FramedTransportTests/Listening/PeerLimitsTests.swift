import CBonjourishLinux
import FramedCoding
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// What a listener and its connections do with peers that do not behave. The time limits here are so short that they are always
/// over when they are waited for, or so long that they never are.
@Suite(.timeLimit(.minutes(1))) struct PeerLimitsTests {
  let short = Duration.milliseconds(20)
  let long = Duration.seconds(1000)
  private let hello = PendingConnectionLimits(admission: .app, timeLimit: .seconds(1000))

  /// The error that a connection ends with on this side.
  func end(of connection: Connection) async throws -> TransportError {
    try await #require(throws: TransportError.self) {
      for try await _ in connection.frames {}
      try await connection.send([1])
    }
  }

  /// Waits for connections, which are kept.
  private func take(_ count: Int, from listener: Listener) async throws -> [Connection] {
    var taken: [Connection] = []
    while taken.count < count { taken.append(try await listener.accept()) }
    return taken
  }

  // MARK: - Pending connections

  @Test func `a peer that says nothing is disconnected`() async throws {
    try await withRawPeerAndListener(pending: PendingConnectionLimits(timeLimit: short)) { peer, connection, listener in
      let error = try await end(of: connection)
      #expect(error.code == .helloTimedOut)
      #expect(error.description.contains("0.02 seconds"))
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) { try await blocking { try peer.readToEnd() } }
      try await until { listener.metrics.connections == 0 }
      let counters = listener.metrics
      #expect(counters.helloTimedOut == 1 && counters.accepted == 1)
      #expect(counters.admitted == 0 && counters.pending == 0)
    }
  }

  @Test func `a part of a frame is not a hello`() async throws {
    try await withRawPeer(pending: PendingConnectionLimits(timeLimit: short)) { peer, connection in
      // If the time is over already, it cannot be written any more.
      try? peer.write([0, 0, 0, 2, 1])
      let error = try await end(of: connection)
      #expect(error.code == .helloTimedOut)
    }
  }

  @Test func `the first frame admits`() async throws {
    try await withRawPeerAndListener(pending: PendingConnectionLimits(timeLimit: long)) { peer, connection, listener in
      #expect(listener.metrics.pending == 1)
      // However large: there is no hello that would be small.
      try peer.write([0, 0, 0x20, 0] + [UInt8](repeating: 7, count: 0x2000))
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next()?.count == 0x2000)
      let counters = listener.metrics
      #expect(counters.pending == 0 && counters.admitted == 1 && counters.connections == 1)
      #expect(counters.bytesReceived == 0x2004 && counters.bytesSent == 0)
      try await connection.send([1, 2, 3])
      try await until { listener.metrics.bytesSent == 7 }
    }
  }

  @Test func `a peer that the app admits may send large frames, and take its time`() async throws {
    try await withRawPeerAndListener(pending: hello) { peer, connection, listener in
      try peer.write([0, 0, 0, 1, 1])
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == [1])
      #expect(listener.metrics.pending == 1)
      connection.admit()
      connection.admit()
      #expect(listener.metrics.pending == 0 && listener.metrics.admitted == 1)
      try peer.write([0, 0, 0x10, 1] + [UInt8](repeating: 7, count: 0x1001))
      #expect(try await frames.next()?.count == 0x1001)
    }
  }

  @Test func `a peer that is admitted while its frames are shown in place may send large ones`() async throws {
    try await withRawPeer(pending: hello) { peer, connection in
      try peer.write([0, 0, 0, 1, 1])
      #expect(try await connection.receiveFrames { _ in connection.admit() } == 1)
      try peer.write([0, 0, 0x10, 1] + [UInt8](repeating: 7, count: 0x1001))
      var size = 0
      #expect(try await connection.receiveFrames { size = $0.count } == 1)
      #expect(size == 0x1001)
    }
  }

  @Test func `a pending peer may not send large frames`() async throws {
    try await withRawPeerAndListener(pending: hello) { peer, connection, listener in
      try peer.write([0, 0, 0x10, 0] + [UInt8](repeating: 7, count: 0x1000) + [0, 0, 0x10, 1])
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next()?.count == 0x1000)
      let error = try await #require(throws: TransportError.self) { try await frames.next() }
      #expect(error.code == .frameTooLarge)
      #expect(error.description.contains("not been admitted"))
      #expect(listener.metrics.malformed == 1)
      await #expect(throws: error) { try await frames.next() }
      #expect(listener.metrics.malformed == 1)
    }
  }

  @Test func `one address has so many pending, and another its own`() async throws {
    try await withListener(pending: PendingConnectionLimits(timeLimit: long)) { listener in
      let peers = try (0..<9).map { _ in try RawSocket(connectedTo: listener.port) }
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) { try await blocking { try peers[8].readToEnd() } }
      let connections = try await take(8, from: listener)
      let other = try RawSocket(connectedTo: listener.port, from: 2)
      #expect(try await listener.accept().peer.host == "127.0.0.2")
      #expect(listener.metrics.refusedFromAddress == 1 && listener.metrics.accepted == 9)

      // One more can come as soon as one has said hello.
      try peers[0].write([0, 0, 0, 0])
      #expect(try await connections.first { $0.peer == peers[0].socketAddress }?.frames.first { _ in true } == [])
      let next = try RawSocket(connectedTo: listener.port)
      #expect(try await listener.accept().peer == next.socketAddress)
      other.close()
    }
  }

  @Test func `the last pending connection displaces the first, or is refused`() async throws {
    try await withListener(pending: PendingConnectionLimits(count: 2, timeLimit: long)) { listener in
      let peers = try (1...3).map { try RawSocket(connectedTo: listener.port, from: $0) }
      let connections = try await take(3, from: listener)
      #expect(try await end(of: connections[0]).code == .displaced)
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) { try await blocking { try peers[0].readToEnd() } }
      #expect(listener.metrics.displaced == 1 && listener.metrics.pending == 2)
    }
    try await withListener(pending: PendingConnectionLimits(count: 2, timeLimit: long, overflow: .refuse)) { listener in
      let peers = try (1...3).map { try RawSocket(connectedTo: listener.port, from: $0) }
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) { try await blocking { try peers[2].readToEnd() } }
      let connections = try await take(2, from: listener)
      #expect(connections.map(\.peer.port) == peers[..<2].map(\.port))
      #expect(listener.metrics.refusedCrowded == 1)
    }
  }

  @Test func `who has begun a frame is not displaced by the silent`() async throws {
    try await withListener(pending: PendingConnectionLimits(count: 4, timeLimit: long)) { listener in
      let speaker = try RawSocket(connectedTo: listener.port, from: 1)
      let spoken = try await take(1, from: listener)
      try speaker.write([0, 0])
      try await until { listener.metrics.bytesReceived == 2 }
      let silent = try (2...10).map { try RawSocket(connectedTo: listener.port, from: $0) }
      _ = try await take(9, from: listener)
      try await until { listener.metrics.displaced == 6 }
      try speaker.write([0, 1, 7])
      #expect(try await spoken[0].frames.first { _ in true } == [7])
      for peer in silent { peer.close() }
    }
  }

  @Test func `a connection that this side opened is not pending`() async throws {
    try await withPair { client, server in
      let isTimed = try await look(at: client) { $0.timeoutDeadline.timerTime != .never }
      #expect(!isTimed)
      client.admit()
      try await client.send([1])
      #expect(try await server.frames.first { _ in true } == [1])
    }
  }

  // MARK: - Slowness

  @Test func `a frame that does not end ends the connection`() async throws {
    let limits = TransportLimits(frameTime: short, stallTime: nil)
    try await withRawPeerAndListener(limits: limits) { peer, connection, listener in
      try peer.write([0, 0, 0, 1, 7, 0, 0, 0, 2])
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == [7])
      let error = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(error?.code == .frameTimedOut)
      #expect(listener.metrics.frameTimedOut == 1)
      let sendError = await #expect(throws: TransportError.self) { try await connection.send([1]) }
      #expect(sendError?.code == .frameTimedOut)
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) { try await blocking { try peer.readToEnd() } }
    }
  }

  @Test func `frames that are not taken do not end it`() async throws {
    try await withRawPeer(limits: TransportLimits(frameTime: .milliseconds(1), stallTime: nil)) { peer, connection in
      try peer.write([0, 0, 0, 1, 7])
      try await until { connection.channel.inbound.withLock { $0.decoder.bufferedByteCount == 5 } }
      // Looked at again and again, and not found late.
      for _ in 0..<3 { try await turn(of: connection) { $0.timeoutDeadline.timerTime } }
      var frames = connection.frames.makeAsyncIterator()
      #expect(try await frames.next() == [7])
      try peer.write([0, 0, 0, 1, 8])
      #expect(try await frames.next() == [8])
    }
  }

  @Test func `a peer that takes nothing of what is sent is disconnected`() async throws {
    let limits = TransportLimits(frameTime: nil, stallTime: short, keepAlive: nil, silenceLimit: nil)
    try await withRawPeerAndListener(limits: limits) { peer, connection, listener in
      try peer.write([0, 0, 0, 0])
      let error = await #expect(throws: TransportError.self) {
        while true { try await connection.send([UInt8](repeating: 1, count: 60_000)) }
      }
      #expect(error?.code == .sendTimedOut)
      #expect(listener.metrics.sendTimedOut == 1 && listener.metrics.bytesSent > 0)
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) { try await blocking { try peer.readToEnd() } }
      try await until { listener.metrics.connections == 0 }
    }
  }

  @Test func `an idle connection has no timer`() async throws {
    let limits = TransportLimits(frameTime: .milliseconds(1), stallTime: nil)
    try await withRawPeer(limits: limits) { peer, connection in
      try peer.write([0, 0, 0, 0])
      #expect(try await connection.frames.first { _ in true } == [])
      var isArmed = true
      while isArmed { isArmed = try await look(at: connection) { $0.timeoutDeadline.timerTime != .never } }
    }
  }

  // MARK: - The system

  @Test(
    arguments: [
      (.standard, [1, 15, 1, 5, 20_000]), (.peer, [1, 10, 2, 5, 20_000]), (.patient, [1, 15, 3, 5, 0]),
      (TransportLimits(keepAlive: .seconds(1), silenceLimit: nil), [1, 1, 1, 5, 0]),
      (TransportLimits(keepAlive: .seconds(100_000), silenceLimit: nil), [1, 32_767, 20_000, 5, 0]),
    ] as [(TransportLimits, [CInt])])
  func `the system asks for silent peers, and sends small frames at once`(limits: TransportLimits, options: [CInt]) async throws
  {
    try await withPair(limits: limits) { client, server in
      for connection in [client, server] {
        let descriptor = try await look(at: connection) { ($0.stream as? SocketStream)?.descriptor ?? -1 }
        #expect(peerOptions(of: descriptor) == options + [1])
      }
    }
  }

  @Test func `by default both ends notice a peer that has vanished within 30 seconds, idle or not`() async throws {
    let listener = try await Listener.bind(interface: "lo", pending: .unlimited)
    let client = try await Connection.connect(to: listener.addresses)
    let server = try await listener.accept()
    for connection in [client, server] {
      let descriptor = try await look(at: connection) { ($0.stream as? SocketStream)?.descriptor ?? -1 }
      let options = peerOptions(of: descriptor)
      #expect(options[0] == 1 && options[1] + options[2] * options[3] <= 30, "an idle peer is asked, and given up: \(options)")
      #expect((1...30_000).contains(options[4]), "so is one that acknowledges nothing: \(options)")
    }
    client.abort()
    server.abort()
    await listener.close()
  }
}

/// SO_KEEPALIVE, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT, TCP_NODELAY.
private func peerOptions(of descriptor: CInt) -> [CInt] {
  let options = [
    (SOL_SOCKET, SO_KEEPALIVE), (CInt(IPPROTO_TCP), TCP_KEEPIDLE), (CInt(IPPROTO_TCP), TCP_KEEPINTVL),
    (CInt(IPPROTO_TCP), TCP_KEEPCNT), (CInt(IPPROTO_TCP), TCP_USER_TIMEOUT), (CInt(IPPROTO_TCP), TCP_NODELAY),
  ]
  return options.map { level, option in
    var value: CInt = -1
    var size = socklen_t(MemoryLayout<CInt>.size)
    getsockopt(descriptor, level, option, &value, &size)
    return value
  }
}

/// Looks at a channel on its loop.
private func look<Result: Sendable>(
  at connection: Connection, _ body: @escaping @Sendable (Channel) -> Result
) async throws -> Result {
  try Task.checkCancellation()
  return await withCheckedContinuation { continuation in
    connection.channel.loop.perform { continuation.resume(returning: body(connection.channel)) }
  }
}

/// Lets the loop of a connection run until something about the channel has changed.
private func turn<Value: Equatable & Sendable>(
  of connection: Connection, _ value: @escaping @Sendable (Channel) -> Value
) async throws {
  let before = try await look(at: connection, value)
  while try await look(at: connection, value) == before { await Task.yield() }
}

/// A peer made of system calls, a connection to it, and the listener that it came to.
private func withRawPeerAndListener<Result>(
  limits: TransportLimits = .untimed, pending: PendingConnectionLimits = .unlimited,
  _ body: (_ peer: RawSocket, _ connection: Connection, _ listener: Listener) async throws -> Result
) async throws -> Result {
  try await withListener(limits: limits, pending: pending) { listener in
    let peer = try RawSocket(connectedTo: listener.port)
    let connection = try await listener.accept()
    defer { connection.abort() }
    return try await body(peer, connection, listener)
  }
}
