import CBonjourishLinux
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedSecurity
@testable import FramedTransport
@testable import FramedTransportTesting

/// The stream between two others: what it promises to a channel, and what it does with bytes that somebody changed.
@Suite(.timeLimit(.minutes(2))) struct StreamTests {
  private let identity: Identity

  init() throws { identity = try Identity.ephemeral() }

  /// Two connections over a link in memory, each with its layer, and how the layers ended up.
  private func withLayers<Result: Sendable>(
    _ server: ListenerSecurity, _ client: ConnectionSecurity, _ conditions: MemoryLink.Conditions = .init(),
    limits: TransportLimits = .untimed, toClient: (@Sendable (inout [UInt8]) -> Void)? = nil,
    toServer: (@Sendable (inout [UInt8]) -> Void)? = nil, cuttingAfter byteCount: Int? = nil,
    _ body: (_ client: Connection, _ server: Connection, _ link: MemoryLink, _ failures: Failures) async throws -> Result
  ) async throws -> Result {
    let transportLoop = try TransportLoop.first(1)[0]
    let address = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    let failures = Failures()
    let (ends, link) = await Task(executorPreference: transportLoop.loop) {
      let wire = MemoryWire(conditions, on: transportLoop.loop)
      if let byteCount { wire[.toServer].plan(.orderly, after: byteCount) }
      func end(_ layer: any StreamLayer, _ direction: MemoryLink.Direction, _ change: (@Sendable (inout [UInt8]) -> Void)?)
        -> Connection
      {
        var lower: any ByteStream = MemoryStream(wire, sending: direction)
        if let change { lower = ManipulatedStream(over: lower, change) }
        let stream = layer.wrap(
          lower, peer: address, terms: StreamTerms(.standard, .untimed, largestFrame: 65_536), on: transportLoop)
        stream.whenEstablished { error in failures.note(error, direction) }
        return Connection(
          over: stream, peer: address, local: address, format: .standard, limits: limits, on: transportLoop)
      }
      return (
        [end(server.layer!, .toClient, toServer), end(client.layer!, .toServer, toClient)], MemoryLink(wire)
      )
    }.value
    defer { for end in ends { end.abort() } }
    return try await body(ends[1], ends[0], link, failures)
  }

  /// How the layers were established.
  private final class Failures: Sendable {
    private let state = Locked<[MemoryLink.Direction: TransportError?]>([:])

    func note(_ error: TransportError?, _ direction: MemoryLink.Direction) { state.withLock { $0[direction] = .some(error) } }

    /// The error of the side that sends in a direction, once it is established or has failed.
    func outcome(_ direction: MemoryLink.Direction) async throws -> TransportError? {
      try await until { self.state.withLock { $0[direction] != nil } }
      return state.withLock { $0[direction] } ?? nil
    }
  }

  static let conditions = [
    MemoryLink.Conditions(), .init(window: 9_000, largestPiece: 6_000, seed: 24), .init(window: 100, largestPiece: 1, seed: 3),
  ]

  @Test(arguments: conditions) func `thousands of frames go both ways, whole and in order`(
    conditions: MemoryLink.Conditions
  ) async throws {
    let count = conditions.largestPiece == 1 ? 60 : 1_500
    for (server, client) in [
      (ListenerSecurity.encrypted(identity), ConnectionSecurity.anyKey()),
      (.passcode("471123", identity: identity), .passcode("471123")),
    ] {
      try await withLayers(server, client, conditions) { client, server, _, _ in
        @Sendable func exchange(_ connection: Connection, _ seed: UInt64, _ other: UInt64) async throws {
          async let sent: Void = connection.send(contentsOf: Self.bodies(seed, count))
          var frames = connection.frames.makeAsyncIterator()
          for body in Self.bodies(other, count) { #expect(try await frames.next() == body) }
          try await sent
        }
        async let there: Void = exchange(server, 1, 2)
        try await exchange(client, 2, 1)
        try await there
        async let closed: Void = client.close(within: .seconds(100))
        #expect(try await server.next() == nil)
        await server.close(within: .seconds(100))
        await closed
      }
    }
  }

  private static func bodies(_ seed: UInt64, _ count: Int) -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let size = UInt64.random(in: 0..<(generator.next() % 100 == 0 ? 40_000 : 100), using: &generator)
      let byte = UInt8(truncatingIfNeeded: generator.next())
      return [UInt8](repeating: byte, count: Int(size))
    }
  }

  @Test func `a sender waits for a reader behind two layers`() async throws {
    let limits = TransportLimits(
      sendHighWater: 64 * 1024, receiveAhead: 64 * 1024, frameTime: nil, stallTime: nil, keepAlive: nil, silenceLimit: nil)
    try await withLayers(.encrypted(identity), .anyKey(), limits: limits) { client, server, _, _ in
      let sender = Task {
        for _ in 0..<200 { try await client.send([UInt8](repeating: 5, count: 10_000)) }
      }
      try await until {
        client.channel.outbound.withLock { !$0.senders.isEmpty } && server.channel.inbound.withLock { $0.isPaused }
      }
      var frames = server.frames.makeAsyncIterator()
      for _ in 0..<200 { #expect(try await frames.next()?.count == 10_000) }
      try await sender.value
    }
  }

  @Test func `an end below without the goodbye is an error after the frames before it`() async throws {
    try await withLayers(.encrypted(identity), .anyKey()) { client, server, link, _ in
      try await client.send([1])
      #expect(try await server.next() == [1])
      await link.end(.toServer)
      let error = await #expect(throws: TransportError.self) { try await server.next() }
      #expect(error?.code == .unconfirmedEnd)
    }
  }

  @Test func `a reset below is the error that it is without encryption`() async throws {
    try await withLayers(.encrypted(identity), .anyKey()) { client, server, link, _ in
      try await client.send([1])
      #expect(try await server.next() == [1])
      await link.cut(.timedOut)
      let error = await #expect(throws: TransportError.self) { try await server.next() }
      #expect(error?.code == .timedOut)
    }
  }

  @Test func `an end at every byte of the handshake is an error, on both sides`() async throws {
    let total = try await withLayers(.passcode("1234", identity: identity), .passcode("1234")) { _, _, link, failures in
      let outcomes = [try await failures.outcome(.toServer), try await failures.outcome(.toClient)]
      #expect(outcomes == [nil, nil])
      return await link.traffic(.toServer).sent
    }
    try #require(total > 300)
    for count in stride(from: 0, to: total, by: 7) {
      try await withLayers(
        .passcode("1234", identity: identity), .passcode("1234"), .init(largestPiece: 50), cuttingAfter: count
      ) { _, _, _, failures in
        let outcome = try await failures.outcome(.toClient)
        #expect(outcome?.code == .handshakeFailed, "after \(count) bytes: \(outcome?.message ?? "established")")
      }
    }
  }

  @Test func `a byte changed anywhere in the handshake never leads to a connection with a peer`() async throws {
    for place in stride(from: 0, to: 700, by: 11) {
      let passed = Locked(0)
      @Sendable func change(_ bytes: inout [UInt8]) {
        let start = passed.withLock { passed in
          defer { passed += bytes.count }
          return passed
        }
        if bytes.indices.contains(place - start) { bytes[place - start] ^= 0x40 }
      }
      let passcodes = PasscodeGuard("1234")
      try await withLayers(.passcode(passcodes, identity: identity), .passcode("1234"), toClient: change) {
        client, server, link, failures in
        let outcome = try await failures.outcome(.toServer)
        // The record version, which receivers must ignore (RFC 8446, section 5.1), may be changed.
        if outcome == nil {
          try await client.send([7])
          #expect(try await server.next() == [7])
        }
      }
    }
  }

  @Test func `a changed record is told apart, and nothing of it is delivered`() async throws {
    let isArmed = Locked(false)
    @Sendable func change(_ bytes: inout [UInt8]) {
      if isArmed.withLock({ $0 }) { bytes[bytes.count - 1] ^= 1 }
    }
    try await withLayers(.encrypted(identity), .anyKey(), toServer: change) { client, server, _, failures in
      #expect(try await failures.outcome(.toClient) == nil)
      isArmed.withLock { $0 = true }
      try await client.send(Array("pay 10".utf8))
      let error = await #expect(throws: TransportError.self) { try await server.next() }
      #expect(error?.code == .tampered)
    }
  }

  @Test func `a record that is played again is told apart`() async throws {
    let isArmed = Locked(false)
    @Sendable func change(_ bytes: inout [UInt8]) {
      if isArmed.withLock({ $0 }) { bytes += bytes }
    }
    try await withLayers(.encrypted(identity), .anyKey(), toServer: change) { client, server, _, failures in
      #expect(try await failures.outcome(.toClient) == nil)
      isArmed.withLock { $0 = true }
      try await client.send(Array("pay 10".utf8))
      #expect(try await server.next() == Array("pay 10".utf8))
      let error = await #expect(throws: TransportError.self) { try await server.next() }
      #expect(error?.code == .tampered)
    }
  }

  @Test func `a peer that says nothing is given up`() async throws {
    // The handshake's own limit would be ten seconds; the listener's is shorter.
    try await withListener(
      .encrypted(identity), pending: .init(count: 4, countPerAddress: 4, timeLimit: .milliseconds(200))
    ) { listener in
      let silent = try await listener.reach(.plaintext)
      await #expect(throws: (any Error).self) {
        while try await silent.next() != nil {}
        throw TransportError(.closed, "an end is fine, too")
      }
      try await until { listener.metrics.helloTimedOut == 1 && listener.metrics.connections == 0 }
    }
  }

  @Test func `peers that hesitate in the handshake are pending, and make room for others`() async throws {
    let limits = PendingConnectionLimits(count: 4, countPerAddress: nil, timeLimit: .seconds(1_000))
    try await withListener(.encrypted(identity), pending: limits) { listener in
      var silent: [Connection] = []
      for _ in 0..<8 { silent.append(try await listener.reach(.plaintext)) }
      try await until { listener.metrics.displaced == 4 && listener.metrics.pending == 4 }
      let client = try await listener.reach(.anyKey())
      let server = try await listener.accept()
      try await client.send([1])
      #expect(try await server.next() == [1])
      #expect(listener.metrics.displaced == 5 && listener.metrics.admitted == 1)
      for connection in silent { connection.abort() }
    }
    try await withListener(.encrypted(identity), pending: .init(count: 8, countPerAddress: 2, timeLimit: .seconds(1_000))) {
      listener in
      var silent: [Connection] = []
      for _ in 0..<2 { silent.append(try await listener.reach(.plaintext)) }
      try await until { listener.metrics.pending == 2 }
      await #expect(throws: TransportError.self) {
        try await Connection.connect(to: [listener.addresses[0]], limits: .untimed, security: .anyKey())
      }
      #expect(listener.metrics.refusedFromAddress == 1)
      for connection in silent { connection.abort() }
    }
  }

  @Test func `who has completed the handshake is not displaced by those who hesitate`() async throws {
    let limits = PendingConnectionLimits(admission: .app, count: 4, countPerAddress: nil, timeLimit: .seconds(1_000))
    try await withListener(.encrypted(identity), pending: limits) { listener in
      let client = try await listener.reach(.anyKey())
      let server = try await listener.accept()
      // With its length this is the beginning of a record: 22 for a handshake, the version, half of 16 KiB (RFC 8446, section 5.1).
      let beginning: [UInt8] = [3, 1, 0x20, 0] + Array(repeating: 0, count: 18)
      let format = FrameFormat(lengthWidth: .one, maximumBodySize: 255)
      var others: [Connection] = []
      for _ in 0..<20 {
        let other = try await Connection.connect(to: listener.addresses, format: format, limits: .untimed)
        try await other.send(beginning)
        others.append(other)
      }
      try await until { listener.metrics.displaced == 17 }
      try await client.send([1])
      #expect(try await server.next() == [1])
      for other in others { other.abort() }
    }
  }

  @Test func `connecting ends at its limit if the peer never answers`() async throws {
    try await withListener(.plaintext) { listener in
      let error = await #expect(throws: TransportError.self) {
        try await Connection.connect(to: listener.addresses, security: .anyKey(), within: .milliseconds(200))
      }
      #expect(error?.code == .timedOut)
      let task = Task { try await Connection.connect(to: listener.addresses, security: .anyKey(), within: .seconds(100)) }
      try await until { listener.metrics.connections >= 1 }
      task.cancel()
      let cancelled = await #expect(throws: TransportError.self) { try await task.value }
      #expect(cancelled?.code == .cancelled)
    }
  }
}
