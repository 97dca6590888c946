import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct BufferTests {
  /// Where the bytes of an array are.
  private func place(_ bytes: borrowing [UInt8]) -> UnsafeRawPointer? { bytes.withUnsafeBytes { $0.baseAddress } }

  @Test func `a body takes the place of the one before in the same memory`() {
    var body: [UInt8] = []
    body.reserveCapacity(1_000)
    body += [UInt8](repeating: 1, count: 100)
    let place = place(body)
    for count in [100, 3, 900, 900, 0, 1, 600] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ count) }
      body.replaceAll(with: bytes.span)
      #expect(body == bytes && self.place(body) == place)
    }
  }

  @Test func `a body that is shared is not changed, and memory that is far too large is given back`() {
    var body = [UInt8](repeating: 1, count: 100)
    let (shared, other) = (body, [UInt8](repeating: 2, count: 100))
    body.replaceAll(with: other.span)
    #expect(shared.allSatisfy { $0 == 1 } && body == other)
    for (excess, isKept) in [(1, true), (-1, false)] {
      var large: [UInt8] = []
      large.reserveCapacity(50_000)
      let capacity = large.capacity
      let bytes = [UInt8](repeating: 3, count: (capacity - 1_024) / 2 + excess)
      large.replaceAll(with: bytes.span)
      #expect(large == bytes && (large.capacity == capacity) == isKept)
    }
  }

  @Test func `a pool keeps some large buffers, and drops what is small, too large or too many`() {
    let pool = BufferPool()
    pool.give([UInt8](repeating: 1, count: 1_000))
    var buffer = pool.take()
    #expect(buffer.isEmpty && buffer.capacity >= BufferPool.capacity && BufferPool.isWorthKeeping(buffer))
    buffer.append(7)
    let place = place(buffer)
    pool.give(consume buffer)
    let again = pool.take()
    #expect(again.isEmpty && self.place(again) == place)
    var large: [UInt8] = []
    large.reserveCapacity(4 * BufferPool.capacity + 1)
    #expect(!BufferPool.isWorthKeeping(large))
    let many = (0..<10).map { _ in pool.take() }
    for buffer in many { pool.give(buffer) }
    #expect(pool.droppedCount == 2)
    pool.forgetDropped()
    #expect(pool.droppedCount == 0)
  }

  @Test func `a spare buffer is used again, and a small one is no spare`() {
    var spare = SpareBuffer(size: 1_000)
    var buffer = spare.take()
    #expect(buffer.isEmpty && buffer.capacity >= 1_000)
    buffer += [1, 2]
    let place = place(buffer)
    spare.give(&buffer)
    #expect(buffer.isEmpty)
    var small: [UInt8] = [1]
    spare.give(&small)
    #expect(small == [1])
    let again = spare.take()
    #expect(again.isEmpty && self.place(again) == place)
    #expect(self.place(spare.take()) != place)
  }

  @Test func `a loop has a buffer of its own, and takes others from its pool`() async throws {
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    let isSame = await withCheckedContinuation { continuation in
      transportLoop.loop.execute {
        let first = transportLoop.takeBuffer()
        let second = transportLoop.takeBuffer()
        let places = (place(first), place(second))
        transportLoop.giveBuffer([1])
        transportLoop.giveBuffer(consume first)
        transportLoop.giveBuffer(consume second)
        let (third, fourth, fifth) = (transportLoop.takeBuffer(), transportLoop.pool.take(), transportLoop.takeBuffer())
        let isSame = place(third) == places.0 && place(fourth) == places.1 && place(fifth) != places.0
        continuation.resume(returning: isSame && fifth.capacity >= BufferPool.capacity)
      }
    }
    #expect(isSame)
    await transportLoop.loop.shutdown()
  }

  @Test func `memory that many buffers leave behind is given back to the system a little later`() async throws {
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    // The pool keeps eight of them.
    for buffer in (0..<24).map({ _ in transportLoop.pool.take() }) { transportLoop.pool.give(buffer) }
    #expect(transportLoop.pool.droppedCount == 16)
    transportLoop.loop.execute { transportLoop.tidySoon() }
    try await until { transportLoop.pool.droppedCount == 0 }
    await transportLoop.loop.shutdown()
  }

  @Test func `what loops share is made once for each`() throws {
    let loops = try (0..<2).map { TransportLoop(try EventLoop(name: "test-\($0)")) }
    let made = Locked(0)
    let values = PerLoop { _ in
      made.withLock { made in
        made += 1
        return made
      }
    }
    #expect([loops[0], loops[1], loops[0], loops[1]].map { values.value(of: $0) } == [1, 2, 1, 2])
  }
}
