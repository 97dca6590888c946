import CBonjourishNATS
import Synchronization
import Testing
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
}
