import CBonjourishLinux
import FramedCoding
import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// How requests end with their connection, and with silence.
extension RequestTests {
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

  @Test func `a peer is given up for its silence only when its notifications have been taken`() async throws {
    let (gate, time) = (Gate(), ManualTime())
    let limits = RequestLimits(notified: 1, heartbeat: Heartbeat(interval: .seconds(4), timeout: .seconds(10)))
    try await withRawPeer { raw, connection in
      try await connection.withRequests(
        Word.codec, replies: Word.codec, limits: limits, time: time.clock, answering: { word, _ in word },
        notified: { word, _ in try? await gate.pass(word.text) }
      ) { (peer) async throws in
        for word in ["one", "two", "three"] as [Word] { try raw.send(.notification(try Word.codec.encode(word))) }
        try await until { gate.waitingCount == 1 }
        // The second waits for the first, so nothing is read any more.
        while await peer.core.notifications.count != 1 { await Task.yield() }
        for second in [4, 8, 12, 16] {
          await time.advance(to: .seconds(second))
          #expect(try await raw.receive() == .ping)
        }
        gate.open()
        try await until { gate.entered == ["one", "two", "three"] }
        try raw.send(.request(1, try Word.codec.encode("echo")))
        #expect(try await raw.receive() == .reply(1, try Word.codec.encode("echo")))
        for second in [20, 24] {
          await time.advance(to: .seconds(second))
          #expect(try await raw.receive() == .ping)
        }
        await time.advance(to: .seconds(26))
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
}
