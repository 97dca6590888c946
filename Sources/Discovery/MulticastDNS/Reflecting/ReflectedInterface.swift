import _BonjourishDiscovery

/// One interface of a reflector: its links, and what was heard and sent there a moment ago.
struct ReflectedInterface {
  /// How a question was asked.
  enum Asking {
    /// The answers go to the group.
    case openly
    /// The answers may go to the asker alone (RFC 6762 §5.4, §6.7), so they are none for others.
    case alone
    /// Its name is probed for.
    case probing
  }

  private struct QuestionKey: Hashable {
    let digest: Int
    let asking: Asking

    init(_ question: DNSQuestion, _ asking: Asking) {
      digest = HashedKey(name: question.name, type: question.type).digest
      self.asking = asking
    }
  }

  private struct Asked {
    var at: Instant
    /// The hash of the known answers; 0 for none.
    var known = 0
    /// How many probes have followed each other.
    var probes = 1
  }

  private struct Goodbye {
    var at: Instant
    /// How many have followed each other, a second apart.
    var count = 1
  }

  /// A record is sent at most once a second, and four times as often while somebody probes for its name (RFC 6762 §6).
  private static let interval: Int64 = 1000
  private static let intervalOfDefence: Int64 = 250
  /// A goodbye is sent up to three times, because one may get lost. Then it is sent no more for ten seconds, unless the record was
  /// there again since.
  private static let goodbyes = 3
  /// The next follows after a second, with the inaccuracy of timers.
  private static let betweenGoodbyes: Int64 = 900
  private static let intervalOfGoodbyes: Int64 = 10_000
  /// A question is asked again after a second by whoever gets no answer (RFC 6762 §5.2); with the inaccuracy of timers.
  static let intervalOfQuestions: Int64 = 900
  /// Three probes follow each other at distances of 250 ms (RFC 6762 §8.1).
  private static let intervalOfProbes: Int64 = 200
  private static let probes = 3
  /// Reflectors repeat a record within so many milliseconds. Its owner says it again after a second at the earliest (RFC 6762 §6).
  private static let copying: Int64 = 500
  /// What others ask within so many milliseconds after a question whose answers go to its asker alone may be its echo.
  private static let echo: Int64 = 200
  /// The same question of another reflector, which may be slow, is one that was heard before.
  private static let returning: Int64 = 10_000

  /// The families with which it can be used, with the longest datagram in bytes.
  private(set) var limits: [IPAddress.Family: Int] = [:]
  private(set) var addresses = LinkAddresses(ofInterface: [])
  private var allowance = Allowance.reflected
  private var records = Generations<Int, Instant>(limit: 8_192)
  private var goodbyes = Generations<Int, Goodbye>(limit: 8_192)
  private var questions = Generations<QuestionKey, Asked>(limit: 4_096)
  /// The records that probes have proposed.
  private var proposals = Generations<Int, Asked>(limit: 4_096)
  /// The names that are being probed for, and since when.
  private var probed = Generations<Int, Instant>(limit: 1_024)

  var isUp: Bool { !limits.isEmpty }
  /// The longest datagram that all families take.
  var limit: Int { limits.values.min() ?? MessagePacker.longestLimit }
  var families: [IPAddress.Family] { IPAddress.Family.allCases.filter { limits[$0] != nil } }

  mutating func bringUp(_ family: IPAddress.Family, _ addresses: [InterfaceAddress], mtu: Int) {
    limits[family] = MessagePacker.limit(mtu: mtu)
    self.addresses.ofInterface = addresses
  }

  mutating func takeDown(_ family: IPAddress.Family) { limits[family] = nil }

  // MARK: - Records

  /// Notes a record that was heard or sent.
  mutating func note(_ record: DNSRecord, at now: Instant) {
    let key = RecordKey.digest(record.name, record.data)
    if record.timeToLive == 0 {
      let last = goodbyes[key].flatMap { now - $0.at < Self.intervalOfGoodbyes ? $0 : nil }
      if let last, now - last.at < Self.betweenGoodbyes { return }
      goodbyes[key] = Goodbye(at: now, count: (last?.count ?? 0) + 1)
      records[key] = nil
    } else {
      records[key] = now
      goodbyes[key] = nil
    }
  }

