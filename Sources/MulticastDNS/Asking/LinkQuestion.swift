/// A question as it is asked on one link, for all who want it answered.
struct LinkQuestion {
  /// Milliseconds between the first two times (RFC 6762 §5.2).
  static let firstInterval: Int64 = 1000
  /// Milliseconds between two times at most.
  static let lastInterval: Int64 = 3_600_000
  /// Milliseconds after the first time in which those who answer at once do so: one who has just told the network has to wait
  /// for a second before he says it again (RFC 6762 §6), a shared answer for 120 ms, and all of them travel.
  static let settling: Int64 = 1200

  /// Milliseconds for which other hosts' questions do for ours (RFC 6762 §7.3).
  static let memory: Int64 = 1000

  let key: SetKey
  var subscribers: [MulticastEngine.QueryID] = []
  /// When the series of ever rarer questions goes on; never while the whole answer is known.
  var seriesAt: Instant
  /// Milliseconds until the one after that.
  var interval = LinkQuestion.firstInterval
  /// When to ask because a record is about to expire or is in doubt.
  var refreshAt = Instant.never
  var lastAsked: Instant?
  /// The last two hosts that asked the same, knowing no more than we do, the later one first.
  private var askers: [(source: MulticastSource, heard: Instant)] = []
  /// When those who answer at once have answered.
  var settlesAt = Instant.never
  var isSettled = false

  init(_ key: SetKey, seriesAt: Instant) {
    self.key = key
    self.seriesAt = seriesAt
  }

  var deadline: Instant { min(seriesAt, refreshAt, settlesAt) }

  /// When it is to be asked.
  var askAt: Instant { min(seriesAt, refreshAt) }

  /// Notes that another host has asked the same, knowing no more than we do.
  mutating func wasHeard(from source: MulticastSource, at now: Instant) {
    askers.removeAll { $0.source == source }
    askers.insert((source, now), at: 0)
    if askers.count > 2 { askers.removeLast() }
  }

  /// Whether other hosts' questions do for ours (RFC 6762 §7.3). It takes two: nobody answers his own question, and what the
  /// one would have to tell us the other makes him say.
  func isAskedByOthers(at now: Instant) -> Bool {
    askers.count == 2 && now - askers[1].heard <= Self.memory
  }

  /// Counts the question as asked.
  mutating func wasAsked(at now: Instant) {
    lastAsked = now
    refreshAt = .never
    if seriesAt <= now {
      seriesAt = now + interval
      interval = min(2 * interval, Self.lastInterval)
    }
    if !isSettled && settlesAt == .never { settlesAt = now + Self.settling }
  }
}
