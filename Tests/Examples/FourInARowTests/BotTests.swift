import FourInARow
import TestSupport
import Testing
import _BonjourishBase

struct BotTests {
  private func column(after columns: String, seed: UInt64 = 1, depth: Int = 4) throws -> Int {
    var board = Board()
    for column in columns { try board.drop(in: #require(column.wholeNumberValue) - 1) }
    var generator = SeededGenerator(seed: seed)
    return Bot(depth: depth).column(for: board, using: &generator) + 1
  }

  @Test(arguments: [
    // Three across with one end open, three upright, and a gap.
    ("112233", 4), ("121212", 1), ("11224417", 3),
  ])
  func `the bot wins if it can`(_ columns: String, _ winning: Int) throws {
    for seed: UInt64 in 1...5 { #expect(try column(after: columns, seed: seed) == winning) }
  }

  @Test func `the bot does not put off a certain win`() throws {
    // Three across with both ends open: only one of them can be closed.
    for seed: UInt64 in 1...5 { #expect([1, 5].contains(try column(after: "223344", seed: seed))) }
  }

  @Test(arguments: [("11223", 4), ("12121", 1), ("1122447", 3)])
  func `the bot prevents the other from winning`(_ columns: String, _ blocking: Int) throws {
    for seed: UInt64 in 1...5 { #expect(try column(after: columns, seed: seed) == blocking) }
  }

  @Test func `a bot that looks one move ahead goes for the middle, and does not see what the other can do`() throws {
    #expect(Bot().depth == 6)
    #expect(try column(after: "", depth: 1) == 4)
    // The middle is full: both places beside it are equal.
    #expect(Set(try (1...20).map { try column(after: "444444", seed: $0, depth: 1) }) == [3, 5])
    for seed: UInt64 in 1...5 {
      #expect(try column(after: "12121", seed: seed, depth: 1) == 4)
      #expect(try column(after: "12121", seed: seed, depth: 2) == 1)
    }
  }

  @Test func `the bot begins in the middle, and plays the same game for the same seed`() throws {
    #expect(try column(after: "") == 4)
    #expect(try game(seed: 5) == game(seed: 5))
  }

  private func game(seed: UInt64) throws -> Board {
    var generator = SeededGenerator(seed: seed)
    var board = Board()
    while board.outcome == nil { try board.drop(in: Bot(depth: 3).column(for: board, using: &generator)) }
    return board
  }

  @Test(arguments: 1...10) func `the bot never loses to a random player`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var board = Board()
    while let random = board.openColumns.randomElement(using: &generator) {
      try board.drop(in: board.turn == .second ? Bot(depth: 3).column(for: board, using: &generator) : random)
    }
    #expect(board.outcome == .won(.second), "seed \(seed)\n\(board)")
  }
}