  /// Whether a record was there a moment ago.
  func isRecent(_ record: DNSRecord, fromRepeater: Bool, at now: Instant) -> Bool {
    let key = RecordKey.digest(record.name, record.data)
    if record.timeToLive == 0 {
      guard let last = goodbyes[key] else { return false }
      let isLast = fromRepeater || last.count >= Self.goodbyes
      return now - last.at < (isLast ? Self.intervalOfGoodbyes : Self.betweenGoodbyes)
    }
    let isDefended = isProbed(record.name, within: Self.interval, at: now)
    return records[key].map { now - $0 < (isDefended ? Self.intervalOfDefence : Self.interval) } ?? false
  }

  /// Whether a record was said a moment ago, so that a copy of it may be heard now.
  func wasSaid(_ record: DNSRecord, at now: Instant) -> Bool {
    records[RecordKey.digest(record.name, record.data)].map { now - $0 < Self.copying } ?? false
  }

  // MARK: - Questions

  /// Whether it was asked within a second for a record, so that all who have it answered, and could be heard.
  func wasAsked(for record: DNSRecord, at now: Instant) -> Bool {
    let asked = questions[QuestionKey(DNSQuestion(record.name, record.type), .openly)]
    return asked.map { $0.known == 0 && now - $0.at < Self.interval } ?? false
  }

  mutating func note(probeFor name: DNSName, at now: Instant) { probed[name.digest] = now }

  func isProbed(_ name: DNSName, within milliseconds: Int64, at now: Instant) -> Bool {
    probed[name.digest].map { now - $0 < milliseconds } ?? false
  }

  /// Notes a question that was heard or sent.
  ///
  /// - Parameter known: The hash of the known answers that concern this link; 0 for none.
  mutating func note(_ question: DNSQuestion, _ asking: Asking, known: Int, at now: Instant) {
    let key = QuestionKey(question, asking)
    questions[key] = Self.next(after: questions[key], known: known, at: now)
  }

  private static func next(after last: Asked?, known: Int = 0, at now: Instant) -> Asked {
    guard let last, now - last.at < intervalOfQuestions else { return Asked(at: now, known: known) }
    // The same probe of another reflector is none more.
    return Asked(at: now, known: known, probes: last.probes + (now - last.at < intervalOfProbes ? 0 : 1))
  }

  /// Whether a question was asked a moment ago, by somebody who knew no more than who asks now (RFC 6762 §7.3).
  func isRecent(_ question: DNSQuestion, known: Int, fromRepeater: Bool, at now: Instant) -> Bool {
    let isEcho = questions[QuestionKey(question, .alone)].map { now - $0.at < (fromRepeater ? Self.returning : Self.echo) }
    if isEcho == true { return true }
    guard let last = questions[QuestionKey(question, .openly)] else { return false }
    let age = now - last.at
    if fromRepeater { return age < Self.returning }
    return age < Self.intervalOfQuestions && (last.known == 0 || last.known == known)
  }

  /// Notes what a probe has proposed.
  mutating func note(proposals records: [DNSRecord], at now: Instant) {
    for record in records {
      let key = RecordKey.digest(record.name, record.data)
      proposals[key] = Self.next(after: proposals[key], at: now)
    }
  }

  /// Whether a probe was sent a moment ago. Without proposals it is like those of others for the same name.
  func isRecent(probe question: DNSQuestion, proposing records: [DNSRecord], fromRepeater: Bool, at now: Instant) -> Bool {
    func isRecent(_ last: Asked?) -> Bool {
      guard let last, case let age = now - last.at else { return false }
      if fromRepeater { return age < Self.returning }
      return age < Self.intervalOfProbes || (age < Self.intervalOfQuestions && last.probes >= Self.probes)
    }
    guard records.isEmpty else { return records.allSatisfy { isRecent(proposals[RecordKey.digest($0.name, $0.data)]) } }
    return isRecent(questions[QuestionKey(question, .probing)])
  }

  // MARK: - Budget

  /// Whether something may be sent.
  func hasBudget(at now: Instant) -> Bool { allowance.next(from: now) <= now }

  mutating func spend(_ datagrams: Int, at now: Instant) {
    for _ in 0..<datagrams { allowance.note(at: now) }
  }
}
