/// How far a member of a group has read its log, always between two frames.
struct LogCursor {
  /// Whether a member that lags goes on with the newest frame instead of the next.
  let skips: Bool
  private(set) var position: Int
  /// Whether the member did not take at once what was there.
  private(set) var isLagging = false

  init(at position: Int, skips: Bool) {
    self.position = position
    self.skips = skips
  }

  /// How many bytes up to a position are still to be read, as far as they add up.
  func backlog(upTo end: Int) -> Int { isLagging && skips ? 0 : end - position }

  /// The member does not take anything now.
  mutating func fallBehind() { isLagging = true }

  /// There is nothing to read.
  mutating func catchUp() -> LogPortion {
    isLagging = false
    return LogPortion(position..<position, of: [])
  }

  /// Reads exactly so far from exactly there; false when the cursor is elsewhere.
  mutating func take(_ range: Range<Int>) -> Bool {
    guard position == range.lowerBound else { return false }
    position = range.upperBound
    isLagging = false
    return true
  }

  /// Reads on, of many bytes no more than one chunk beyond so many.
  mutating func take(from log: BroadcastLog, atMost byteCount: Int = .max) -> LogPortion {
    // A log waits for nobody who skips.
    if skips, isLagging || position < log.start { position = max(position, log.newestFrame) }
    let portion = log.portion(from: position, upTo: log.end, atMost: byteCount)
    position = portion.range.upperBound
    isLagging = false
    return portion
  }

  /// Gives back what was read and could not be sent, except a frame of which some has left.
  ///
  /// With the log's lock held, and when nothing was sent or read after the portion.
  /// - Parameter start: The position of the first byte that has not left.
  mutating func putBack(_ portion: LogPortion, from start: Int) {
    position = portion.frameEnd(notBefore: start)
    isLagging = true
  }
}
