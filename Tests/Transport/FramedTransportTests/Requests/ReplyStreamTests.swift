import FramedCoding
import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct ReplyStreamTests {
  typealias Peer = RequestConnection<MarshallingCodec<Word>, MarshallingCodec<Word>>

  /// Asks a server that streams, for the time of a closure.
  private func withServer(
    streamed: Int = 4, time: MonotonicClock = .system, streaming: @escaping Peer.Streaming,
    answering: @escaping Peer.Answer = { word, _ in word }, _ body: @Sendable (_ client: Peer) async throws -> Void
  ) async throws {
    try await withPair { client, server in
      let serving = Task {
        try? await server.answerRequests(Word.codec, replies: Word.codec, answering, streaming: streaming)
      }
      try await client.withRequests(
        Word.codec, replies: Word.codec, limits: RequestLimits(asked: 2, streamed: streamed), time: time,
        answering: { word, _ in word }, notified: { _, _ in }, body)
      await serving.value
    }
  }

  @Test func `items arrive in order, and then the end`() async throws {
    try await withServer(
      streaming: { word, writer, _ in
        for number in 1...100 { try await writer.send(Word("\(word) \(number)")) }
      }
    ) { (client) async throws in
      var words: [String] = []
      for try await word in client.replies(to: "count") { words.append(word.text) }
      #expect(words == (1...100).map { "count \($0)" })
    }
  }

  @Test func `an app that takes nothing stops the handler`() async throws {
    let sent = Locked(0)
    try await withServer(
      streamed: 4,
      streaming: { _, writer, _ in
        while true {
          try await writer.send("more")
          sent.withLock { $0 += 1 }
        }
      }
    ) { (client) async throws in
      var iterator = client.replies(to: "all").makeAsyncIterator()
      for _ in 1...10 { _ = try await iterator.next() }
      // A reply to a later request comes after everything that was sent by then.
      for _ in 1...5 { #expect(try await client.request("echo") == "echo") }
      #expect(sent.withLock { $0 } <= 10 + 4)
    }
  }

  @Test func `leaving the loop cancels the handler, and frees its place`() async throws {
    let cancelled = Locked(0)
    try await withServer(
      streaming: { _, writer, _ in
        do {
          while true { try await writer.send("more") }
        } catch {
          #expect((error as? MessagingError)?.code == .cancelled)
          cancelled.withLock { $0 += 1 }
          throw error
        }
      }
    ) { (client) async throws in
      // More often than there are places.
      for number in 1...3 {
        for try await _ in client.replies(to: "all") { break }
        try await until { cancelled.withLock { $0 } == number }
      }
    }
  }

  @Test func `items come before the handler's error`() async throws {
    try await withServer(
      streaming: { _, writer, _ in
        try await writer.send("one")
        throw RemoteError("over", "That was all")
      }
    ) { (client) async throws in
      var iterator = client.replies(to: "all").makeAsyncIterator()
      #expect(try await iterator.next() == "one")
      let error = await #expect(throws: MessagingError.self) { try await iterator.next() }
      #expect(error?.remote?.code == "over")
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func `an item that cannot be written, or is too large, is not sent`() async throws {
    let codes = Observed<[MessageError.Code?]>([])
    let largest = String(repeating: "x", count: FrameFormat.standard.largestBodySize - RequestFrame.headerSize - 4)
    try await withServer(
      streaming: { _, writer, _ in
        for word in ["", largest + "x"] {
          let error = await #expect(throws: MessagingError.self) { try await writer.send(Word(word)) }
          #expect(error?.code == .unwritable)
          codes.change { $0.append(error?.messageError?.code) }
        }
        try await writer.send(Word(largest))
      }
    ) { (client) async throws in
      var words: [Word] = []
      for try await word in client.replies(to: "all") { words.append(word) }
      #expect(words == [Word(largest)])
    }
    #expect(codes.value(\.self) == [.invalidValue, .tooLarge])
  }

  @Test func `a request that is too large for a frame is not sent`() async throws {
    let largest = String(repeating: "x", count: FrameFormat.standard.largestBodySize - RequestFrame.headerSize - 4)
    let asked = Observed<[Word]>([])
    try await withServer(streaming: { word, _, _ in asked.change { $0.append(word) } }) { (client) async throws in
      for word in [Word(largest + "x"), Word(largest)] {
        var iterator = client.replies(to: word).makeAsyncIterator()
        do throws(MessagingError) {
          let item = try await iterator.next()
          #expect(item == nil && word.text == largest)
        } catch {
          #expect(error.messageError?.code == .tooLarge && word.text != largest)
        }
      }
    }
    #expect(asked.value(\.self) == [Word(largest)])
  }

  @Test func `a stream that has ended leaves nothing behind, on either side`() async throws {
    let answering = Observed<RequestCore?>(nil)
    try await withServer(
      streaming: { _, writer, peer in
        answering.change { $0 = peer.core }
        try await writer.send("one")
      }
    ) { (client) async throws in
      for try await word in client.replies(to: "all") { #expect(word == "one") }
      let core = answering.value(\.self)
      let server = try #require(core)
      let (isClientIdle, isServerIdle) = await (client.core.isIdle, server.isIdle)
      #expect(isClientIdle && isServerIdle)
    }
  }

  @Test func `a task that waits for an item can be cancelled, and the peer is told`() async throws {
    try await withRawPeer { raw, connection in
      try await connection.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
        let waiting = Task { for try await _ in peer.replies(to: "silent") {} }
        #expect(try await raw.receive() == .request(1, try Word.codec.encode("silent")))
        waiting.cancel()
        let error = await #expect(throws: MessagingError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(try await raw.receive() == .cancel(1))
      }
    }
  }

  @Test func `a peer without streams sends its reply as the only item`() async throws {
    try await withPair { client, server in
      let serving = Task { try? await server.answerRequests(Word.codec, replies: Word.codec) { word, _ in word } }
      try await client.withRequests(Word.codec, replies: Word.codec) { (peer) async throws in
        var words: [Word] = []
        for try await word in peer.replies(to: "hello") { words.append(word) }
        #expect(words == ["hello"])
      }
      await serving.value
    }
  }

  @Test func `silence and the end of the connection end a stream`() async throws {
    let time = ManualTime()
    try await withRawPeer { raw, connection in
      try await connection.withRequests(
        Word.codec, replies: Word.codec, limits: .standard, time: time.clock, answering: { word, _ in word },
        notified: { _, _ in }
      ) { (peer) async throws in
        let silent = Task {
          for try await _ in peer.replies(to: "silent", eachWithin: .seconds(5)) {}
        }
        #expect(try await raw.receive() == .request(1, try Word.codec.encode("silent")))
        await time.advance(to: .seconds(5))
        let late = await #expect(throws: MessagingError.self) { try await silent.value }
        #expect(late?.code == .timedOut)
        #expect(try await raw.receive() == .cancel(1))
        let cut = Task {
          for try await _ in peer.replies(to: "cut") {}
        }
        #expect(try await raw.receive() == .request(2, try Word.codec.encode("cut")))
        connection.abort()
        let error = await #expect(throws: MessagingError.self) { try await cut.value }
        #expect(error?.code == .disconnected && error?.isUnsent == false)
        let unsent = await #expect(throws: MessagingError.self) { try await peer.request("after") }
        #expect(unsent?.code == .disconnected && unsent?.isUnsent == true)
      }
    }
  }

  @Test func `a stream has a time for all of it`() async throws {
    let time = ManualTime()
    try await withRawPeer { raw, connection in
      try await connection.withRequests(
        Word.codec, replies: Word.codec, limits: .standard, time: time.clock, answering: { word, _ in word },
        notified: { _, _ in }
      ) { (peer) async throws in
        let slow = Task {
          for try await _ in peer.replies(to: "slow", within: .seconds(5), eachWithin: .seconds(100)) {}
        }
        #expect(try await raw.receive() == .request(1, try Word.codec.encode("slow")))
        await time.advance(to: .seconds(5))
        let late = await #expect(throws: MessagingError.self) { try await slow.value }
        #expect(late?.code == .timedOut)
      }
    }
  }

  @Test func `a handler knows its deadline, and requests that it sends keep to it`() async throws {
    let deadlines = Locked<[ContinuousClock.Instant?]>([])
    let start = ContinuousClock.now
    try await withServer(
      streaming: { _, _, _ in },
      answering: { word, peer in
        deadlines.withLock { $0.append(RequestDeadline.current) }
        // Back to the client, which would wait for ten minutes.
        return word == "again" ? try await peer.request("back", within: .seconds(600)) : word
      }
    ) { (client) async throws in
      #expect(RequestDeadline.current == nil)
      #expect(try await client.request("once", within: .seconds(100)) == "once")
      #expect(try await client.request("again", within: .seconds(200)) == "back")
    }
    let told = deadlines.withLock { $0 }
    #expect(told.count == 2)
    #expect(told.allSatisfy { $0.map { $0 > start && $0 < .now + .seconds(201) } ?? false })
  }
}

extension RequestCore {
  /// Whether it has no stream and no request to answer.
  fileprivate var isIdle: Bool { answerers.isEmpty && writers.isEmpty && inboxes.isEmpty }
}
