/// The number of bytes that a connection may read at once, so that a flood on one connection does not delay the others.
///
/// A connection that is alone on the loop reads a buffer full. Beside others it reads less, because they wait until the bytes
/// that it has read are handled. While some peers send little and would notice the delay, those that send much share one limit
/// for each tick.
struct ReadBudget {
  /// The bytes that a connection reads at once beside others: worth a system call, and handled in a fraction of a millisecond.
  static let besideOthers = 32 * 1024

  /// The bytes to read in one tick, while some peers send little, before all others are limited to `least`.
  static let ofTick = 64 * 1024

  /// The bytes that a connection may always read. A peer that sends less than this at once sends little.
  static let least = 2 * 1024

  /// The number of consecutive reads of one connection after which it counts as alone.
  static let memory = 64

  private var last: ObjectIdentifier?
  private var remembered = 0
  private var tick: UInt64 = 0
  private var isLittleSent = false
  /// The bytes that may still be read in this tick before all others are limited to `least`.
  private var left = Int.max

  /// Begins a read.
  ///
  /// - Parameters:
  ///   - reader: The connection.
  ///   - tick: The number of the loop's tick.
  /// - Returns: The most bytes that it may read.
  mutating func take(for reader: ObjectIdentifier, in tick: UInt64) -> Int {
    if reader != last {
      remembered = last == nil ? 0 : Self.memory
      last = reader
    } else if remembered > 0 {
      remembered -= 1
    }
    if tick != self.tick {
      self.tick = tick
      left = isLittleSent ? Self.ofTick : .max
      isLittleSent = false
    }
    return remembered > 0 ? max(Self.least, min(Self.besideOthers, left)) : .max
  }

  /// Ends a read of the given number of bytes.
  mutating func end(_ count: Int) {
    if count >= Self.least {
      left -= count
    } else if count > 0 {
      isLittleSent = true
    }
  }
}
