/// The state of a streaming reply on the side that takes it. A value without a clock.
struct RequestStream: Sendable {
  typealias Instant = ContinuousClock.Instant

  private let window: Int
  private let each: Duration

  /// The number of items that the peer may still send.
  private(set) var credit: Int
  /// The number of items that the app has taken, and for which no credit was given back.
  private var taken = 0

  /// When the next item is too late; nil while the peer may send none.
  private(set) var silenceDeadline: Instant?

  /// - Parameters:
  ///   - window: The number of items that may be on the way, or wait to be taken.
  ///   - each: The longest time for the first and for each following item.
  init(window: Int, each: Duration, at now: Instant) {
    self.window = window
    self.each = each
    credit = window
    silenceDeadline = now + each
  }

  /// Counts an item of the peer. Returns false if it had no credit.
  mutating func receive(at now: Instant) -> Bool {
    guard credit > 0 else { return false }
    credit -= 1
    silenceDeadline = credit > 0 ? now + each : nil
    return true
  }

  /// Counts items that the app has taken. Returns the credit to give back: once for half a window, so that the peer never waits for an
  /// app that is fast enough.
  mutating func take(_ count: Int, at now: Instant) -> Int? {
    taken += count
    guard taken > 0, 2 * taken >= window else { return nil }
    if silenceDeadline == nil { silenceDeadline = now + each }
    defer { taken = 0 }
    credit += taken
    return taken
  }
}
