/// What the sender of a request expects: how long it waits, and how many items of a streaming reply it takes.
///
/// They travel in a frame of their own before the request, which peers of earlier versions ignore.
package struct RequestTerms: Hashable, Sendable {
  /// The milliseconds that the sender waits; the largest number for no limit.
  package let milliseconds: UInt32

  /// The number of items that may be sent at first; 0 for a request with one reply.
  package let credit: UInt32

  package init(milliseconds: UInt32, credit: UInt32) {
    self.milliseconds = milliseconds
    self.credit = credit
  }

  /// - Parameters:
  ///   - deadline: When the sender stops waiting; nil for no limit. Rounded up to milliseconds.
  ///   - credit: The number of items.
  init(deadline: ContinuousClock.Instant?, credit: Int, at now: ContinuousClock.Instant) {
    self.credit = UInt32(clamping: credit)
    guard let deadline else {
      milliseconds = .max
      return
    }
    let left = max(.zero, now.duration(to: deadline))
    milliseconds = left < .milliseconds(UInt32.max) ? UInt32(clamping: Int64((left / .milliseconds(1)).rounded(.up))) : .max
  }

  /// When the sender stops waiting, for a receiver that has got the terms now.
  func deadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    milliseconds == .max ? nil : now + .milliseconds(milliseconds)
  }
}
