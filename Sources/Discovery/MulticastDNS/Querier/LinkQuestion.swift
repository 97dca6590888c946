/// A question that is asked on one link for its subscribers.
struct LinkQuestion {
  /// The interval between the first two queries, in milliseconds (RFC 6762 §5.2).
  static let firstInterval: Int64 = 1000
  /// The longest interval between two queries, in milliseconds.
  static let lastInterval: Int64 = 3_600_000
  /// The interval before a query from which on the query may wait for others, in milliseconds.
  private static let waitingInterval: Int64 = 64_000
  /// The longest time until a question is asked again when a record in doubt was removed, in milliseconds.
  static let longestWait: Int64 = 60_000
  /// The time after a repeated query in which its answers arrive, in milliseconds. A host waits for up to 120 ms with a shared record
  /// (RFC 6762 §6); the rest is for transmission, and for busy machines.
  ///
  /// The first query alone is not enough: a host may have to wait for a second after its last multicast (RFC 6762 §6).
  private static let settling: Int64 = 400
  /// How long avahi-daemon leaves this host without an answer after a program here asked that knew it, in milliseconds.
  private static let silence: Int64 = 700
  /// The longest interval between queries for which settling is put off, in milliseconds: until the query after seven seconds.
  private static let longestSettlingInterval: Int64 = 4000

  /// The time for which other hosts' questions replace ours, in milliseconds (RFC 6762 §7.3).
  static let suppression: Int64 = 1000

  /// The maximum number of aliases that are followed in a row.
  static let maximumAliases = 4
  /// The shortest time between two aliases of a question, in milliseconds. Each may have thousands of records.
  static let aliasInterval: Int64 = 1000

  let key: HashedKey
  /// The question for the name that this one's name is an alias of. Its answers answer this one too.
  var alias: HashedKey?
  /// When the alias last began.
  var aliasBegan: Instant?
  /// The questions that have this one as their alias.
  var followers: [HashedKey] = []
  var subscribers: [MulticastEngine.QueryID] = []
  /// The time of the next query of the series with growing intervals; never while the whole answer is known.
  var seriesAt = Instant.never
  /// The interval after that query, in milliseconds.
  var interval = LinkQuestion.firstInterval
  /// The time to ask because a record is about to expire or is in doubt.
  var refreshAt = Instant.never
  var lastAsked: Instant?
  /// The query before the last one.
  private(set) var askedBefore: Instant?
  /// The last two hosts that asked this question with no more known answers than this host has, the latest first.
  private var askers: [(source: MulticastSource, heard: Instant)] = []
  /// The time by which the prompt answers have arrived.
  var settlesAt = Instant.never
  var isSettled = false
  /// When a record that was not known came last.
  private var newsAt = Instant(microseconds: .min)
  /// Whether a repeated query has brought records that were not known: then answers to earlier ones were lost or came late.
  private var isLossy = false
  /// When another program on this host last told that it knows a record that is not known here.
  private var lackedAt: Instant?

  init(_ key: HashedKey) {
    self.key = key
  }

  var deadline: Instant { min(seriesAt, refreshAt, settlesAt) }

  /// The time of the next query.
  var askAt: Instant { min(seriesAt, refreshAt) }

  /// Notes that another host has asked the same with no more known answers than we have.
  mutating func wasHeard(from source: MulticastSource, at now: Instant) {
    askers.removeAll { $0.source == source }
    askers.insert((source, now), at: 0)
    if askers.count > 2 { askers.removeLast() }
  }

  /// Whether other hosts' questions replace ours (RFC 6762 §7.3). Two hosts must have asked, because a host that asks does not
  /// answer itself, so its own records would be missing.
  func isAskedByOthers(at now: Instant) -> Bool {
    askers.count == 2 && now - askers[1].heard <= Self.suppression
  }

  /// Notes that a record was not known before.
  mutating func heardNews(at now: Instant) {
    if !isSettled { newsAt = now }
  }

  /// Notes that another program on this host, which asks the same, knows a record that is not known here.
  mutating func lacks(at now: Instant) {
    if !isSettled { lackedAt = now }
  }

  /// Whether the time to settle has come. It has not while a query is due whose answers are waited for.
  func isSettling(at now: Instant) -> Bool { settlesAt <= now && seriesAt > now }

  /// Puts settling off until the next query is answered, if the last one may have been left without an answer because of another
  /// program on this host, or if a repeated query brought news that this does not explain. More may be missing then, even if the last
  /// one brought none: its answers may be lost too.
  ///
  /// - Returns: Whether it did.
  mutating func putOffSettling(at now: Instant) -> Bool {
    let isUnanswered = if let lastAsked, let lackedAt { lastAsked - lackedAt <= Self.silence } else { false }
    if let lastAsked, newsAt >= lastAsked, lackedAt == nil { isLossy = true }
    guard isUnanswered || isLossy, seriesAt - now <= Self.longestSettlingInterval else { return false }
    settlesAt = seriesAt + Self.settling
    return true
  }

  /// How long the next query of the series may wait for others, in milliseconds: a quarter of the interval before it, if that was long.
  var longestWait: Int64 {
    let former = interval / 2
    return seriesAt != .never && former >= Self.waitingInterval ? former / 4 : 0
  }

  /// Marks the question as asked, and schedules the next query.
  mutating func wasAsked(at now: Instant) {
    askedBefore = lastAsked
    lastAsked = now
    refreshAt = .never
    if seriesAt <= now {
      let isRepeated = interval > Self.firstInterval
      if longestWait > 0 {
        // RFC 6762 §5.2: at least twice as long as the interval before, with the time that this query has waited.
        let waited = (now.microseconds - seriesAt.microseconds + 999) / 1000
        interval = min(interval + 2 * waited, Self.lastInterval)
      }
      seriesAt = now + interval
      interval = min(2 * interval, Self.lastInterval)
      // From when the query is really sent, which may be late on a busy machine.
      if !isSettled { settlesAt = (isRepeated ? now : seriesAt) + Self.settling }
    }
  }
}
