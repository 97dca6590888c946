import CBonjourishLinux
import Testing
import _BonjourishEventLoop

@testable import FramedTransportTesting

@Suite struct MemoryPipeTests {
  private let start = ContinuousClock.now

  private func send(_ bytes: [UInt8], at time: ContinuousClock.Instant, over pipe: inout MemoryPipe) {
    bytes.withUnsafeBytes { pipe.send($0, at: time) }
  }

  /// What one read gives.
  private func read(_ pipe: inout MemoryPipe) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    try bytes.append(addingCapacity: 1_000) { (output) throws(SystemError) in _ = try pipe.receive(into: &output) }
    return bytes
  }

  @Test func `bytes arrive after the delay, in order, and the end after them`() throws {
    var pipe = MemoryPipe(.init(delay: .seconds(2)), seed: 0)
    send([1, 2], at: start, over: &pipe)
    send([3], at: start + .seconds(1), over: &pipe)
    pipe.finish(at: start + .seconds(1))
    #expect(pipe.outstanding == 4)
    #expect(pipe.nextArrival == start + .seconds(2))
    #expect(pipe.arrive(at: start + .milliseconds(1_999)) == nil)
    #expect(!pipe.isReadable)
    #expect(throws: SystemError("receive", errno: EAGAIN)) { try read(&pipe) }
    #expect(pipe.arrive(at: start + .seconds(2)) == nil)
    #expect(try read(&pipe) == [1, 2])
    #expect(!pipe.isReadable)
    #expect(pipe.arrive(at: start + .seconds(3)) == nil)
    #expect(pipe.outstanding == 0)
    #expect(try read(&pipe) == [3])
    #expect(try read(&pipe) == [])
  }

  @Test func `the same seed splits in the same way, and another in another`() throws {
    func pieces(seed: UInt64) throws -> [Int] {
      var pipe = MemoryPipe(.init(largestPiece: 9), seed: seed)
      send([UInt8](repeating: 0, count: 500), at: start, over: &pipe)
      #expect(pipe.arrive(at: start) == nil)
      var pieces: [Int] = []
      while pipe.isReadable { pieces.append(try read(&pipe).count) }
      #expect(pieces.reduce(0, +) == 500)
      #expect(pieces.allSatisfy { 1...9 ~= $0 })
      return pieces
    }
    #expect(try pieces(seed: 1) == pieces(seed: 1))
    #expect(try pieces(seed: 1) != pieces(seed: 2))
  }

  @Test func `there is room for a window, on the way and unread together`() throws {
    #expect(MemoryPipe(.init(), seed: 0).room == 65_536)
    var pipe = MemoryPipe(.init(window: 10, largestPiece: 1), seed: 0)
    pipe.isHeld = true
    send([1, 2, 3], at: start, over: &pipe)
    #expect(pipe.room == 7)
    #expect(pipe.arrive(at: start) == nil)
    #expect(!pipe.isReadable)
    #expect(pipe.arrive(at: start, atMost: 2) == nil)
    #expect(pipe.room == 7)
    #expect(try read(&pipe) == [1])
    #expect(pipe.room == 8)
  }

  @Test func `a reset comes behind what was sent before`() throws {
    var pipe = MemoryPipe(.init(), seed: 0)
    send([1], at: start, over: &pipe)
    pipe.reset(at: start)
    #expect(pipe.arrive(at: start) == .reset)
    #expect(try read(&pipe) == [1])
    #expect(throws: SystemError("receive", errno: ECONNRESET)) { try read(&pipe) }
  }

  @Test func `a receiver that has gone refuses bytes, but not the end`() {
    var pipe = MemoryPipe(.init(window: 10), seed: 0)
    send([1, 2], at: start, over: &pipe)
    #expect(pipe.arrive(at: start) == nil && pipe.isReadable && pipe.room == 8)
    pipe.leave()
    #expect(!pipe.isReadable && pipe.room == 10, "what it has not read is gone with it")
    send([1], at: start, over: &pipe)
    #expect(pipe.arrive(at: start) == .refused)
    pipe.finish(at: start)
    #expect(pipe.arrive(at: start) == nil)
  }

  @Test func `what is planned comes after its last byte`() throws {
    var pipe = MemoryPipe(.init(), seed: 0)
    pipe.plan(.broken(errno: ETIMEDOUT), after: 5)
    pipe.plan(.orderly, after: 2)
    send([1, 2, 3], at: start, over: &pipe)
    #expect(pipe.arrive(at: start) == nil)
    #expect(try read(&pipe) == [1, 2])
    #expect(try read(&pipe) == [])
    #expect(pipe.outstanding == 0)

    var other = MemoryPipe(.init(), seed: 0)
    other.plan(.orderly, after: 5)
    other.plan(.broken(errno: ETIMEDOUT), after: 2)
    send([1, 2, 3], at: start, over: &other)
    #expect(other.arrive(at: start) == .lost(errno: ETIMEDOUT))
  }

  @Test func `a way ends once, and a reset comes once`() throws {
    var pipe = MemoryPipe(.init(), seed: 0)
    pipe.finish(at: start)
    pipe.finish(at: start)
    #expect(pipe.outstanding == 1 && pipe.arrive(at: start) == nil && pipe.end == .orderly)
    pipe.reset(at: start)
    pipe.reset(at: start)
    pipe.finish(at: start)
    #expect(pipe.refusal == ECONNRESET)
    #expect(pipe.arrive(at: start) == .reset && pipe.arrive(at: start) == nil)
    #expect(pipe.end == .orderly, "the first end counts")
  }

  @Test func `behind an end on the way there is room for everything, and nothing arrives`() throws {
    var pipe = MemoryPipe(.init(window: 10), seed: 0)
    pipe.plan(.orderly, after: 2)
    send([1, 2, 3], at: start, over: &pipe)
    #expect(pipe.arrive(at: start) == nil && pipe.traffic == MemoryLink.Traffic(sent: 3, arrived: 2))
    #expect(pipe.room == .max)
    send([UInt8](repeating: 4, count: 100), at: start, over: &pipe)
    pipe.finish(at: start)
    #expect(pipe.outstanding == 0 && pipe.nextArrival == nil && pipe.traffic.sent == 103)
    #expect(try read(&pipe) == [1, 2] && read(&pipe) == [])
  }

  @Test func `a link that is lost loses what is on the way, and what was planned`() throws {
    var pipe = MemoryPipe(.init(), seed: 0)
    pipe.plan(.broken(errno: ETIMEDOUT), after: 0)
    send([1], at: start, over: &pipe)
    pipe.lose(errno: EHOSTUNREACH, refusing: EPIPE)
    #expect(pipe.outstanding == 0 && pipe.refusal == EPIPE && pipe.end == .broken(errno: EHOSTUNREACH))
    #expect(pipe.arrive(at: start) == nil)
    pipe.lose(errno: ECONNRESET, refusing: ECONNRESET)
    #expect(pipe.refusal == EPIPE && pipe.end == .broken(errno: EHOSTUNREACH), "the first loss counts")
  }

  @Test func `what is held has no time of arrival`() {
    var pipe = MemoryPipe(.init(delay: .seconds(1)), seed: 0)
    send([1], at: start, over: &pipe)
    pipe.isHeld = true
    #expect(pipe.nextArrival == nil && pipe.arrive(at: start + .seconds(2)) == nil && !pipe.isReadable)
    pipe.isHeld = false
    #expect(pipe.nextArrival == start + .seconds(1))
  }
}
