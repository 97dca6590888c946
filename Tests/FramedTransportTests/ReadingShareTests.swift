import Testing

@testable import FramedTransport

@Suite struct ReadingShareTests {
  private final class Reader: Sendable {
    var name: ObjectIdentifier { ObjectIdentifier(self) }
  }

  private let first = Reader()
  private let second = Reader()
  private var share = ReadingShare()

  @Test mutating func `who is alone reads as much as there is, and who is not gets his share`() {
    for _ in 0..<3 { #expect(share.take(for: first.name, in: 1) == .max) }
    for _ in 0..<3 {
      #expect(share.take(for: second.name, in: 1) == ReadingShare.besideOthers)
      #expect(share.take(for: first.name, in: 1) == ReadingShare.besideOthers)
    }
    for _ in 1..<ReadingShare.memory { #expect(share.take(for: first.name, in: 1) == ReadingShare.besideOthers) }
    #expect(share.take(for: first.name, in: 1) == .max, "the other has not been there for long")
    #expect(share.take(for: second.name, in: 1) == ReadingShare.besideOthers)
  }

  /// Lets readers read in one turn as much as they may.
  private mutating func read(_ readers: [Reader], in turn: UInt64) -> [Int] {
    readers.map { reader in
      let count = share.take(for: reader.name, in: turn)
      share.end(count)
      return count
    }
  }

  @Test mutating func `those who send much share a turn with those who send little`() {
    let many = (0..<5).map { _ in Reader() }
    _ = share.take(for: first.name, in: 1)
    #expect(read(many, in: 2) == [Int](repeating: ReadingShare.besideOthers, count: 5), "nobody sends little")
    _ = share.take(for: first.name, in: 3)
    share.end(ReadingShare.least - 1)
    let (most, least) = (ReadingShare.besideOthers, ReadingShare.least)
    #expect(read(many, in: 4) == [most, most, least, least, least])
    #expect(read(many, in: 5) == [Int](repeating: most, count: 5), "who sent little has gone")
  }

  @Test mutating func `the end of a stream is no little`() {
    _ = share.take(for: first.name, in: 1)
    share.end(0)
    #expect(read([second, first, second], in: 2).allSatisfy { $0 == ReadingShare.besideOthers })
  }
}
