/// The board of four in a row, and the rules of the game: two players in turn drop discs into seven columns of six places.
///
/// Columns are counted from 0 at the left, rows from 0 at the bottom. A board whose game is over accepts no further disc.
package struct Board: Hashable, Sendable {
  package static let columns = 7
  package static let rows = 6

  /// A disc's place is one bit. Each column has a bit more than it has rows, which stays zero: so nothing that is shifted by
  /// the distance between neighbours gets from the top of one column to the bottom of the next.
  private static let stride = rows + 1
  private static let fullCount = columns * rows

  /// From a place to its neighbours above, to the right, and to the right below and above.
  private static let directions = [1, stride, stride - 1, stride + 1]

  private var firstDiscs: UInt64 = 0
  private var secondDiscs: UInt64 = 0

  /// Whose turn it is.
  package private(set) var turn = Disc.first

  /// How the game ended; `nil` while it goes on.
  package private(set) var outcome: Outcome?

  /// An empty board.
  package init() {}

  /// How many discs there are.
  package var discCount: Int { (firstDiscs | secondDiscs).nonzeroBitCount }

  /// What lies in a place of the board; `nil` when it is empty.
  package subscript(column: Int, row: Int) -> Disc? {
    precondition((0..<Self.columns).contains(column) && (0..<Self.rows).contains(row), "There is no such place")
    let place = Self.place(column, row)
    if firstDiscs & place != 0 { return .first }
    return secondDiscs & place != 0 ? .second : nil
  }

  /// The columns into which a disc can be dropped; none when the game is over.
  package var openColumns: [Int] { outcome == nil ? (0..<Self.columns).filter { !isFull($0) } : [] }

  /// Drops a disc of the player whose turn it is.
  ///
  /// - Throws: Why it cannot be dropped there; the board is as before then.
  package mutating func drop(in column: Int) throws(MoveError) {
    guard outcome == nil else { throw .gameOver }
    guard (0..<Self.columns).contains(column) else { throw .noSuchColumn(column) }
    guard !isFull(column) else { throw .columnFull(column) }
    let place = Self.place(column, height(of: column))
    switch turn {
    case .first: firstDiscs |= place
    case .second: secondDiscs |= place
    }
    if Self.hasRow(discs(of: turn)) {
      outcome = .won(turn)
    } else if discCount == Self.fullCount {
      outcome = .draw
    }
    turn = turn.opposite
  }

  /// Whether a place belongs to the four or more with which the game was won.
  package func isWinning(column: Int, row: Int) -> Bool {
    guard case .won(let winner) = outcome else { return false }
    let (discs, place) = (discs(of: winner), Self.place(column, row))
    return Self.directions.contains { Self.rows(in: discs, along: $0) & place != 0 }
  }

  /// How near the middle the discs of whose turn it is are, less the same of the other's.
  var centrality: Int {
    (1..<Self.columns - 1).reduce(0) { sum, column in
      let nearness = min(column, Self.columns - 1 - column)
      let discs = Self.column(column)
      let difference =
        (discs & self.discs(of: turn)).nonzeroBitCount - (discs & self.discs(of: turn.opposite)).nonzeroBitCount
      return sum + nearness * difference
    }
  }

  private func discs(of player: Disc) -> UInt64 {
    switch player {
    case .first: firstDiscs
    case .second: secondDiscs
    }
  }

  private func height(of column: Int) -> Int { ((firstDiscs | secondDiscs) & Self.column(column)).nonzeroBitCount }

  private func isFull(_ column: Int) -> Bool { height(of: column) == Self.rows }

  private static func place(_ column: Int, _ row: Int) -> UInt64 { 1 << UInt64(column * stride + row) }

  private static func column(_ column: Int) -> UInt64 { (1 << UInt64(rows) - 1) << UInt64(column * stride) }

  private static func hasRow(_ discs: UInt64) -> Bool { directions.contains { rowStarts(in: discs, along: $0) != 0 } }

  /// The places from which on four in a row lie in a direction.
  private static func rowStarts(in discs: UInt64, along direction: Int) -> UInt64 {
    let pairs = discs & discs >> UInt64(direction)
    return pairs & pairs >> UInt64(2 * direction)
  }

  /// All places of fours in a row that lie in a direction.
  private static func rows(in discs: UInt64, along direction: Int) -> UInt64 {
    let starts = rowStarts(in: discs, along: direction)
    return (0..<4).reduce(0) { $0 | starts << UInt64($1 * direction) }
  }
}

extension Board: CustomStringConvertible {
  /// Six lines of seven characters, the top row first: `x` of the player who began, `o` of the other, `.` for an empty place,
  /// and the four that won in upper case.
  package var description: String { lines.joined(separator: "\n") }

  /// The lines of the description.
  package var lines: [String] {
    (0..<Self.rows).reversed().map { row in String((0..<Self.columns).map { character(column: $0, row: row) }) }
  }

  private func character(column: Int, row: Int) -> Character {
    switch (self[column, row], isWinning(column: column, row: row)) {
    case (.first, false): "x"
    case (.first, true): "X"
    case (.second, false): "o"
    case (.second, true): "O"
    case (nil, _): "."
    }
  }
}
