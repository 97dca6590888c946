import CFramedOpenSSL
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity
@testable import FramedTransport
@testable import FramedTransportTesting

/// Records that cost time and give little or nothing: what a tick takes of them, and when the connection ends.
@Suite(.timeLimit(.minutes(2))) struct UselessRecordsTests {
  private let identity: Identity

  init() throws { identity = try Identity.ephemeral() }

  /// Two connections over a link in memory, which are established.
  private func withPair(
    _ body: (_ client: Connection, _ server: Connection) async throws -> Void
  ) async throws {
    let transportLoop = try TransportLoop.first(1)[0]
    let address = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    let limits = TransportLimits(receiveAhead: 4 << 20, frameTime: nil, stallTime: nil, keepAlive: nil, silenceLimit: nil)
    let layers = [
      (ListenerSecurity.encrypted(identity).layer!, MemoryLink.Direction.toClient),
      (ConnectionSecurity.anyKey().layer!, .toServer),
    ]
    let ends = await Task(executorPreference: transportLoop.loop) {
      let wire = MemoryWire(.init(window: 4 << 20), on: transportLoop.loop)
      return layers.map { layer, direction in
        let stream = layer.wrap(
          MemoryStream(wire, sending: direction), peer: address, terms: StreamTerms(.standard, .untimed, largestFrame: 65_536),
          on: transportLoop)
        return Connection(over: stream, peer: address, local: address, format: .standard, limits: limits, on: transportLoop)
      }
    }.value
    defer { for end in ends { end.abort() } }
    for (from, to) in [(ends[1], ends[0]), (ends[0], ends[1])] {
      try await from.send([1])
      #expect(try await to.next() == [1])
    }
    try await body(ends[1], ends[0])
  }

  /// Has a side's session write records, and sends them.
  private func say(_ connection: Connection, _ write: @escaping @Sendable (TLSSession) -> Void) async throws {
    let channel = connection.channel
    await Task(executorPreference: channel.loop) {
      guard let stream = channel.stream as? TLSStream, let session = stream.session else { return }
      write(session)
      stream.flush()
    }.value
  }

  /// Writes requests for new keys.
  private static func writeKeyUpdates(_ count: Int, _ session: TLSSession) {
    for _ in 0..<count {
      SSL_key_update(session.ssl, SSL_KEY_UPDATE_NOT_REQUESTED)
      _ = session.handshake()
    }
  }

  @Test(arguments: [true, false]) func `new keys without data end the connection, whoever sends them`(
    isClient: Bool
  ) async throws {
    try await withPair { client, server in
      let (from, to) = isClient ? (client, server) : (server, client)
      try await say(from) { Self.writeKeyUpdates(5_000, $0) }
      let error = await #expect(throws: TransportError.self) { try await to.next() }
      #expect(error?.code == .excessiveRecords, "\(error?.message ?? "")")
    }
  }

  @Test func `a few new keys for each mebibyte of data are nothing`() async throws {
    try await withPair { client, server in
      for _ in 0..<20 {
        try await say(client) { Self.writeKeyUpdates(4, $0) }
        for _ in 0..<16 { try await client.send([UInt8](repeating: 7, count: 65_536)) }
        for _ in 0..<16 { #expect(try await server.next()?.count == 65_536) }
      }
    }
  }

  /// Notes in each tick how many bytes a channel has received.
  private final class Observer: TickObserver, @unchecked Sendable {
    private let channel: Channel
    private var before: UInt64 = 0
    private(set) var most: UInt64 = 0
    private(set) var tickCount = 0

    init(_ channel: Channel) { self.channel = channel }

    func tickEnded() {
      let count = channel.bytesReceived - before
      if before > 0 { most = max(most, count) }
      if count > 0 { tickCount += 1 }
      before = channel.bytesReceived
      if channel.phase == .open { channel.loop.afterTick(self) }
    }
  }

  @Test func `a tick takes a bounded number of records, and the rest comes without another event`() async throws {
    try await withPair { client, server in
      let observer = Observer(server.channel)
      await Task(executorPreference: server.channel.loop) { server.channel.loop.afterTick(observer) }.value
      // A frame of 5,000 bytes, each in a record of its own.
      let frame: [UInt8] = [0, 0, 0x13, 0x88] + [UInt8](repeating: 5, count: 5_000)
      try await say(client) { session in
        for byte in frame { withUnsafeBytes(of: byte) { _ = session.write($0) } }
      }
      #expect(try await server.next()?.count == 5_000)
      let most = await Task(executorPreference: server.channel.loop) { observer.most }.value
      #expect(most <= 256, "\(most) records in one tick")
      server.abort()
    }
  }

  @Test func `records without data are sixteen, and one more for each 256 KiB of data`() {
    var allowance = RecordAllowance()
    // What comes before them earns nothing.
    allowance.receive(10 << 20)
    for _ in 0..<16 { allowance.take() }
    #expect(!allowance.isExceeded)
    allowance.receive((256 << 10) - 1)
    allowance.receive(1)
    allowance.receive(600 << 10)
    for _ in 0..<3 { allowance.take() }
    #expect(!allowance.isExceeded)
    // Of the fourth, 88 KiB have come.
    allowance.receive((168 << 10) - 1)
    allowance.receive(1)
    allowance.take()
    #expect(!allowance.isExceeded)
    allowance.take()
    #expect(allowance.isExceeded)
    allowance.receive(10 << 20)
    #expect(allowance.isExceeded, "it stays so")
  }
}
