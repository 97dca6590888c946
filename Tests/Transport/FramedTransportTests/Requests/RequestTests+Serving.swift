import CBonjourishLinux
import FramedCoding
import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// Servers and scopes, peers that break the rules, and notifications.
extension RequestTests {
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
      #expect(error?.code == .brokenRules && error?.messageError != nil)
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
    let limits = TransportLimits.untimed(sendHighWater: 1)
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
