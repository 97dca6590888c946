import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@testable import FramedTransport

@Suite struct BroadcastLogTests {
  /// One who reads a log as a member does, and takes as much of what it is shown as it likes.
  private struct Reader {
    var cursor: LogCursor
    /// What it owes before it reads on: the rest of a frame that was begun.
    var rest: [UInt8] = []
    var received: [UInt8] = []
    /// The number of the first frame that is for it.
    let first: Int
    /// Whether it has ever not taken everything.
    var hasLagged = false

    /// Takes so many bytes, or everything that there is.
    mutating func read(_ log: BroadcastLog, atMost count: Int) {
      let sent = min(count, rest.count)
      received += rest[..<sent]
      rest.removeFirst(sent)
      guard rest.isEmpty else {
        hasLagged = true
        return cursor.fallBehind()
      }
      let portion = cursor.take(from: log, atMost: 2000)
      let start = portion.range.lowerBound
      let end = min(start + count - sent, portion.range.upperBound)
      received += bytes(of: portion, start..<end)
      guard end < portion.range.upperBound else { return }
      hasLagged = true
      cursor.putBack(portion, from: end)
      rest = bytes(of: portion, end..<cursor.position)
    }

    private func bytes(of portion: LogPortion, _ range: Range<Int>) -> [UInt8] {
      portion.prefix(upTo: range.upperBound).pieces(from: range.lowerBound).flatMap { Array($0.bytes) }
    }
  }

  /// The numbers in frames whose bodies are a number and as many bytes of it as the number says.
  private func numbers(in bytes: [UInt8]) throws -> [Int] {
    var decoder = FrameDecoder(format: .standard)
    decoder.append(contentsOf: bytes)
    var numbers: [Int] = []
    while let frame = try decoder.nextFrame() {
      var reader = MessageReader(frame)
      let number = Int(try reader.readUInt32())
      #expect(frame.dropFirst(4).allSatisfy { $0 == UInt8(truncatingIfNeeded: number) })
      numbers.append(number)
    }
    try decoder.finish()
    return numbers
  }

  private func body(_ number: Int, size: Int) -> [UInt8] {
    var writer = MessageWriter()
    writer.writeUInt32(UInt32(number))
    return writer.bytes + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
  }

  @Test(arguments: seeds(12, of: 40))
  func `every reader gets whole frames without a gap, or with gaps only when it may skip and lags`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var log = BroadcastLog(format: .standard)
    var readers: [Reader] = []
    var count = 0
    for _ in 0..<400 {
      switch generator.number(in: 0..<10) {
      case 0 where readers.count < 12:
        readers.append(Reader(cursor: LogCursor(at: log.end, skips: generator.once(in: 2)), first: count))
      case 1..<5:
        let largest = [4, 300, 5000][generator.number(in: 0..<3)]
        try log.append(body(count, size: generator.number(in: 0..<largest)).span)
        count += 1
      default:
        guard !readers.isEmpty else { continue }
        let index = generator.number(in: 0..<readers.count)
        let most = [0, 10, 1000, .max / 2][generator.number(in: 0..<4)]
        readers[index].read(log, atMost: most)
      }
      // A log waits for those only who do not skip.
      let needed = readers.filter { !$0.cursor.skips }.map(\.cursor.position).min() ?? log.end
      log.forget(before: needed, keepsNewest: true)
      #expect(log.byteCount == log.end - needed)
    }
    for index in readers.indices {
      while readers[index].cursor.position < log.end || !readers[index].rest.isEmpty {
        readers[index].read(log, atMost: .max / 2)
      }
      let reader = readers[index]
      let numbers = try numbers(in: reader.received)
      if reader.cursor.skips, reader.hasLagged {
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
        #expect(numbers.allSatisfy { $0 >= reader.first }, "seed \(seed)")
        if count > reader.first { #expect(numbers.last == count - 1, "seed \(seed)") }
      } else {
        #expect(numbers == Array(reader.first..<count), "seed \(seed)")
      }
    }
    log.forget(before: log.end, keepsNewest: false)
    #expect(log.capacity == 0 && log.byteCount == 0)
  }

  @Test func `the memory of a log follows what is needed of it`() throws {
    var log = BroadcastLog(format: .standard)
    for number in 0..<10_000 { try log.append(body(number, size: 248).span) }
    #expect(log.byteCount == 10_000 * 256)
    #expect(log.capacity < log.byteCount + log.byteCount / 10)
    log.forget(before: 9_990 * 256, keepsNewest: false)
    #expect(log.capacity <= 128 * 1024)
    log.forget(before: log.end, keepsNewest: true)
    #expect(log.byteCount == 0)
    #expect((1...64 * 1024).contains(log.capacity))
  }

  @Test func `a body that is refused leaves nothing behind`() throws {
    var log = BroadcastLog(format: FrameFormat(maximumBodySize: 10))
    let error = #expect(throws: FramingError.self) { try log.append([UInt8](repeating: 0, count: 11).span) }
    #expect(error?.code == .bodyTooLarge)
    #expect(log.end == 0 && log.capacity == 0)
    try log.append([1].span)
    #expect(throws: FramingError.self) { try log.append([UInt8](repeating: 0, count: 11).span) }
    let pieces = log.portion(from: 0, upTo: log.end).pieces(from: 0)
    #expect(pieces.flatMap { Array($0.bytes) } == [0, 0, 0, 1, 1])
  }

  @Test func `a portion ends with a chunk, or a limit`() throws {
    var log = BroadcastLog(format: .standard)
    for _ in 0..<100 { try log.append([UInt8](repeating: 0, count: 1020).span) }
    let whole = log.portion(from: 0, upTo: log.end)
    #expect(whole.range == 0..<102_400)
    #expect(whole.pieces(from: 0).count < 10)
    #expect(log.portion(from: 1024, upTo: 4096).range == 1024..<4096)
    let part = log.portion(from: 1024, upTo: log.end, atMost: 10_000)
    #expect((10_000..<64 * 1024).contains(part.range.count))
    #expect(part.range.upperBound % 1024 == 0)
    #expect(log.portion(from: log.end, upTo: log.end).pieces(from: log.end).isEmpty)
  }
}
