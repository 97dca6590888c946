import FramedCoding
import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@Suite(.timeLimit(.minutes(1))) struct GroupMessagesTests {
  @Test func `a message reaches every member once, in order`() async throws {
    let group = Group()
    try await withPair(over: .memory) { firstClient, firstServer in
      try await withPair { secondClient, secondServer in
        group.add(firstServer)
        group.add(secondServer)
        try await group.broadcast("one", codec: Word.codec)
        #expect(try group.tryBroadcast("two", codec: Word.codec))
        for client in [firstClient, secondClient] {
          var words = MessageConnection(client, codec: Word.codec).messages.makeAsyncIterator()
          #expect(try await words.next() == "one")
          #expect(try await words.next() == "two")
        }
      }
    }
  }

  @Test func `members that use requests are notified`() async throws {
    let group = Group()
    let heard = Locked<[Word]>([])
    try await withPair(over: .memory) { client, server in
      group.add(server)
      try await server.withRequests(Word.codec, replies: Word.codec, answering: { word, _ in word }) { (_) async throws in
        try await client.withRequests(
          Word.codec, replies: Word.codec, notified: { word, _ in heard.withLock { $0.append(word) } }
        ) { (client) async throws in
          try await group.notify("one", codec: Word.codec)
          #expect(try group.tryNotify("two", codec: Word.codec))
          // Notifications and replies come in the order in which they were sent.
          #expect(try await client.request("three") == "three")
          try await until { heard.withLock { $0 } == ["one", "two"] }
        }
      }
    }
  }

  @Test func `a message that cannot be written, or is too large, is not sent`() async throws {
    let format = FrameFormat(maximumBodySize: 128)
    let group = Group(format: format)
    try await withPair(over: .memory, format: format) { (client, server) async throws in
      group.add(server)
      let unsayable = await #expect(throws: MessagingError.self) { try await group.broadcast("", codec: Word.codec) }
      #expect(unsayable?.code == .unwritable && unsayable?.messageError?.code == .invalidValue)
      // With four bytes for its length, a word of 124 bytes fills a frame, and one of 123 a notification.
      let (largest, larger) = (String(repeating: "x", count: 123), String(repeating: "x", count: 124))
      let tooLarge = #expect(throws: MessagingError.self) { try group.tryNotify(Word(larger), codec: Word.codec) }
      #expect(tooLarge?.code == .unwritable && tooLarge?.messageError?.code == .tooLarge)
      #expect(try group.tryBroadcast(Word(larger), codec: Word.codec))
      #expect(try group.tryNotify(Word(largest), codec: Word.codec))
      var frames = client.frames.makeAsyncIterator()
      #expect(try await frames.next() == (try Word.codec.encode(Word(larger))))
      #expect(try await frames.next()?.count == 128)
    }
  }

  @Test func `a broadcast that waits for room ends with its task`() async throws {
    let group = Group(backlogLimit: 1)
    try await withPair { _, server in
      group.add(server, whenSlow: .wait)
      let broadcasting = Task {
        while true { try await group.broadcast(Word(String(repeating: "x", count: 60_000)), codec: Word.codec) }
      }
      while try group.tryBroadcast("x", codec: Word.codec) { await Task.yield() }
      broadcasting.cancel()
      let error = await #expect(throws: MessagingError.self) { try await broadcasting.value }
      #expect(error?.code == .cancelled)
    }
  }
}
