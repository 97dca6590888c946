/// The board and the rules of four in a row: two players take turns to drop discs into seven columns of six places.
///
/// Columns are counted from 0 at the left, rows from 0 at the bottom. When the game is over, the board accepts no further disc.
public struct Board: Hashable, Sendable {
  public static let columns = 7
  public static let rows = 6

  /// One bit for each place. Each column has one more bit than rows, which stays zero, so that shifting by the distance between
  /// neighbours never moves a bit from the top of one column to the bottom of the next.
  private static let stride = rows + 1
  private static let fullCount = columns * rows

  /// The distances from a place to its neighbours above, to the right, to the lower right and to the upper right.
  private static let directions = [1, stride, stride - 1, stride + 1]

  private var firstDiscs: UInt64 = 0
  private var secondDiscs: UInt64 = 0

  /// The player whose turn it is.
  public private(set) var turn = Disc.first

  /// How the game ended; `nil` while it goes on.
  public private(set) var outcome: Outcome?

  /// An empty board.
  public init() {}

  /// The number of discs.
  public var discCount: Int { (firstDiscs | secondDiscs).nonzeroBitCount }

  /// The disc in a place; `nil` if it is empty.
  public subscript(column: Int, row: Int) -> Disc? {
    precondition((0..<Self.columns).contains(column) && (0..<Self.rows).contains(row), "column must be 0 to 6, row 0 to 5")
    let place = Self.place(column, row)
    if firstDiscs & place != 0 { return .first }
    return secondDiscs & place != 0 ? .second : nil
  }

  /// The columns into which a disc can be dropped; none when the game is over.
  public var openColumns: [Int] { outcome == nil ? (0..<Self.columns).filter { !isFull($0) } : [] }

  /// Drops a disc of the player on turn.
  ///
  /// - Throws: ``MoveError`` if the disc cannot be dropped there; the board is then unchanged.
  public mutating func drop(in column: Int) throws(MoveError) {
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

  /// Whether a place belongs to the four or more that won the game.
  public func isWinning(column: Int, row: Int) -> Bool {
    guard case .won(let winner) = outcome else { return false }
    let (discs, place) = (discs(of: winner), Self.place(column, row))
    return Self.directions.contains { Self.rows(in: discs, along: $0) & place != 0 }
  }

  /// The closeness to the middle of the discs of the player on turn, minus that of the other player's discs.
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

  /// The places where a row of four in a direction begins.
  private static func rowStarts(in discs: UInt64, along direction: Int) -> UInt64 {
    let pairs = discs & discs >> UInt64(direction)
    return pairs & pairs >> UInt64(2 * direction)
  }

  /// All places of the rows of four in a direction.
  private static func rows(in discs: UInt64, along direction: Int) -> UInt64 {
    let starts = rowStarts(in: discs, along: direction)
    return (0..<4).reduce(0) { $0 | starts << UInt64($1 * direction) }
  }
}

extension Board: CustomStringConvertible {
  /// Six lines of seven characters, the top row first: `x` for the player who began, `o` for the other, `.` for an empty place;
  /// the winning four are in upper case.
  public var description: String { lines.joined(separator: "\n") }

  /// The lines of the description.
  public var lines: [String] {
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
