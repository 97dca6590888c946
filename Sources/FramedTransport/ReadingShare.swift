/// How much a connection may read at once, so that one that floods the loop does not make the others wait.
///
/// Alone it reads as much as a buffer holds. Beside others it gets less, for they wait until everything that it has read has been
/// dealt with; and where there are some who send little, who are those that notice, all who send much share what is read in a turn.
struct ReadingShare {
  /// What a connection reads at once beside others: worth a system call, and dealt with in a fraction of a millisecond.
  static let besideOthers = 32 * 1024

  /// What is read in one turn beside those who send little, before the rest get the least.
  static let ofTurn = 64 * 1024

  /// What a connection may always read. Whoever sends less than that sends little.
  static let least = 2 * 1024

  /// For how many reads of the same connection it is remembered that there are others.
  static let memory = 64

  private var last: ObjectIdentifier?
  private var remembered = 0
  private var turn: UInt64 = 0
  private var isLittleSent = false
  /// What may be read in this turn before the rest get the least.
  private var left = Int.max

  /// Begins a read.
  ///
  /// - Parameters:
  ///   - reader: The connection.
  ///   - turn: The number of the loop's turn.
  /// - Returns: How many bytes it may have at most.
  mutating func take(for reader: ObjectIdentifier, in turn: UInt64) -> Int {
    if reader != last {
      remembered = last == nil ? 0 : Self.memory
      last = reader
    } else if remembered > 0 {
      remembered -= 1
    }
    if turn != self.turn {
      self.turn = turn
      left = isLittleSent ? Self.ofTurn : .max
      isLittleSent = false
    }
    return remembered > 0 ? max(Self.least, min(Self.besideOthers, left)) : .max
  }

  /// Ends a read that had so many bytes.
  mutating func end(_ count: Int) {
    if count >= Self.least {
      left -= count
    } else if count > 0 {
      isLittleSent = true
    }
  }
}
