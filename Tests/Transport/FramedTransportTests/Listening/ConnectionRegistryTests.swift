import FramedCoding
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// The connections of a listener, over streams that no socket has brought.
@Suite(.timeLimit(.minutes(1))) struct ConnectionRegistryTests {
  private let registry = ConnectionRegistry(PendingConnectionLimits(countPerAddress: 2))
  private let transportLoop: TransportLoop

  init() throws {
    transportLoop = try TransportLoops.one.chosen()
  }

  /// Lets a connection in; nil if it is refused.
  private func enter(from host: String) throws -> Channel? {
    let peer = try #require(SocketAddress(numericHost: host, port: 9))
    guard let ticket = registry.arrive(peer, seenFrom: peer) else { return nil }
    let admission = AdmissionContext(registry: registry, ticket: ticket, byteCounter: registry.byteCounter(of: transportLoop))
    let channel = Channel(
      ScriptedStream(on: transportLoop.loop), peer: peer, terms: ChannelTerms(.standard, .untimed), on: transportLoop,
      admission: admission)
    registry.enter(channel, ticket)
    channel.start()
    return channel
  }

  @Test func `one pending connection after the other makes room`() async throws {
    let channels = try (1...3).map { try enter(from: "192.0.2.\($0)") }
    for count in 1...3 {
      registry.makeRoom()
      try await until { registry.metrics.connections == 3 - count }
      #expect(registry.metrics.displaced == count && registry.metrics.pending == 3 - count)
    }
    registry.makeRoom()
    #expect(registry.metrics.displaced == 3 && registry.metrics.accepted == 3)
    withExtendedLifetime(channels) {}
  }

  @Test func `an address has a place again when a connection of it was admitted, which counts once`() async throws {
    let channels = try (1...2).map { _ in try enter(from: "192.0.2.1") }
    let refused = try enter(from: "192.0.2.1")
    #expect(refused == nil)
    #expect(registry.metrics.refusedFromAddress == 1 && registry.metrics.accepted == 2)
    for _ in 0..<2 { channels[0]?.admit() }
    #expect(registry.metrics.admitted == 1 && registry.metrics.pending == 1 && registry.metrics.connections == 2)
    let next = try enter(from: "192.0.2.1")
    #expect(next != nil && registry.metrics.pending == 2)
    registry.abortAll { _ in }
    await registry.waitUntilEmpty()
  }

  @Test func `whoever waits for the last connection goes on when all were aborted`() async throws {
    let channels = try (1...3).map { try enter(from: "192.0.2.\($0)") }
    async let isEmpty: Void = registry.waitUntilEmpty()
    var counts: [Int] = []
    registry.abortAll { counts.append($0) }
    await isEmpty
    registry.abortAll { counts.append($0) }
    #expect(counts == [3, 0] && registry.connectionCount == 0 && registry.metrics.pending == 0)
    await registry.waitUntilEmpty()
    withExtendedLifetime(channels) {}
  }
}
