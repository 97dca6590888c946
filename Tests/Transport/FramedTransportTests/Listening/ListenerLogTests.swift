import Foundation
import FramedCoding
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport

/// What the transport says, and what it counts by name.
@Suite(.timeLimit(.minutes(1))) struct ListenerLogTests {
  /// Collects messages.
  private final class Messages: Sendable {
    private let all = Locked<[LogMessage]>([])

    var handler: @Sendable (LogMessage) -> Void { { message in self.all.withLock { $0.append(message) } } }

    func about(_ text: String) -> [LogMessage] { all.withLock { $0.filter { $0.text.contains(text) } } }
  }

  private func withListener(
    _ messages: Messages, pending: PendingConnectionLimits = .unlimited, _ body: (Listener) async throws -> Void
  ) async throws {
    let listener = try await Listener.bind(interface: "lo", limits: .untimed, pending: pending, log: messages.handler)
    try await body(listener)
    await listener.close()
  }

  @Test func `the log of a listener has its beginning and its end, with the addresses`() async throws {
    let messages = Messages()
    try await withListener(messages) { listener in
      let begun = try #require(messages.about("listening at").first)
      #expect(begun.level == .info && begun.source == "FramedTransport")
      #expect(begun.metadata["address"]?.contains(":\(listener.port)") == true)
      #expect(messages.about("no longer").isEmpty)
    }
    #expect(messages.about("no longer listening at").count == 1)
  }

  @Test func `a refused connection is told with its peer, and more of them in the same second are not`() async throws {
    let messages = Messages()
    let pending = PendingConnectionLimits(count: 1, countPerAddress: nil, timeLimit: nil, overflow: .refuse)
    try await withListener(messages, pending: pending) { listener in
      let first = try await listener.reach(.plaintext)
      try await until { listener.metrics.pending == 1 }
      for _ in 0..<3 { _ = try? await listener.reach(.plaintext) }
      try await until { listener.metrics.refusedCrowded >= 3 }
      let told = messages.about("was refused")
      #expect(told.count < listener.metrics.refusedCrowded && told.first?.level == .warning)
      #expect(told.first?.metadata["peer"]?.isEmpty == false)
      first.abort()
    }
  }

  @Test func `the error that ends a connection is told as a detail`() async throws {
    let messages = Messages()
    try await withListener(messages) { listener in
      let peer = try await listener.reach(.plaintext, format: FrameFormat(lengthWidth: .two, maximumBodySize: 1_000))
      // A length that is too large for the listener's format.
      try await peer.send([0xFF, 0xFF, 0xFF])
      let accepted = try await listener.accept()
      await #expect(throws: TransportError.self) { _ = try await accepted.next() }
      try await until { listener.metrics.malformed == 1 }
      let told = try #require(messages.about("Reading from").first)
      #expect(told.level == .debug && told.metadata["error"] == "\(TransportError.Code.frameTooLarge)")
    }
  }

  @Test func `an attempt that fails is told although another succeeds`() async throws {
    let messages = Messages()
    try await withListener(Messages()) { listener in
      let closed = try await Listener.bind(to: try #require(SocketAddress(numericHost: "127.0.0.1", port: 0)))
      let gone = closed.addresses[0]
      await closed.close()
      let client = try await Connection.connect(to: [gone] + listener.addresses, log: messages.handler)
      client.abort()
      let failed = try #require(messages.about("Connecting to \(gone) failed").first)
      #expect(failed.level == .debug && failed.metadata == ["peer": "\(gone)", "error": "refused"])
      #expect(messages.about("connected to").first?.metadata["peer"] == "\(client.peer)")
    }
  }

  @Test func `of each kind one message a second is passed on, and the next says how many were left out`() {
    var throttle = LogThrottle()
    let start = ContinuousClock.now
    #expect(throttle.admit("refused", at: start) == 0)
    for _ in 0..<5 { #expect(throttle.admit("refused", at: start + .milliseconds(999)) == nil) }
    #expect(throttle.admit("shed", at: start + .milliseconds(500)) == 0)
    #expect(throttle.admit("refused", at: start + .seconds(1)) == 5)
    #expect(throttle.admit("refused", at: start + .milliseconds(1_999)) == nil)
    #expect(throttle.admit("refused", at: start + .seconds(9)) == 1)
    #expect(throttle.admit("refused", at: start + .seconds(99)) == 0)
  }

  // MARK: - Metrics

  @Test func `the metrics of a listener have names and labels, of which no two are the same`() {
    var metrics = ListenerMetrics()
    (metrics.connections, metrics.shed, metrics.silent, metrics.bytesSent) = (3, 4, 5, .max)
    metrics.securityFailures[TransportError.Code(description: "wrongPasscode")] = 6
    let list = metrics.list
    #expect(list.count == Set(list.map { "\($0.name) \($0.labels)" }).count)
    #expect(list.allSatisfy { $0.name.hasPrefix("bonjourish_listener_") })
    #expect(list.allSatisfy { ($0.kind == .counter) == $0.name.hasSuffix("_total") })
    func value(_ name: String, _ labels: [String: String] = [:]) -> Int? {
      list.first { $0.name == "bonjourish_listener_\(name)" && $0.labels == labels }?.value
    }
    #expect(value("connections") == 3 && value("refused_total", ["reason": "shed"]) == 4)
    #expect(value("broken_total", ["reason": "timedOut"]) == 5)
    #expect(value("security_failures_total", ["reason": "wrongPasscode"]) == 6)
    #expect(value("bytes_total", ["direction": "out"]) == .max)
  }

  @Test(
    arguments: [
      (.displaced, "displaced"), (.helloTimedOut, "helloTimedOut"), (.frameTimedOut, "frameTimedOut"),
      (.sendTimedOut, "sendTimedOut"), (.lagging, "lagging"), (.timedOut, "timedOut"), (.reset, "reset"),
      (.frameTooLarge, "malformedFrame"), (.malformedFrame, "malformedFrame"), (.truncated, "malformedFrame"),
    ] as [(TransportError.Code, String)])
  func `an error that ends a connection is counted once, with its reason`(code: TransportError.Code, reason: String) {
    var metrics = ListenerMetrics()
    #expect(metrics.list.allSatisfy { $0.value == 0 })
    metrics.count(code)
    metrics.count(.closed)
    let counted = metrics.list.filter { $0.value != 0 }
    #expect(counted == [Metric("listener_broken", .counter, 1, ["reason": reason])])
  }

  @Test func `each number of a listener has its name`() {
    var metrics = ListenerMetrics()
    (metrics.connections, metrics.pending, metrics.accepted, metrics.admitted) = (1, 2, 3, 4)
    (metrics.refusedCrowded, metrics.refusedFromAddress, metrics.shed) = (5, 6, 7)
    let counter = ByteCounter()
    counter.received(8)
    counter.received(1)
    counter.sent(10)
    counter.add(to: &metrics)
    let numbers = metrics.list.filter { $0.value != 0 }.map { "\($0.name) \($0.labels.values.first ?? "") \($0.value)" }
    #expect(
      numbers.map { $0.replacing("bonjourish_listener_", with: "") } == [
        "connections  1", "pending  2", "accepted_total  3", "admitted_total  4", "refused_total crowded 5",
        "refused_total address 6", "refused_total shed 7", "bytes_total in 9", "bytes_total out 10",
      ])
  }

  @Test func `counts of errors are encoded with the names of the codes`() throws {
    var counts = ErrorCounts()
    counts[.reset] += 1
    counts[.reset] += 1
    counts[.closed] += 1
    #expect(counts[.refused] == 0 && counts.all.map(\.code) == ["closed", "reset"] && counts.all.map(\.count) == [1, 2])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let encoded = try encoder.encode(counts)
    #expect(String(decoding: encoded, as: UTF8.self) == #"{"closed":1,"reset":2}"#)
    #expect(try JSONDecoder().decode(ErrorCounts.self, from: encoded) == counts)
  }

  @Test func `the metrics of a connection have names and labels`() async throws {
    try await withPair(.plaintext, .plaintext) { client, server in
      try await client.send([1, 2, 3])
      #expect(try await server.next() == [1, 2, 3])
      let list = await server.metrics.list
      #expect(list.count == Set(list.map { "\($0.name) \($0.labels)" }).count)
      let bytes = list.first { $0.name == "bonjourish_connection_bytes_total" && $0.labels == ["direction": "in"] }
      #expect(bytes?.value == 7 && bytes?.kind == .counter)
    }
  }
}
