import FramedCoding
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// Connections with a host that is named, and what anybody on its network can do.
@Suite(.timeLimit(.minutes(1))) struct ReconnectionsToHostTests {
  private let quick = ReconnectionPolicy(base: .nanoseconds(1), cap: .nanoseconds(1))

  /// A form of 127.0.0.1 that only the system's resolver knows.
  private let host = "127.1"

  @Test func `connections have the format, the limits and the log that were asked for`() async throws {
    let format = FrameFormat(maximumBodySize: 77)
    let limits = TransportLimits.untimed(sendHighWater: 5_000)
    let messages = Locked<[LogMessage]>([])
    try await withListener(format: format) { listener in
      let reconnections = Reconnections(
        toHost: host, port: listener.port, format: format, limits: limits,
        log: { message in messages.withLock { $0.append(message) } })
      var iterator = reconnections.makeAsyncIterator()
      let connection = try #require(try await iterator.next())
      #expect(connection.format == format && connection.channel.limits == limits)
      #expect(messages.withLock { $0.contains { $0.text == "connected to 127.0.0.1:\(listener.port)" } })
      connection.abort()
    }
  }

  @Test func `an attempt takes as long as was asked for`() async throws {
    let hole = try RawSocket()
    try hole.listenForOne()
    let first = try RawSocket(connectedTo: hole.port)
    var policy = quick
    policy.failureLimit = 1
    let reconnections = Reconnections(toHost: host, port: hole.port, within: .milliseconds(60), policy: policy)
    let error = await #expect(throws: TransportError.self) { for try await _ in reconnections {} }
    #expect(error?.code == .timedOut && error?.message.contains("no answer within 0.1 seconds") == true)
    first.close()
  }

  @Test func `what anybody on the network can cause is permanent the tenth time in a row`() async {
    let stranger = TransportError(TransportError.Code(description: "stranger", permanence: .anybody), "somebody else answered")
    let attempts = Locked(0)
    let reconnections = Reconnections(
      policy: quick,
      connectingBy: {
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        throw attempt == 5 ? TransportError(.refused, "nobody is there") : stranger
      })
    let error = await #expect(throws: TransportError.self) { for try await _ in reconnections {} }
    #expect(error == stranger.asPermanent)
    #expect(attempts.withLock { $0 } == 5 + 10)
  }
}
