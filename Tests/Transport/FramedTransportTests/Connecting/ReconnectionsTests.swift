import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) final class ReconnectionsTests: Sendable {
  private let time = ManualTime()
  private let events = Locked<[ReconnectionEvent]>([])

  /// What happened, without times and identities.
  private var story: [String] {
    events.withLock { events in
      events.map { event in
        switch event {
        case .connecting(let attempt): "connecting \(attempt)"
        case .connected: "connected"
        case .failed(let error): "failed \(error.code)"
        case .lost(_, let error): "lost \(error.map { "\($0.code)" } ?? "in order")"
        case .waiting: "waiting"
        case .gaveUp(let error): "gave up \(error.code)"
        }
      }
    }
  }

  private func reconnections(
    _ policy: ReconnectionPolicy = .standard, connectingBy connect: @escaping @Sendable () async throws -> Connection,
    retry: @escaping @Sendable (TransportError) -> Bool = { !$0.isPermanent }
  ) -> Reconnections {
    Reconnections(
      policy: policy, time: time.clock, generator: { SeededGenerator(seed: 7) }, connectingBy: connect,
      events: { event in self.events.withLock { $0.append(event) } }, retry: retry)
  }

  /// Lets the wait that was told last pass.
  private func passWait(number: Int) async throws {
    try await until { story.count { $0 == "waiting" } == number }
    let deadline = events.withLock { events in
      events.compactMap { event -> ContinuousClock.Instant? in
        if case .waiting(let deadline) = event { deadline } else { nil }
      }.last
    }
    await time.advance(to: time.start.duration(to: try #require(deadline)))
  }

  @Test func `a connection that has ended is followed by the next`() async throws {
    try await withListener { listener in
      let addresses = listener.addresses
      let reconnections = reconnections { try await Connection.connect(to: addresses) }
      let received = Locked<[[UInt8]]>([])
      let client = Task {
        for try await connection in reconnections {
          do {
            for try await frame in connection.frames { received.withLock { $0.append(frame) } }
          } catch {}
        }
      }
      for number in 1...3 as ClosedRange<UInt8> {
        let server = try await listener.accept()
        try await server.send([number])
        if number == 2 {
          try await until { received.withLock { $0.count } == 2 }
          server.abort()
        } else {
          await server.close()
        }
        try await passWait(number: Int(number))
      }
      let last = try await listener.accept()
      client.cancel()
      _ = await client.result
      last.abort()
      #expect(received.withLock { $0 } == [[1], [2], [3]])
      #expect(
        story.prefix(12) == [
          "connecting 1", "connected", "lost in order", "waiting", "connecting 2", "connected", "lost reset", "waiting",
          "connecting 3", "connected", "lost in order", "waiting",
        ])
    }
  }

  @Test func `failed attempts are told and repeated until one succeeds`() async throws {
    struct Nowhere: Error {}
    try await withListener { listener in
      let addresses = listener.addresses
      let attempts = Locked(0)
      let reconnections = reconnections {
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        if attempt == 1 { throw Nowhere() }
        return try await Connection.connect(to: attempt == 2 ? [] : addresses)
      }
      let client = Task { () -> Connection? in
        for try await connection in reconnections { return connection }
        return nil
      }
      try await passWait(number: 1)
      try await passWait(number: 2)
      let server = try await listener.accept()
      #expect(try await client.value?.local == server.peer)
      #expect(
        story == [
          "connecting 1", "failed unreachable", "waiting", "connecting 2", "failed unreachable", "waiting", "connecting 3",
          "connected",
        ])
      let messages = events.withLock { $0.compactMap { if case .failed(let error) = $0 { error.message } else { nil } } }
      #expect(messages.count == 2 && messages.first == "Nowhere()")
    }
  }

  @Test func `an error that says which of the transport's it is keeps its code and text`() async throws {
    struct NotFound: TransportErrorConvertible {
      var transportError: TransportError { TransportError(.unresolved, "Looking up \"Ada\u{1B}\" failed: no answer") }
    }
    let reconnections = reconnections(ReconnectionPolicy(failureLimit: 1)) { throw NotFound() }
    let error = await #expect(throws: TransportError.self) { for try await _ in reconnections {} }
    #expect(error == NotFound().transportError)
    #expect(error?.description == #"Looking up "Ada\u{1B}" failed: no answer"#)
    #expect(story == ["connecting 1", "failed unresolved", "gave up unresolved"])
  }

  @Test func `the reason of an error of messages is kept`() async throws {
    let connect: @Sendable () async throws -> Connection = {
      let (client, server, _) = try Connection.pair(limits: .untimed)
      server.abort()
      var words = MessageConnection(client, codec: Word.codec).messages.makeAsyncIterator()
      _ = try await words.next()
      return client
    }
    let reconnections = reconnections(ReconnectionPolicy(failureLimit: 1), connectingBy: connect)
    let error = await #expect(throws: TransportError.self) { for try await _ in reconnections {} }
    #expect(error?.code == .reset)
  }

  @Test func `an error that another attempt cannot change ends the sequence, whatever the policy permits`() async throws {
    let refusal = TransportError(.unreachable, isPermanent: true, "Ada's host does not let Bob in")
    let reconnections = reconnections { throw refusal }
    let error = await #expect(throws: TransportError.self) { for try await _ in reconnections {} }
    #expect(error == refusal)
    #expect(story == ["connecting 1", "failed unreachable", "gave up unreachable"])
  }

  @Test func `a request that the peer refuses while connecting ends the sequence, but not one that it has no room for`() async {
    for (code, isPermanent) in [("banned" as RemoteError.Code, true), (.busy, false)] {
      events.withLock { $0 = [] }
      let refusal = MessagingError(.refused, remote: RemoteError(code, "no"), "192.0.2.2 refused a request: no")
      let reconnections = reconnections(ReconnectionPolicy(failureLimit: isPermanent ? nil : 1)) { throw refusal }
      let error = await #expect(throws: TransportError.self) { for try await _ in reconnections {} }
      #expect(error?.isPermanent == isPermanent)
      #expect(story == ["connecting 1", "failed unreachable", "gave up unreachable"])
    }
  }

  @Test func `the caller decides which errors end the sequence`() async throws {
    let attempts = Locked(0)
    let reconnections = reconnections {
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      throw TransportError(attempt < 3 ? .unreachable : .timedOut, isPermanent: attempt < 3, "Attempt \(attempt) failed")
    } retry: { error in
      error.isPermanent
    }
    let client = Task { for try await _ in reconnections {} }
    for number in 1...2 { try await passWait(number: number) }
    let error = await #expect(throws: TransportError.self) { try await client.value }
    #expect(error?.code == .timedOut)
    #expect(
      story == [
        "connecting 1", "failed unreachable", "waiting", "connecting 2", "failed unreachable", "waiting", "connecting 3",
        "failed timedOut", "gave up timedOut",
      ])
  }

  @Test func `a connection that ended for good is followed by none`() async throws {
    let connections = try Connection.pair(limits: .untimed)
    let reconnections = reconnections {
      connections.client
    } retry: {
      $0.code != .reset
    }
    let client = Task {
      for try await connection in reconnections {
        connections.server.abort()
        do { for try await _ in connection.frames {} } catch {}
      }
    }
    let error = await #expect(throws: TransportError.self) { try await client.value }
    #expect(error?.code == .reset)
    #expect(story == ["connecting 1", "connected", "lost reset", "gave up reset"])
  }

  @Test func `after too many failures the error of the last is thrown`() async throws {
    let refusing = try RawSocket()
    defer { refusing.close() }
    let port = refusing.socketAddress
    let reconnections = reconnections(ReconnectionPolicy(failureLimit: 2)) { try await Connection.connect(to: [port]) }
    let client = Task { for try await _ in reconnections {} }
    try await passWait(number: 1)
    let error = await #expect(throws: TransportError.self) { try await client.value }
    #expect(error?.code == .refused)
    #expect(story == ["connecting 1", "failed refused", "waiting", "connecting 2", "failed refused", "gave up refused"])
  }

  @Test func `a cancelled task waits no longer, and gets no connection`() async throws {
    let refusing = try RawSocket()
    defer { refusing.close() }
    let port = refusing.socketAddress
    let reconnections = reconnections { try await Connection.connect(to: [port]) }
    let client = Task {
      var iterator = reconnections.makeAsyncIterator()
      let connection = try await iterator.next()
      return (connection, try await iterator.next())
    }
    try await until { story.last == "waiting" }
    client.cancel()
    let (first, second) = try await client.value
    #expect(first == nil && second == nil)
    #expect(story == ["connecting 1", "failed refused", "waiting"])
  }

  @Test func `asking for the next connection ends the one before`() async throws {
    try await withListener { listener in
      let addresses = listener.addresses
      let reconnections = reconnections(ReconnectionPolicy(failureLimit: 1)) { try await Connection.connect(to: addresses) }
      let client = Task {
        var iterator = reconnections.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        _ = try await iterator.next()
        _ = first
      }
      let server = try await listener.accept()
      await #expect(throws: TransportError.self) { for try await _ in server.frames {} }
      let error = await #expect(throws: TransportError.self) { try await client.value }
      #expect(error?.code == .reset)
      #expect(story == ["connecting 1", "connected", "lost in order", "gave up reset"])
    }
  }
}
