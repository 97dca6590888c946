import CBonjourishNATS
import Synchronization
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// What comes from the library's thread waits for the loop, up to a limit.
struct MessageInboxTests {
  /// Messages of the library need it open, as it is where there is a connection.
  init() throws { try #require(nats_Open(-1) == NATS_OK) }

  @Test func `while the loop is busy, no more than the limit waits for it`() async throws {
    let loop = try EventLoop(name: "test-inbox")
    let taken = Mutex(0)
    let inbox = MessageInbox(on: loop, maximumByteCount: 1 << 20) { messages in taken.withLock { $0 += messages.count } }
    let payload = [CChar](repeating: 120, count: 1 << 20)
    var pointer: OpaquePointer?
    #expect(natsMsg_Create(&pointer, "watch", nil, payload, CInt(payload.count)) == NATS_OK)
    let message = try #require(NATSMessage(pointer))
    /// Puts messages while the loop does something else, and returns how many reach it.
    func put(_ count: Int) async -> Int {
      await withCheckedContinuation { done in
        loop.execute {
          for _ in 0..<count { inbox.put(message) }
          loop.execute { done.resume() }
        }
      }
      return taken.withLock { count in
        defer { count = 0 }
        return count
      }
    }
    // Each message takes a little more than its data.
    #expect(await put(70) == 64)
    #expect(await put(3) == 3)
    await loop.shutdown()
  }

  @Test func `a message is copied up to a size, with its subjects and the headers that are read`() throws {
    var pointer: OpaquePointer?
    #expect(natsMsg_Create(&pointer, "a.b.c7", "reply", "12345", 5) == NATS_OK)
    for (name, value) in [("Nats-Sequence", "9"), ("Bonjourish-Owner", "x"), ("Other", "y")] {
      #expect(natsMsgHeader_Set(pointer, name, value) == NATS_OK)
    }
    let message = try #require(NATSMessage(pointer))
    var expected = DirectoryMessage(
      subject: "a.b.c7", reply: "reply", headers: ["Nats-Sequence": "9", "Bonjourish-Owner": "x"], data: Array("12345".utf8))
    #expect(message.value(maximumByteCount: 5) == expected)
    (expected.data, expected.isOversized) = ([], true)
    #expect(message.value(maximumByteCount: 4) == expected)
    #expect(message.lastToken == "c7" && message.count == 5 && !message.saysNobodyListens && message.relayHeader == nil)
    #expect(NATSMessage(nil) === nil)
  }
}
