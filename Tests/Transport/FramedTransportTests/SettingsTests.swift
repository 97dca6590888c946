import FramedTransport
import FramedTransportTesting
import Testing

/// Limits and policies, of which one value is changed.
struct SettingsTests {
  @Test func `one value of given limits can be changed`() {
    var limits = TransportLimits.peer
    limits.heartbeat = Heartbeat()
    #expect(limits != .peer)
    #expect(limits.keepAlive == TransportLimits.peer.keepAlive)
    limits.heartbeat = nil
    #expect(limits == .peer)

    var heartbeat = Heartbeat()
    heartbeat.timeout = .seconds(30)
    #expect(heartbeat == Heartbeat(timeout: .seconds(30)))
    var policy = ReconnectionPolicy.standard
    policy.failureLimit = 3
    #expect(policy == ReconnectionPolicy(failureLimit: 3))
    var requests = RequestLimits.standard
    requests.asked = 1
    #expect(requests == RequestLimits(asked: 1))
  }

  @Test func `the low-water mark follows the high-water mark unless it is set`() {
    var limits = TransportLimits.standard
    limits.sendHighWater = 400
    #expect(limits.sendLowWater == 100)
    limits.sendLowWater = 7
    limits.sendHighWater = 800
    #expect(limits.sendLowWater == 7)
  }

  @Test func `a peer that was chosen may take its time, and a busy one as long as it likes`() {
    #expect(TransportLimits.peer.stallTime == nil && TransportLimits.patient.stallTime == nil)
    #expect(TransportLimits.patient.silenceLimit == nil && TransportLimits.patient.keepAlive != nil)
    #expect(PendingConnectionLimits.hello.admission == .app && PendingConnectionLimits.standard.admission == .firstFrame)
  }

  @Test func `values that cannot be used stop the program when they are used`() async throws {
    await #expect(processExitsWith: .failure) {
      var limits = TransportLimits.peer
      limits.sendLowWater = limits.sendHighWater
      _ = try? await Connection.connect(toHost: "127.0.0.1", port: 1, limits: limits)
    }
    await #expect(processExitsWith: .failure) {
      var limits = PendingConnectionLimits.standard
      limits.count = 0
      _ = try? await Listener.bind(pending: limits)
    }
    await #expect(processExitsWith: .failure) {
      var limits = TransportLimits.peer
      limits.heartbeat = Heartbeat()
      limits.heartbeat?.interval = .seconds(60)
      _ = try? await Connection.connect(toHost: "127.0.0.1", port: 1, limits: limits)
    }
    await #expect(processExitsWith: .failure) {
      var limits = RequestLimits.standard
      limits.heartbeat = Heartbeat()
      limits.heartbeat?.timeout = .zero
      let (client, _, _) = try Connection.pair()
      try await client.answerRequests(Word.codec, replies: Word.codec, limits: limits) { word, _ in word }
    }
    await #expect(processExitsWith: .failure) { _ = TransportLimits(receiveAhead: 0) }
    await #expect(processExitsWith: .failure) { _ = RequestLimits(asked: 0) }
    await #expect(processExitsWith: .failure) { _ = PendingConnectionLimits(count: 0) }
    await #expect(processExitsWith: .failure) { _ = ReconnectionPolicy(failureLimit: 0) }
    await #expect(processExitsWith: .failure) {
      var policy = ReconnectionPolicy.standard
      policy.cap = .zero
      _ = Reconnections(toHost: "127.0.0.1", port: 1, policy: policy).makeAsyncIterator()
    }
  }

  @Test func `the error behind another is kept when a closure connects`() async throws {
    struct Nobody: Error {}
    var iterator = Reconnections(
      policy: ReconnectionPolicy(base: .milliseconds(1), failureLimit: 1), connectingBy: { throw Nobody() }
    ).makeAsyncIterator()
    let error = await #expect(throws: TransportError.self) { try await iterator.next() }
    #expect(error?.code == .unreachable)
    #expect(error?.underlyingError is Nobody)
    #expect(error == TransportError(.unreachable, "Nobody()"))
  }

  @Test func `events are told in one line`() throws {
    let error = TransportError(.refused, "Connecting failed")
    #expect("\(ReconnectionEvent.connecting(attempt: 2))" == "connecting (attempt 2)")
    #expect("\(ReconnectionEvent.failed(error))" == "failed: Connecting failed")
    #expect("\(ReconnectionEvent.gaveUp(error))" == "gave up: Connecting failed")
    #expect("\(ReconnectionEvent.waiting(until: .now - .seconds(1)))" == "waiting for 0 ms")
    let hour = "\(ReconnectionEvent.waiting(until: .now + .seconds(3_600)))".split(separator: " ")[2]
    #expect((3_500_000...3_600_000).contains(Int(hour) ?? 0))
    let (client, _, _) = try Connection.pair()
    #expect("\(ReconnectionEvent.connected(client))" == "connected with \(client.peer)")
    #expect("\(ReconnectionEvent.lost(client, nil))" == "the connection with \(client.peer) was closed")
    #expect("\(ReconnectionEvent.lost(client, error))" == "lost the connection with \(client.peer): Connecting failed")
  }
}
