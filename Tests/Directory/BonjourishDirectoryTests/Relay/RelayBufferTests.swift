import CBonjourishNATS
import Testing
import _BonjourishBase

@testable import BonjourishDirectory

struct RelayBufferTests {
  /// Messages of the library need it open, as it is where there is a connection.
  init() throws { try #require(nats_Open(-1) == NATS_OK) }

  /// A message of the library with these bytes.
  private func message(_ bytes: [UInt8]) throws -> NATSMessage {
    var pointer: OpaquePointer?
    let status = bytes.withUnsafeBytes {
      natsMsg_Create(&pointer, "relay", nil, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
    }
    #expect(status == NATS_OK)
    return try #require(NATSMessage(pointer))
  }

  private func read(_ buffer: inout RelayBuffer, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
      var span = OutputSpan(buffer: memory, initializedCount: 0)
      let count = buffer.read(into: &span)
      initialized = span.finalize(for: memory)
      #expect(count == initialized)
    }
  }

  @Test func `many small messages that nobody reads take little more memory than their bytes`() throws {
    var buffer = RelayBuffer()
    for index in 0..<10_000 { buffer.append(try message([0xFF, UInt8(truncatingIfNeeded: index)]), 1..<2) }
    #expect(buffer.chunkCount == RelayBuffer.mostSmallMessages + 1)
    #expect(read(&buffer, 20_000) == (0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
    #expect(buffer.isEmpty)
    #expect(read(&buffer, 10) == [])
  }

  @Test(arguments: [1, 7, 1_000, 4_096])
  func `bytes come in order, however messages of all sizes and reads follow each other`(part: Int) throws {
    var buffer = RelayBuffer()
    var random = SeededGenerator(seed: UInt64(part))
    var (sent, received): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<400 {
      let size = Int(random.next() % 4 == 0 ? random.next() % 5_000 : random.next() % 20)
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      sent += bytes
      buffer.append(try message([1, 2, 3] + bytes), 3..<(3 + size))
      if random.next() % 8 == 0 { received += read(&buffer, part) }
      // Small ones that follow each other are one piece, and each large one has bytes of its own.
      let unread = sent.count - received.count
      #expect(buffer.chunkCount <= RelayBuffer.mostSmallMessages + 2 * unread / RelayBuffer.smallSize + 2)
    }
    while !buffer.isEmpty { received += read(&buffer, part) }
    #expect(received == sent)
  }
}
