/// The position of a group's member in the log, always between two frames.
struct LogCursor {
  /// Whether a lagging member skips to the newest frame.
  let skips: Bool
  private(set) var position: Int
  /// Whether the member could not take a portion at once.
  private(set) var isLagging = false

  init(at position: Int, skips: Bool) {
    self.position = position
    self.skips = skips
  }

  /// The number of bytes still to be read up to a position; 0 for a lagging member that skips them.
  func backlog(upTo end: Int) -> Int { isLagging && skips ? 0 : end - position }

  /// Marks the member as lagging.
  mutating func fallBehind() { isLagging = true }

  /// Marks the member as not lagging when nothing is left to read.
  mutating func catchUp() -> LogPortion {
    isLagging = false
    return LogPortion(position..<position, of: [])
  }

  /// Reads a range; returns false if the cursor is not at its start.
  mutating func take(_ range: Range<Int>) -> Bool {
    guard position == range.lowerBound else { return false }
    position = range.upperBound
    isLagging = false
    return true
  }

  /// Reads at most `byteCount` bytes, rounded up to a chunk.
  mutating func take(from log: BroadcastLog, atMost byteCount: Int = .max) -> LogPortion {
    // The log does not keep frames for members that skip.
    if skips, isLagging || position < log.start { position = max(position, log.newestFrame) }
    let portion = log.portion(from: position, upTo: log.end, atMost: byteCount)
    position = portion.range.upperBound
    isLagging = false
    return portion
  }

  /// Returns a portion that could not be sent, except a frame that has left in part.
  ///
  /// Called with the log's lock held, and only if nothing was sent or read after the portion.
  /// - Parameter start: The position of the first byte that has not left.
  mutating func putBack(_ portion: LogPortion, from start: Int) {
    position = portion.frameEnd(notBefore: start)
    isLagging = true
  }
}
