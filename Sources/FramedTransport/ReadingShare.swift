/// How much a connection may read at once, so that one that floods the loop does not make the others wait.
///
/// Alone it reads as much as a buffer holds. Beside others it gets less, for they wait until everything that it has read has been
/// dealt with.
struct ReadingShare {
  /// What a connection reads at once beside others: worth a system call, and dealt with in a fraction of a millisecond.
  static let besideOthers = 32 * 1024

  /// For how many reads of the same connection it is remembered that there are others.
  static let memory = 64

  private var last: ObjectIdentifier?
  private var remembered = 0

  /// Counts a read.
  ///
  /// - Returns: How many bytes it may have at most.
  mutating func take(for reader: ObjectIdentifier) -> Int {
    if reader != last {
      remembered = last == nil ? 0 : Self.memory
      last = reader
    } else if remembered > 0 {
      remembered -= 1
    }
    return remembered > 0 ? Self.besideOthers : .max
  }
}
