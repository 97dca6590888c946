import CBonjourishLinux
import FramedCoding
import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct RequestTests {
  typealias Peer = RequestConnection<MarshallingCodec<Word>, MarshallingCodec<Word>>
  typealias Answer = @Sendable (Word, Peer) async throws -> Word

  /// Both ends of a connection as peers that ask each other, for the time of a closure.
  func withPeers(
    limits: RequestLimits = .standard, time: MonotonicClock = .system,
    answering: @escaping Answer = { word, _ in word }, notified: @escaping @Sendable (Word, Peer) async -> Void = { _, _ in },
    clientAnswering: @escaping Answer = { word, _ in word },
    _ body: @Sendable (_ client: Peer, _ server: Peer) async throws -> Void
  ) async throws {
    try await withPair { client, server in
      try await server.withRequests(
        Word.codec, replies: Word.codec, limits: limits, time: .system, answering: answering, notified: notified
      ) { (server) async throws in
        try await client.withRequests(
          Word.codec, replies: Word.codec, limits: limits, time: time, answering: clientAnswering, notified: { _, _ in }
        ) { (client) async throws in
          try await body(client, server)
        }
      }
    }
  }

  /// Handlers that wait until they are told to go on, or cancelled.
  final class Gate: Sendable {
    private struct State {
      var isOpen = false
      var waiting: [String: CheckedContinuation<Bool, Never>] = [:]
      var cancelled: [String] = []
      var entered: [String] = []
    }

    private let state = Locked(State())

    var entered: [String] { state.withLock { $0.entered } }
    var cancelled: [String] { state.withLock { $0.cancelled } }
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func pass(_ name: String) async throws {
      let mayPass = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let mayPass: Bool? = state.withLock { state in
            state.entered.append(name)
            if state.isOpen { return true }
            if state.cancelled.contains(name) { return false }
            state.waiting[name] = continuation
            return nil
          }
          if let mayPass { continuation.resume(returning: mayPass) }
        }
      } onCancel: {
        let waiting = state.withLock { state in
          state.cancelled.append(name)
          return state.waiting.removeValue(forKey: name)
        }
        waiting?.resume(returning: false)
      }
      guard mayPass else { throw CancellationError() }
    }

    func open(_ name: String? = nil) {
      let passing = state.withLock { state in
        if let name { return [state.waiting.removeValue(forKey: name)].compactMap(\.self) }
        state.isOpen = true
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
      }
      for continuation in passing { continuation.resume(returning: true) }
    }
  }

  @Test func `replies are those to one's own requests, in any order and both ways at once`() async throws {
    let gate = Gate()
    try await withPeers(
      answering: { word, _ in
        try await gate.pass(word.text)
        return Word("server \(word)")
      }, clientAnswering: { word, _ in Word("client \(word)") }
    ) { (client, server) async throws in
      let first = Task { try await client.request("first") }
      let second = Task { try await client.request("second") }
      try await until { gate.waitingCount == 2 }
      #expect(try await server.request("now") == "client now")
      gate.open("second")
      #expect(try await second.value == "server second")
      #expect(gate.waitingCount == 1)
      gate.open("first")
      #expect(try await first.value == "server first")
    }
  }

  @Test func `the peer's words are escaped in descriptions, and kept as they came`() async throws {
    let rude = RemoteError("\u{7}ding", "No\u{1B}[2J!")
    try await withPeers(answering: { _, _ in throw rude }) { (client, _) async throws in
      let error = await #expect(throws: MessagingError.self) { try await client.request("please") }
      #expect(error?.remote == rude && error?.remote?.text == "No\u{1B}[2J!")
      #expect(error?.message.contains("No\u{1B}[2J! (\u{7}ding)") == true)
      #expect(error.map { "\($0)".hasSuffix(#"No\u{1B}[2J! (\u{7}ding)"#) } == true)
      #expect("\(rude)" == #"No\u{1B}[2J! (\u{7}ding)"#)
      #expect("\(rude.code)" == #"\u{7}ding"#)
    }
    let field = MessageError(.invalidValue, field: "a\u{202E}b", expected: "a value")
    #expect("\(field)" == #"In a\u{202E}b of a message: expected a value (invalidValue)"#)
    #expect(field.message.contains("a\u{202E}b"))
  }

  @Test func `many requests go both ways at once`() async throws {
    try await withPeers(limits: RequestLimits(asked: 16, answered: 16)) { (client, server) async throws in
      await withThrowingTaskGroup { group in
        for peer in [client, server] {
          for task in 0..<40 {
            group.addTask { () async throws in
              for number in 0..<20 {
                let word = Word("\(task) \(number)")
                #expect(try await peer.request(word) == word)
              }
            }
          }
        }
      }
    }
  }

  @Test func `a handler can ask back`() async throws {
    try await withPeers(
      answering: { word, peer in Word("\(try await peer.request("who?")) says \(word)") },
      clientAnswering: { _, _ in "Ada" }
    ) { (client, _) async throws in
      #expect(try await client.request("hello") == "Ada says hello")
    }
  }

  @Test func `errors of a handler are told, others only that they were`() async throws {
    struct Secret: Error {}
    try await withPeers(answering: { word, _ in
      switch word {
      case "refused": throw RemoteError("tooEarly", "Come back later")
      case "secret": throw Secret()
      case "mute": return ""
      default: return word
      }
    }) { (client, _) async throws in
      let refused = await #expect(throws: MessagingError.self) { try await client.request("refused") }
      #expect(refused?.code == .refused)
      #expect(refused?.remote == RemoteError("tooEarly", "Come back later"))
      let secret = await #expect(throws: MessagingError.self) { try await client.request("secret") }
      #expect(secret?.remote?.code == .failed)
      #expect(secret.map { "\($0)".contains("Secret") } == false)
      let mute = await #expect(throws: MessagingError.self) { try await client.request("mute") }
      #expect(mute?.remote?.code == .failed)
      #expect(try await client.request("fine") == "fine")
    }
  }

  @Test func `what cannot be read or written is told, and the connection goes on`() async throws {
    try await withRawPeer(format: FrameFormat(maximumBodySize: 128)) { raw, connection in
      try await connection.withRequests(Word.codec, replies: Word.codec, answering: { word, _ in word }) { peer in
        let unsayable = await #expect(throws: MessagingError.self) { try await peer.request("") }
        #expect(unsayable?.code == .unwritable)
        let tooLong = String(repeating: "x", count: 128 - RequestFrame.headerSize - 3)
        let tooLarge = await #expect(throws: MessagingError.self) { try await peer.request(Word(tooLong)) }
        #expect(tooLarge?.messageError?.code == .tooLarge)
        // No word.
        try raw.send(.request(4, [1]))
        guard case .failure(4, let error) = try await raw.receive() else { throw Unexpected() }
        #expect(error.code == .unreadable)
        let reply = Task { try await peer.request("question") }
        guard case .request(let number, _) = try await raw.receive() else { throw Unexpected() }
        try raw.send(.reply(number, [1, 2]))
        let unreadable = await #expect(throws: MessagingError.self) { try await reply.value }
        #expect(unreadable?.code == .unreadable)
        #expect(unreadable?.messageError?.code == .truncated)
        try raw.send(.request(5, try Word.codec.encode("still there")))
        #expect(try await raw.receive() == .reply(5, try Word.codec.encode("still there")))
      }
    }
  }

  struct Unexpected: Error {}

  @Test func `a side without a handler refuses`() async throws {
    try await withPair { client, server in
      try await server.withRequests(Word.codec, replies: Word.codec) { (_) async throws in
        try await client.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
          let error = await #expect(throws: MessagingError.self) { try await peer.request("anyone?") }
          #expect(error?.remote?.code == .unsupported)
        }
      }
    }
  }

  @Test func `time runs out for one request, and its handler is cancelled`() async throws {
    let (gate, time) = (Gate(), ManualTime())
    try await withPeers(
      time: time.clock,
      answering: { word, _ in
        try await gate.pass(word.text)
        return word
      }
    ) { (client, _) async throws in
      let slow = Task { try await client.request("slow", within: .seconds(5)) }
      let slower = Task { try await client.request("slower", within: .seconds(60)) }
      try await until { gate.waitingCount == 2 }
      await time.advance(to: .seconds(5))
      let error = await #expect(throws: MessagingError.self) { try await slow.value }
      #expect(error?.code == .timedOut)
      try await until { gate.cancelled == ["slow"] }
      gate.open()
      #expect(try await slower.value == "slower")
      #expect(try await client.request("next") == "next")
    }
  }

  @Test func `the cancelled task's handler is cancelled, and no other`() async throws {
    let gate = Gate()
    try await withPeers(answering: { word, _ in
      try await gate.pass(word.text)
      return word
    }) { (client, _) async throws in
      let cancelled = Task { try await client.request("cancelled") }
      let other = Task { try await client.request("other") }
      try await until { gate.waitingCount == 2 }
      cancelled.cancel()
      let error = await #expect(throws: MessagingError.self) { try await cancelled.value }
      #expect(error?.code == .cancelled)
      try await until { gate.cancelled == ["cancelled"] }
      gate.open("other")
      #expect(try await other.value == "other")
    }
  }

  @Test func `a request of a cancelled task is not made`() async throws {
    let gate = Gate()
    try await withPeers(answering: { word, _ in
      try await gate.pass(word.text)
      return word
    }) { (client, _) async throws in
      gate.open()
      let asking = Task {
        try await until { Task.isCancelled }
        return try await client.request("never")
      }
      asking.cancel()
      _ = await asking.result
      #expect(try await client.request("after") == "after")
      #expect(gate.entered == ["after"])
    }
  }

  @Test func `no more requests are under way than permitted`() async throws {
    let gate = Gate()
    try await withPeers(
      limits: RequestLimits(asked: 2, answered: 2),
      answering: { word, _ in
        try await gate.pass(word.text)
        return word
      }
    ) { (client, _) async throws in
      try await withThrowingTaskGroup { group in
        for number in 0..<5 {
          group.addTask { () async throws in #expect(try await client.request(Word("\(number)")) == Word("\(number)")) }
        }
        try await until { gate.waitingCount == 2 }
        #expect(gate.entered.count == 2)
        // One goes, one comes.
        gate.open(gate.entered[0])
        try await until { gate.entered.count == 3 }
        #expect(gate.waitingCount == 2)
        gate.open()
        try await group.waitForAll()
      }
      #expect(Set(gate.entered).count == 5)
    }
  }
}
