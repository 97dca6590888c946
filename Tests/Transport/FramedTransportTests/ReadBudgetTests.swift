import Testing

@testable import FramedTransport

@Suite struct ReadBudgetTests {
  private final class Reader: Sendable {
    var name: ObjectIdentifier { ObjectIdentifier(self) }
  }

  private let first = Reader()
  private let second = Reader()
  private var readBudget = ReadBudget()

  @Test mutating func `a single reader reads everything, and several readers get their share`() {
    for _ in 0..<3 { #expect(readBudget.take(for: first.name, in: 1) == .max) }
    for _ in 0..<3 {
      #expect(readBudget.take(for: second.name, in: 1) == ReadBudget.besideOthers)
      #expect(readBudget.take(for: first.name, in: 1) == ReadBudget.besideOthers)
    }
    for _ in 1..<ReadBudget.memory { #expect(readBudget.take(for: first.name, in: 1) == ReadBudget.besideOthers) }
    #expect(readBudget.take(for: first.name, in: 1) == .max, "the other has not been there for long")
    #expect(readBudget.take(for: second.name, in: 1) == ReadBudget.besideOthers)
  }

  /// Lets readers read in one turn as much as they may.
  private mutating func read(_ readers: [Reader], in turn: UInt64) -> [Int] {
    readers.map { reader in
      let count = readBudget.take(for: reader.name, in: turn)
      readBudget.end(count)
      return count
    }
  }

  @Test mutating func `busy senders share a tick with quiet ones`() {
    let many = (0..<5).map { _ in Reader() }
    _ = readBudget.take(for: first.name, in: 1)
    #expect(read(many, in: 2) == [Int](repeating: ReadBudget.besideOthers, count: 5), "nobody sends little")
    _ = readBudget.take(for: first.name, in: 3)
    readBudget.end(ReadBudget.least - 1)
    let (most, least) = (ReadBudget.besideOthers, ReadBudget.least)
    #expect(read(many, in: 4) == [most, most, least, least, least])
    #expect(read(many, in: 5) == [Int](repeating: most, count: 5), "who sent little has gone")
  }

  @Test mutating func `the end of a stream is no little`() {
    _ = readBudget.take(for: first.name, in: 1)
    readBudget.end(0)
    #expect(read([second, first, second], in: 2).allSatisfy { $0 == ReadBudget.besideOthers })
  }
}
