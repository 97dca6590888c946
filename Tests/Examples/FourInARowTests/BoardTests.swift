import FourInARow
import TestSupport
import Testing
import _BonjourishBase

struct BoardTests {
  /// Drops discs into columns, counted from 1.
  private func board(_ columns: String) throws -> Board {
    var board = Board()
    for column in columns { try board.drop(in: #require(column.wholeNumberValue) - 1) }
    return board
  }

  @Test func `a disc falls to the lowest free place, and the players take turns`() throws {
    var board = Board()
    #expect(board.turn == .first && board.discCount == 0 && board.openColumns == Array(0..<7))
    try board.drop(in: 3)
    #expect(board[3, 0] == .first && board[3, 1] == nil && board.turn == .second)
    try board.drop(in: 3)
    #expect(board[3, 1] == .second && board.turn == .first && board.discCount == 2)
    #expect(
      board.description == """
        .......
        .......
        .......
        .......
        ...o...
        ...x...
        """)
  }

  @Test func `an illegal move is refused, and changes nothing`() throws {
    let full = try board("444444")
    for (column, reason) in [(-1, MoveError.noSuchColumn(-1)), (7, .noSuchColumn(7)), (3, .columnFull(3))] {
      var after = full
      #expect(throws: reason) { try after.drop(in: column) }
      #expect(after == full)
    }
    #expect(full.openColumns == [0, 1, 2, 4, 5, 6])
    var over = try board("1122334")
    #expect(throws: MoveError.gameOver) { try over.drop(in: 0) }
    #expect(over.openColumns == [])
  }

  @Test func `the four that won are in upper case`() throws {
    #expect(try board("1122334").lines == [".......", ".......", ".......", ".......", "ooo....", "XXXX..."])
    #expect(try board("12233434474").lines == [".......", ".......", "...X...", "..Xx...", ".Xxo...", "Xooo..o"])
    #expect(try board("17274717").lines == [".......", ".......", "......O", "......O", "x.....O", "xx.x..O"])
  }

  @Test(arguments: [
    // Across, at both edges.
    ("1122334", Disc.first), ("7766554", .first),
    // Upright.
    ("1212121", .first), ("17274717", .second),
    // Slanting up and down.
    ("12233434474", .first), ("76655454414", .first),
  ])
  func `four in a row win`(_ columns: String, _ winner: Disc) throws {
    let board = try board(columns)
    #expect(board.outcome == .won(winner), "\(board)")
    let before = try self.board(String(columns.dropLast()))
    #expect(before.outcome == nil, "\(before)")
  }

  @Test func `nothing wraps from one column to the next`() throws {
    // Three at the top of one column and one at the bottom of the next are no four.
    let board = try board("1112" + "11" + "1")
    #expect(board.outcome == nil)
  }

  /// The rules as plainly as possible: every place, every direction.
  private func hasFour(_ board: Board, of disc: Disc) -> Bool {
    for column in 0..<Board.columns {
      for row in 0..<Board.rows {
        for (right, up) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
          let places = (0..<4).map { (column + $0 * right, row + $0 * up) }
          guard places.allSatisfy({ (0..<Board.columns).contains($0.0) && (0..<Board.rows).contains($0.1) }) else { continue }
          if places.allSatisfy({ board[$0.0, $0.1] == disc }) { return true }
        }
      }
    }
    return false
  }

  @Test(arguments: 1...20) func `random games end as the rules say`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      var board = Board()
      while let column = board.openColumns.randomElement(using: &generator) {
        try board.drop(in: column)
        let winners = Disc.allCases.filter { hasFour(board, of: $0) }
        let expected: Outcome? = winners.first.map { .won($0) } ?? (board.discCount == 42 ? .draw : nil)
        #expect(board.outcome == expected && winners.count <= 1, "seed \(seed)\n\(board)")
      }
      #expect(board.outcome != nil)
      let winning = (0..<42).filter { board.isWinning(column: $0 % 7, row: $0 / 7) }
      #expect(board.outcome == .draw ? winning.isEmpty : winning.count >= 4, "seed \(seed)\n\(board)")
    }
  }

  @Test func `a full board without four is a draw`() throws {
    let columns = "126613431456475467333341527215612225546777"
    let board = try board(columns)
    #expect(board.discCount == 42 && board.outcome == .draw, "\(board)")
  }
}
