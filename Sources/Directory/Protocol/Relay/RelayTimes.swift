/// How long an answer takes, and how long is waited for it (RFC 6298, with bounds for a relay on the way).
struct RelayTimes {
  private static let first: Duration = .milliseconds(500)
  private static let shortest: Duration = .milliseconds(200)
  private static let longest: Duration = .seconds(4)

  private var smoothed: Duration?
  private var variation: Duration = .zero
  /// What is being measured: the end of the bytes, and when they were sent.
  private var sample: (end: UInt64, sent: ContinuousClock.Instant)?
  /// How often in a row nothing has been acknowledged in time.
  private(set) var failures = 0

  /// The time within which an answer comes, unless something is lost.
  var answer: Duration { smoothed.map { max(Self.shortest, $0 + variation * 4) } ?? Self.first }

  /// The time after which bytes that were not acknowledged are sent again: longer each time.
  var timeout: Duration { min(answer * (1 << min(failures, 6)), Self.longest) }

  mutating func sent(upTo end: UInt64, at now: ContinuousClock.Instant) {
    if sample == nil { sample = (end, now) }
  }

  mutating func acknowledged(upTo end: UInt64, at now: ContinuousClock.Instant) {
    failures = 0
    guard let sample, sample.end <= end else { return }
    self.sample = nil
    let time = now - sample.sent
    guard let former = smoothed else {
      (smoothed, variation) = (time, time / 2)
      return
    }
    let difference = former > time ? former - time : time - former
    variation = variation * 3 / 4 + difference / 4
    smoothed = former * 7 / 8 + time / 8
  }

  /// Notes that bytes are sent again: which of the two an acknowledgement is for is not known then.
  mutating func repeated() { sample = nil }

  mutating func failed() {
    failures += 1
    sample = nil
  }
}
