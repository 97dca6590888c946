import FramedCoding
import FramedTransport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MessageConnectionTests {
  @Test func `messages arrive in order until the peer ends its side`() async throws {
    try await withPair { client, server in
      let (asker, answerer) = (MessageConnection(client, codec: Word.codec), MessageConnection(server, codec: Word.codec))
      try await asker.send("one")
      try await asker.send(contentsOf: ["two", "three"])
      #expect(try asker.trySend("four"))
      await client.close()
      var words: [Word] = []
      for try await word in answerer.messages { words.append(word) }
      #expect(words == ["one", "two", "three", "four"])
    }
  }

  @Test func `a frame that is no message is told with its number and place, and what follows is read`() async throws {
    try await withPair { client, server in
      let reader = MessageConnection(server, codec: Word.codec)
      try await client.send(contentsOf: [try Word.codec.encode("one"), [0, 0, 0, 9], [], try Word.codec.encode("two")])
      await client.close()
      var words: [Word] = []
      var errors: [MessagingError] = []
      var isOver = false
      while !isOver {
        do throws(MessagingError) {
          for try await word in reader.messages { words.append(word) }
          isOver = true
        } catch {
          errors.append(error)
        }
      }
      #expect(words == ["one", "two"])
      #expect(errors.map(\.code) == [.unreadable, .unreadable])
      #expect(errors.map(\.frame) == [2, 3])
      #expect(errors.map(\.messageError?.code) == [.truncated, .truncated])
      #expect(errors.map(\.messageError?.offset) == [0, 0])
      #expect("\(errors[0])".hasPrefix("Frame 2 from \(server.peer) is not a valid message: At byte 0"))
    }
  }

  @Test func `a message that cannot be sent harms no member`() async throws {
    try await withPair(format: FrameFormat(maximumBodySize: 10)) { client, server in
      let writer = MessageConnection(client, codec: Word.codec)
      let unsayable = await #expect(throws: MessagingError.self) { try await writer.send("") }
      #expect(unsayable?.code == .unwritable)
      let tooLong = #expect(throws: MessagingError.self) { try writer.trySend("seven bytes") }
      #expect(tooLong?.code == .unwritable)
      #expect(tooLong?.messageError?.code == .tooLarge)
      try await writer.send("sixsix")
      await client.close()
      var words = MessageConnection(server, codec: Word.codec).messages.makeAsyncIterator()
      #expect(try await words.next() == "sixsix")
      #expect(try await words.next() == nil)
    }
  }

  @Test func `a broken connection is told with its reason`() async throws {
    try await withRawPeer { peer, connection in
      let words = MessageConnection(connection, codec: Word.codec)
      peer.reset()
      let error = await #expect(throws: MessagingError.self) { for try await _ in words.messages {} }
      #expect(error?.code == .disconnected)
      #expect(error?.transport?.code == .reset)
      let sending = await #expect(throws: MessagingError.self) { try await words.send("more") }
      #expect(sending?.code == .disconnected)
      let trying = #expect(throws: MessagingError.self) { try words.trySend("more") }
      #expect(trying?.code == .disconnected && trying?.transport?.code == .reset)
    }
  }

  @Test func `a reader that waits can be cancelled`() async throws {
    try await withPair { client, server in
      let reading = Task {
        var words = MessageConnection(client, codec: Word.codec).messages.makeAsyncIterator()
        return try await words.next()
      }
      reading.cancel()
      let error = await #expect(throws: MessagingError.self) { try await reading.value }
      #expect(error?.code == .cancelled)
      try await server.send(Word.codec.encode("later"))
      var words = MessageConnection(client, codec: Word.codec).messages.makeAsyncIterator()
      #expect(try await words.next() == "later")
    }
  }
}
