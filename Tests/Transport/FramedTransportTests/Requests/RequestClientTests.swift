import FramedCoding
import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) final class RequestClientTests: Sendable {
  typealias Codec = MarshallingCodec<Word>
  typealias Client = RequestClient<Codec, Codec>

  private let time = ManualTime()
  /// The servers' sides of the connections, in order.
  private let servers = Locked<[Connection]>([])
  /// What answers on them, and how it ends: without an error if the connection was closed in order.
  private let answering = Locked<[Task<MessagingError?, Never>]>([])
  private let received = Locked<[String]>([])
  /// How many attempts fail before one succeeds.
  private let failures = Locked(0)

  private var receivedCount: Int { received.withLock { $0.count } }

  /// A client of servers that answer everything but the first `mute` requests, for the time of a closure.
  private func withClient(
    failing: Int = 0, mute: Int = 0, limits: RequestLimits = .standard, policy: ReconnectionPolicy = .standard,
    _ body: @Sendable (Client) async throws -> Void
  ) async throws {
    failures.withLock { $0 = failing }
    let connections = Reconnections(
      policy: policy, time: time.clock, generator: { SeededGenerator(seed: 3) },
      connectingBy: {
        let mustFail = self.failures.withLock { left in
          left -= 1
          return left >= 0
        }
        if mustFail { throw TransportError(.refused, "nobody is there") }
        let (client, server, _) = try Connection.pair()
        self.servers.withLock { $0.append(server) }
        let task = Task { await self.serve(server, mute: mute) }
        self.answering.withLock { $0.append(task) }
        return client
      },
      events: { event in
        guard case .waiting(let deadline) = event else { return }
        // Lets the wait pass.
        Task { await self.time.advance(to: self.time.start.duration(to: deadline)) }
      })
    try await connections.withRequests(Word.codec, replies: Word.codec, limits: limits, body)
  }

  private func serve(_ server: Connection, mute: Int) async -> MessagingError? {
    do throws(MessagingError) {
      try await server.answerRequests(Word.codec, replies: Word.codec) { word, _ in
        let count = self.received.withLock { words in
          words.append(word.text)
          return words.count
        }
        if count <= mute { await untilCancelled() }
        return word
      } streaming: { word, writer, _ in
        // The words are numbers from this one on.
        for number in (Int(word.text) ?? 0)...20 {
          try await writer.send(Word("\(number)"))
          if number == 7, self.servers.withLock({ $0.count }) == 1 { return server.abort() }
        }
      }
      return nil
    } catch {
      return error
    }
  }

  private func cut() { servers.withLock { $0.last }?.abort() }

  @Test func `a request waits for a connection`() async throws {
    try await withClient(failing: 3) { (client) async throws in
      #expect(try await client.request("hello", within: .seconds(1000)) == "hello")
    }
    #expect(failures.withLock { $0 } == -1)
  }

  @Test func `an idempotent request is repeated after a cut, another is not`() async throws {
    try await withClient(mute: 2) { (client) async throws in
      let once = Task { try await client.request("once", within: .seconds(1000)) }
      try await until { receivedCount == 1 }
      let repeated = Task { try await client.request("again", within: .seconds(1000), policy: .idempotent) }
      try await until { receivedCount == 2 }
      cut()
      let error = await #expect(throws: MessagingError.self) { try await once.value }
      #expect(error?.code == .disconnected && error?.isUnsent == false)
      #expect(try await repeated.value == "again")
    }
    #expect(received.withLock { $0 } == ["once", "again", "again"])
  }

  @Test func `a request that was not sent is sent on the next connection`() async throws {
    try await withClient(mute: 1, limits: RequestLimits(asked: 1)) { (client) async throws in
      let first = Task { try await client.request("first", within: .seconds(1000)) }
      try await until { receivedCount == 1 }
      let second = Task { try await client.request("second", within: .seconds(1000)) }
      let third = Task { try await client.request("third", within: .seconds(1000), policy: .immediate) }
      // Both wait for the place of the first.
      for _ in 1...1000 { await Task.yield() }
      cut()
      await #expect(throws: MessagingError.self) { try await first.value }
      #expect(try await second.value == "second")
      _ = await third.result
    }
    #expect(received.withLock { $0.filter { $0 == "second" } } == ["second"])
  }

  @Test func `without a connection a request fails at once, at its deadline, or when there are no more`() async throws {
    let policy = ReconnectionPolicy(base: .seconds(1), cap: .seconds(1), failureLimit: 2)
    try await withClient(failing: 2, policy: policy) { (client) async throws in
      let error = await #expect(throws: MessagingError.self) { try await client.request("hello", within: .seconds(1000)) }
      #expect(error?.code == .disconnected && error?.isUnsent == true && error?.transport?.code == .refused)
      let after = await #expect(throws: MessagingError.self) { try await client.request("hello", policy: .immediate) }
      #expect(after?.code == .disconnected && after?.isUnsent == true)
      await #expect(throws: MessagingError.self) { try await client.notify("hello") }
    }
  }

  @Test(arguments: [false, true])
  func `an error that stays ends the connections by default, and requests tell it`(isRetried: Bool) async throws {
    let refusal = TransportError(.unreachable, isPermanent: true, "Ada's host does not let Bob in")
    let attempts = Locked(0)
    let connections = Reconnections(
      policy: .standard, time: time.clock, generator: { SeededGenerator(seed: 3) },
      connectingBy: {
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        if attempt <= 3 { throw refusal }
        let (client, server, _) = try Connection.pair()
        Task { await self.serve(server, mute: 0) }
        return client
      },
      events: { event in
        guard case .waiting(let deadline) = event else { return }
        Task { await self.time.advance(to: self.time.start.duration(to: deadline)) }
      },
      retry: { isRetried || !$0.isPermanent })
    try await connections.withRequests(Word.codec, replies: Word.codec) { (client) async throws in
      if isRetried {
        #expect(try await client.request("hello", within: .seconds(1000)) == "hello")
      } else {
        for policy in [RequestPolicy.once, .idempotent, .immediate] {
          let error = await #expect(throws: MessagingError.self) {
            try await client.request("hello", within: .seconds(1000), policy: policy)
          }
          #expect(error?.code == .disconnected && error?.transport == refusal && error?.isUnsent == true)
          #expect(error?.transportError.isPermanent == true)
        }
        var replies = client.replies(resuming: { "1" }).makeAsyncIterator()
        let error = await #expect(throws: MessagingError.self) { try await replies.next() }
        #expect(error?.transport == refusal)
      }
    }
    #expect(attempts.withLock { $0 } == (isRetried ? 4 : 1))
  }

  @Test func `the wait for a connection ends at the deadline`() async throws {
    let time = ManualTime()
    let connections = Reconnections(
      policy: .standard, time: time.clock, generator: { SeededGenerator(seed: 3) },
      connectingBy: {
        await untilCancelled()
        throw CancellationError()
      }, events: { _ in })
    await connections.withRequests(Word.codec, replies: Word.codec) { client in
      let immediate = await #expect(throws: MessagingError.self) { try await client.request("now", policy: .immediate) }
      #expect(immediate?.code == .disconnected && immediate?.isUnsent == true)
      let waiting = Task { try await client.request("hello", within: .seconds(7)) }
      let cancelled = Task { try await client.request("hello", within: .seconds(9)) }
      await time.sleepers(until: .seconds(7))
      cancelled.cancel()
      let gone = await #expect(throws: MessagingError.self) { try await cancelled.value }
      #expect(gone?.code == .cancelled && gone?.isUnsent == true)
      await time.advance(to: .seconds(7))
      let late = await #expect(throws: MessagingError.self) { try await waiting.value }
      #expect(late?.code == .timedOut && late?.isUnsent == true)
      let stream = Task {
        var replies = client.replies(eachWithin: .seconds(5), resuming: { "1" }).makeAsyncIterator()
        return try await replies.next()
      }
      await time.advance(to: .seconds(12))
      let silent = await #expect(throws: MessagingError.self) { try await stream.value }
      #expect(silent?.code == .timedOut && silent?.isUnsent == true)
    }
  }

  @Test func `the server can ask the client, too`() async throws {
    let heard = Observed<Set<String>>([])
    let connections = Reconnections(connectingBy: {
      let (client, server, _) = try Connection.pair()
      Task {
        try await server.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
          try await peer.notify("by the way")
          let reply = try await peer.request("who?")
          heard.change { _ = $0.insert(reply.text) }
          for try await word in peer.replies(to: "count") { heard.change { _ = $0.insert(word.text) } }
          try await peer.waitForEnd()
        }
      }
      return client
    })
    let all = await connections.withRequests(
      Word.codec, replies: Word.codec, answering: { word, _ in Word("answer to \(word)") },
      streaming: { word, writer, _ in
        for number in 1...2 { try await writer.send(Word("\(word) \(number)")) }
      }, notified: { word, _ in heard.change { _ = $0.insert(word.text) } }
    ) { _ in
      await heard.take { $0.count < 4 ? nil : $0 }
    }
    #expect(all == ["by the way", "answer to who?", "count 1", "count 2"])
  }

  @Test func `a stream goes on where a lost connection has ended it`() async throws {
    try await withClient { (client) async throws in
      var next = 1
      var words: [String] = []
      for try await word in client.replies(resuming: { Word("\(next)") }) {
        words.append(word.text)
        next += 1
      }
      #expect(words == (1...20).map(String.init))
    }
    #expect(servers.withLock { $0.count } == 2)
  }

  @Test func `the end of the closure closes the connection in order`() async throws {
    try await withClient { (client) async throws in _ = try await client.request("hello") }
    let answering = try #require(answering.withLock { $0.first })
    #expect(await answering.value == nil)
  }
}
