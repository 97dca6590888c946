import CBonjourishLinux
import FramedCoding
import TestSupport
import Testing
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport

@Suite struct OutboundQueueTests {
  private let pool = BufferPool()
  private static let formats = [
    FrameFormat(maximumBodySize: 100_000), .varint(maximumBodySize: 100_000),
    .header(prefix: [1, 2], lengthWidth: .two, maximumBodySize: 60_000),
  ]
  private let encoder = FrameEncoder(format: formats[0])

  /// The bytes that a system call would be shown.
  private func shown(_ queue: borrowing OutboundQueue) throws -> [UInt8] {
    try queue.withVectors { (vectors, byteCount) throws(SystemError) in
      let bytes = vectors.flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len).map { $0 } }
      #expect(bytes.count == byteCount)
      return bytes
    }
  }

  @Test(arguments: formats, seeds(2, of: 8))
  func `whatever is taken at a time, the bytes are those of the frames`(format: FrameFormat, seed: UInt64) throws {
    let encoder = FrameEncoder(format: format)
    var generator = SeededGenerator(seed: seed)
    var queue = OutboundQueue()
    var expected: [UInt8] = []
    for _ in 0..<60 {
      let largest = [10, 1000, 40_000].randomElement(using: &generator) ?? 0
      let body = [UInt8](
        repeating: .random(in: 0...255, using: &generator), count: .random(in: 0...largest, using: &generator))
      if Bool.random(using: &generator) {
        try queue.append(body, encoder.header, encoder, pool)
      } else {
        try queue.append(body.span, encoder.header, encoder, pool)
      }
      try encoder.encode(body, into: &expected)
      #expect(queue.byteCount == expected.count)
      if Bool.random(using: &generator) {
        let bytes = try shown(queue)
        #expect(expected.starts(with: bytes), "seed \(seed)")
        // The queue that is being sent is not added to, so what is left goes on in another.
        let count = Int.random(in: 0...bytes.count, using: &generator)
        queue.removeFirst(count, pool)
        expected.removeFirst(count)
      }
    }
    while !queue.isEmpty {
      let bytes = try shown(queue)
      #expect(!bytes.isEmpty && expected.starts(with: bytes), "seed \(seed)")
      let count = Int.random(in: 1...bytes.count, using: &generator)
      queue.removeFirst(count, pool)
      expected.removeFirst(count)
    }
    #expect(expected.isEmpty)
    #expect(queue.capacity <= 2048)
  }

  @Test func `a large body is shown where it is`() throws {
    let body = [UInt8](repeating: 1, count: OutboundQueue.copyLimit)
    var queue = OutboundQueue()
    try queue.append(body, encoder.header, encoder, pool)
    let isSame = try queue.withVectors { (vectors, _) throws(SystemError) in
      body.withUnsafeBytes { $0.baseAddress == UnsafeRawPointer(vectors[1].iov_base) }
    }
    #expect(isSame)
  }

  @Test func `a body that is refused leaves nothing behind`() throws {
    var queue = OutboundQueue()
    #expect(throws: FramingError.self) {
      try queue.append([UInt8](repeating: 0, count: 100_001), encoder.header, encoder, pool)
    }
    #expect(queue.isEmpty)
    try queue.append([7], encoder.header, encoder, pool)
    #expect(try shown(queue) == [0, 0, 0, 1, 7])
  }

  @Test func `so many pieces are shown at once, and the others when those have left`() throws {
    let body = [UInt8](repeating: 1, count: OutboundQueue.copyLimit)
    var queue = OutboundQueue()
    for _ in 0..<20 { try queue.append(body, encoder.header, encoder, pool) }
    // A length and a body are two pieces.
    for count in [16, 4] {
      let bytes = try shown(queue)
      #expect(bytes.count == count * (4 + body.count))
      queue.removeFirst(bytes.count, pool)
    }
    #expect(queue.isEmpty)
  }

  @Test func `a small body is copied behind its length, from the one before`() throws {
    var queue = OutboundQueue()
    for _ in 0..<2 {
      try queue.append([UInt8](repeating: 1, count: OutboundQueue.copyLimit - 1), encoder.header, encoder, pool)
    }
    let count = try queue.withVectors { (vectors, _) throws(SystemError) in vectors.count }
    #expect(count == 1)
  }

  @Test(arguments: [0, 104, 105, 30_107, 30_108])
  func `frames of a group follow others, and a large part stays where it is`(start: Int) throws {
    var log = BroadcastLog(format: .standard)
    for (number, size) in [(7, 100), (8, 30_000), (9, 50)] as [(UInt8, Int)] {
      try log.append([UInt8](repeating: number, count: size).span)
    }
    let portion = log.portion(from: 0, upTo: log.end)
    var queue = OutboundQueue()
    try queue.append([1, 2], encoder.header, encoder, pool)
    queue.append(portion, from: start, pool)
    try queue.append([3], encoder.header, encoder, pool)
    let pieces = portion.pieces(from: start)
    let shared: [UInt8] = pieces.flatMap { Array($0.bytes) }
    let bytes: [UInt8] = [0, 0, 0, 2, 1, 2] + shared + [0, 0, 0, 1, 3]
    #expect(try shown(queue) == bytes && queue.byteCount == bytes.count)
    let places = try queue.withVectors { (vectors, _) throws(SystemError) in vectors.map { UnsafeRawPointer($0.iov_base) } }
    for piece in pieces {
      let isShown = places.contains(UnsafeRawPointer(piece.bytes.baseAddress))
      #expect(isShown == (piece.bytes.count >= OutboundQueue.copyLimit))
    }
  }

  @Test(arguments: [(100, true), (3_000, false), (5_000, false)])
  func `an empty queue keeps a little memory`(count: Int, isKept: Bool) throws {
    var queue = OutboundQueue()
    try queue.append([UInt8](repeating: 1, count: count), encoder.header, encoder, pool)
    #expect(queue.capacity >= count + 4)
    queue.removeFirst(count + 4, pool)
    #expect(queue.isEmpty && (queue.capacity > 0) == isKept)
    try queue.append([7], encoder.header, encoder, pool)
    #expect(try shown(queue) == [0, 0, 0, 1, 7])
  }
}
