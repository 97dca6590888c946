/// Limits how often something is done: so many times at once, and then as often as time makes up for it.
struct Allowance {
  /// The records of a claim change ten times in any minute (RFC 6762 §8.4): five changes may follow each other at once, and each is
  /// made up for by twelve seconds without a change.
  static let updates = Allowance(burst: 5, interval: 12_000)
  /// How many records may be displaced before a sender's own flood is read, but not stored.
  static let displacements = Allowance(burst: 4096, interval: 1)
  /// How many datagrams a reflector sends on one link: as many at once as a thousand services need that begin together, and in the
  /// long run five hundred in a second.
  static let reflected = Allowance(burst: 8192, interval: 2)

  /// The number of times that may follow each other at once.
  private let burst: Int64
  /// The time that makes up for one of them, in milliseconds.
  private let interval: Int64
  /// The time when all so far have been made up for; nil before the first.
  private var settled: Instant?

  private init(burst: Int64, interval: Int64) {
    self.burst = burst
    self.interval = interval
  }

  /// The earliest time of the next one.
  func next(from now: Instant) -> Instant { settled.map { max(now, $0 - (burst - 1) * interval) } ?? now }

  mutating func note(at now: Instant) { settled = max(settled ?? now, now) + interval }
}
