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
  private func withPeers(
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
  private final class Gate: Sendable {
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

  private struct Unexpected: Error {}

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

  @Test func `a lost connection fails what is asked and cancels what is answered`() async throws {
    let gate = Gate()
    try await withRawPeer { raw, connection in
      try await connection.withRequests(
        Word.codec, replies: Word.codec,
        answering: { word, _ in
          try await gate.pass(word.text)
          return word
        }
      ) { peer in
        let first = Task { try await peer.request("first") }
        let second = Task { try await peer.request("second") }
        try raw.send(.request(1, try Word.codec.encode("theirs")))
        try await until { gate.waitingCount == 1 }
        _ = try await raw.receive()
        raw.reset()
        for error in [
          await #expect(throws: MessagingError.self) { try await first.value },
          await #expect(throws: MessagingError.self) { try await second.value },
        ] {
          #expect(error?.code == .disconnected)
          #expect(error?.transport?.code == .reset)
        }
        try await until { gate.cancelled == ["theirs"] }
        let after = await #expect(throws: MessagingError.self) { try await peer.request("after") }
        #expect(after?.code == .disconnected)
        let notification = await #expect(throws: MessagingError.self) { try await peer.notify("after") }
        #expect(notification?.code == .disconnected)
        let end = await #expect(throws: MessagingError.self) { try await peer.waitForEnd() }
        #expect(end?.transport?.code == .reset)
      }
    }
  }

  @Test func `a reply that comes too late is no harm`() async throws {
    let (client, server, link) = try Connection.pair(limits: .untimed)
    async let served: Void = server.answerRequests(Word.codec, replies: Word.codec) { word, _ in Word("\(word)!") }
    try await client.withRequests(Word.codec, replies: Word.codec, limits: RequestLimits(asked: 1)) { peer in
      await link.hold(.toClient)
      let error = await #expect(throws: MessagingError.self) { try await peer.request("late", within: .milliseconds(1)) }
      #expect(error?.code == .timedOut)
      await link.release()
      let reply = try await peer.request("next")
      #expect(reply == "next!")
    }
    try await served
  }

  @Test func `a peer that goes in order fails requests too`() async throws {
    try await withRawPeer { raw, connection in
      try await connection.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
        let reply = Task { try await peer.request("question") }
        _ = try await raw.receive()
        try raw.finishSending()
        let error = await #expect(throws: MessagingError.self) { try await reply.value }
        #expect(error?.code == .disconnected)
        #expect(error?.transport == nil)
        try await peer.waitForEnd()
      }
    }
  }

  @Test func `a peer that has ended its side gets replies and is heard to the end`() async throws {
    let gate = Gate()
    try await withRawPeer { raw, connection in
      async let served: Void = connection.withRequests(
        Word.codec, replies: Word.codec, limits: RequestLimits(lateAnswerTime: .seconds(1_000)),
        answering: { word, _ in
          try await gate.pass(word.text)
          return word
        }, notified: { word, _ in try? await gate.pass(word.text) }
      ) { (peer) async throws in try await peer.waitForEnd() }
      for (number, word) in [(1, "first"), (2, "second")] as [(UInt64, Word)] {
        try raw.send(.request(number, try Word.codec.encode(word)))
      }
      try raw.send(.notification(try Word.codec.encode("by the way")))
      try raw.finishSending()
      try await until { gate.waitingCount == 3 }
      gate.open("second")
      #expect(try await raw.receive() == .reply(2, try Word.codec.encode("second")))
      gate.open("by the way")
      gate.open("first")
      #expect(try await raw.receive() == .reply(1, try Word.codec.encode("first")))
      try await served
      #expect(gate.cancelled == [])
    }
  }

  @Test func `a peer that has ended its side is not answered for ever`() async throws {
    let (gate, time) = (Gate(), ManualTime())
    try await withRawPeer { raw, connection in
      async let served: Void = connection.withRequests(
        Word.codec, replies: Word.codec, limits: RequestLimits(lateAnswerTime: .seconds(3)), time: time.clock,
        answering: { word, _ in
          try await gate.pass(word.text)
          return word
        }, notified: { word, _ in try? await gate.pass(word.text) }
      ) { (peer) async throws in try await peer.waitForEnd() }
      try raw.send(.request(1, try Word.codec.encode("endless")))
      try raw.send(.notification(try Word.codec.encode("too")))
      try raw.finishSending()
      try await until { gate.waitingCount == 2 }
      await time.advance(to: .seconds(3))
      try await served
      #expect(Set(gate.cancelled) == ["endless", "too"])
    }
  }

  @Test func `an idle side sends pings, and requests to a silent peer fail`() async throws {
    let time = ManualTime()
    let limits = RequestLimits(heartbeat: Heartbeat(interval: .seconds(4), timeout: .seconds(10)))
    try await withRawPeer { raw, connection in
      try await connection.withRequests(
        Word.codec, replies: Word.codec, limits: limits, time: time.clock, answering: { word, _ in word },
        notified: { _, _ in }
      ) { (peer) async throws in
        let reply = Task { try await peer.request("anyone?", within: .seconds(1000)) }
        #expect(try await raw.receive() == .request(1, try Word.codec.encode("anyone?")))
        await time.advance(to: .seconds(4))
        #expect(try await raw.receive() == .ping)
        try raw.send(.ping)
        // Answered, so that the ping before it has been heard.
        try raw.send(.request(1, try Word.codec.encode("echo")))
        #expect(try await raw.receive() == .reply(1, try Word.codec.encode("echo")))
        await time.advance(to: .seconds(8))
        #expect(try await raw.receive() == .ping)
        await time.advance(to: .seconds(12))
        #expect(try await raw.receive() == .ping)
        await time.advance(to: .seconds(14))
        let error = await #expect(throws: MessagingError.self) { try await reply.value }
        #expect(error?.code == .disconnected && error?.transport?.code == .timedOut)
        #expect(error?.message.contains("10.0 seconds") == true)
        let end = await #expect(throws: MessagingError.self) { try await peer.waitForEnd() }
        #expect(end?.transport?.code == .timedOut)
      }
    }
  }

  @Test func `a notification that cannot be read is told in its place`() async throws {
    let told = Locked<[String]>([])
    try await withRawPeer { raw, connection in
      try await connection.withRequests(
        Word.codec, replies: Word.codec, notified: { word, _ in told.withLock { $0.append(word.text) } },
        unreadable: { error, _ in told.withLock { $0.append("\(error.code)") } }
      ) { (peer) async throws in
        try raw.send(.notification(try Word.codec.encode("before")))
        try raw.send(.notification([1, 2]))
        try raw.send(.notification(try Word.codec.encode("after")))
        try await until { told.withLock { $0.count } == 3 }
        #expect(told.withLock { $0 } == ["before", "truncated", "after"])
      }
    }
  }

  @Test func `leaving the scope cancels handlers, fails requests and closes`() async throws {
    let gate = Gate()
    try await withRawPeer { raw, connection in
      let asking = try await connection.withRequests(
        Word.codec, replies: Word.codec,
        answering: { word, _ in
          try await gate.pass(word.text)
          return word
        }
      ) { peer in
        let asking = Task { try await peer.request("question") }
        _ = try await raw.receive()
        try raw.send(.request(1, try Word.codec.encode("theirs")))
        try await until { gate.waitingCount == 1 }
        return asking
      }
      #expect(gate.cancelled == ["theirs"])
      let error = await #expect(throws: MessagingError.self) { try await asking.value }
      #expect(error?.code == .disconnected)
      #expect(try await blocking { try raw.readToEnd() } == [])
      await #expect(throws: TransportError.self) { try await connection.send([]) }
    }
  }

  @Test func `an error of the closure is thrown once all is closed`() async throws {
    try await withRawPeer { (raw, connection) async throws in
      await #expect(throws: Unexpected.self) {
        try await connection.withRequests(Word.codec, replies: Word.codec) { _ in throw Unexpected() }
      }
      #expect(try await blocking { try raw.readToEnd() } == [])
    }
  }

  @Test func `a server answers until the client goes`() async throws {
    try await withPair { client, server in
      async let served: Void = server.answerRequests(Word.codec, replies: Word.codec) { word, _ in Word("\(word)!") }
      try await client.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
        #expect(try await peer.request("hello") == "hello!")
      }
      try await served
    }
    try await withRawPeer { raw, connection in
      raw.reset()
      let error = await #expect(throws: MessagingError.self) {
        try await connection.answerRequests(Word.codec, replies: Word.codec) { word, _ in word }
      }
      #expect(error?.code == .disconnected)
    }
  }

  @Test func `a server that is cancelled stops answering`() async throws {
    let gate = Gate()
    try await withPair { client, server in
      let serving = Task {
        try await server.answerRequests(Word.codec, replies: Word.codec) { word, _ in
          try await gate.pass(word.text)
          return word
        }
      }
      try await client.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
        let reply = Task { try await peer.request("question") }
        try await until { gate.waitingCount == 1 }
        serving.cancel()
        let error = await #expect(throws: MessagingError.self) { try await serving.value }
        #expect(error?.code == .cancelled)
        #expect(gate.cancelled == ["question"])
        let lost = await #expect(throws: MessagingError.self) { try await reply.value }
        #expect(lost?.code == .disconnected || lost?.remote?.code == .cancelled)
      }
    }
  }

  @Test(arguments: [[], [1], [4, 0], [3, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0, 0, 0]] as [[UInt8]])
  func `a peer that breaks the rules loses its connection`(frame: [UInt8]) async throws {
    try await withRawPeer { raw, connection in
      try raw.send(body: frame)
      let error = await #expect(throws: MessagingError.self) {
        try await connection.answerRequests(Word.codec, replies: Word.codec) { word, _ in word }
      }
      #expect(error?.code == .brokenRules)
      #expect(throws: RawSocket.Failure.self) { try raw.readToEnd() }
    }
  }

  @Test func `a peer that asks without end is refused, and dropped when it takes no refusals`() async throws {
    let gate = Gate()
    let limits = TransportLimits(sendHighWater: 1000, receiveAhead: 10_000)
    try await withRawPeer(limits: limits) { raw, connection in
      let serving = Task {
        try await connection.answerRequests(Word.codec, replies: Word.codec, limits: RequestLimits(answered: 2)) { word, _ in
          try await gate.pass(word.text)
          return word
        }
      }
      for number in 1...3 as ClosedRange<UInt64> { try raw.send(.request(number, try Word.codec.encode(Word("\(number)")))) }
      guard case .failure(3, let error) = try await raw.receive() else { throw Unexpected() }
      #expect(error.code == .busy)
      // The peer takes nothing from now on.
      await #expect(throws: RawSocket.Failure.self) {
        try await blocking { while true { try raw.send(.request(4, [UInt8](repeating: 0, count: 1000))) } }
      }
      let end = await #expect(throws: MessagingError.self) { try await serving.value }
      #expect(end?.code == .brokenRules)
      #expect(Set(gate.cancelled) == ["1", "2"])
    }
  }

  @Test func `notifications come in order, and no faster than they are handled`() async throws {
    let gate = Gate()
    let received = Locked<[Int?]>([])
    let count = 400
    try await withPeers(
      limits: RequestLimits(notified: 8),
      notified: { word, _ in
        if received.withLock({ $0.isEmpty }) { try? await gate.pass("first") }
        received.withLock { $0.append(Int(word.text.dropFirst(60_000))) }
      }
    ) { (client, _) async throws in
      let sent = Locked(0)
      let sending = Task {
        for number in 0..<count {
          try await client.notify(Word(String(repeating: "x", count: 60_000) + "\(number)"))
          sent.withLock { $0 += 1 }
        }
      }
      // 24 MB have no room in any buffer, so it has to come to rest.
      try await until { gate.waitingCount == 1 }
      var (before, restingFor) = (-1, 0)
      try await until {
        let now = sent.withLock { $0 }
        restingFor = now == before ? restingFor + 1 : 0
        before = now
        return restingFor == 5000
      }
      #expect(before < count)
      #expect(received.withLock { $0 } == [])
      gate.open()
      try await sending.value
      #expect(try await client.request("after") == "after")
      try await until { received.withLock { $0.count } == count }
      #expect(received.withLock { $0 } == Array(0..<count))
    }
  }

  @Test func `a notification that waits can be cancelled, and those after it go on`() async throws {
    let limits = TransportLimits(sendHighWater: 1)
    try await withRawPeer(limits: limits) { raw, connection in
      try await connection.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
        // No buffers of any system have room for that, so it has to wait when it ends.
        let large = Word(String(repeating: "x", count: 60_000))
        let filling = Task { for _ in 0..<400 { try await peer.notify(large) } }
        filling.cancel()
        let error = await #expect(throws: MessagingError.self) { try await filling.value }
        #expect(error?.code == .cancelled)
        let late = Task { try await peer.notify("late") }
        async let bytes = blocking { try raw.readToEnd() }
        try await late.value
        await peer.connection.close()
        #expect(try await bytes.suffix(4) == Array("late".utf8))
      }
    }
  }
}

extension RawSocket {
  fileprivate func send(body: [UInt8]) throws {
    var bytes: [UInt8] = []
    try FrameEncoder().encode(body, into: &bytes)
    try write(bytes)
  }

  fileprivate func send(_ frame: RequestFrame) throws { try send(body: frame.encoded) }

  /// The next frame, which has to come.
  fileprivate func receive() async throws -> RequestFrame? {
    try await blocking {
      var decoder = FrameDecoder()
      while true {
        if let frame = try decoder.nextFrame() { return try RequestFrame.parse(frame) }
        // No more than the frame, for what follows is for the next call.
        let byte = try self.read(atMost: 1)
        guard !byte.isEmpty else { throw RawSocket.Failure(errno: ECONNRESET) }
        decoder.append(contentsOf: byte)
      }
    }
  }
}
