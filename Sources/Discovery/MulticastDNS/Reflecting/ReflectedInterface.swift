import _BonjourishDiscovery

/// One interface of a reflector: its links, and what was heard and sent there a moment ago.
struct ReflectedInterface {
  private struct Asked {
    var at: Instant
    /// The hash of the known answers; 0 for none.
    var known = 0
    /// How many probes have followed each other.
    var probes = 1
  }

  /// A record is sent at most once a second, and four times as often while somebody probes for its name (RFC 6762 §6).
  private static let interval: Int64 = 1000
  private static let intervalOfDefence: Int64 = 250
  /// A goodbye is sent once, unless the record was there again since.
  private static let intervalOfGoodbyes: Int64 = 10_000
  /// A question is asked again after a second by whoever gets no answer (RFC 6762 §5.2); with the inaccuracy of timers.
  private static let intervalOfQuestions: Int64 = 900
  /// Three probes follow each other at distances of 250 ms (RFC 6762 §8.1).
  private static let intervalOfProbes: Int64 = 200
  private static let probes = 3
  /// The same question of another reflector, which may be slow, is one that was heard before.
  private static let returning: Int64 = 10_000

  /// The families with which it can be used, with the longest datagram in bytes.
  private(set) var limits: [IPAddress.Family: Int] = [:]
  private(set) var addresses: [InterfaceAddress] = []
  private var allowance = Allowance.reflected
  private var records = Generations<Int, Instant>(limit: 8_192)
  private var goodbyes = Generations<Int, Instant>(limit: 8_192)
  private var questions = Generations<Int, Asked>(limit: 4_096)
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
    self.addresses = addresses
  }

  mutating func takeDown(_ family: IPAddress.Family) { limits[family] = nil }

  /// Whether an address is in the interface's own network.
  func isOnLink(_ address: IPAddress) -> Bool {
    addresses.contains { $0.address.shares($0.prefixLength, bitsWith: address) }
  }

  // MARK: - Records

  /// Notes a record that was heard or sent.
  mutating func note(_ record: DNSRecord, at now: Instant) {
    let key = RecordKey.digest(record.name, record.data)
    if record.timeToLive == 0 {
      goodbyes[key] = now
      records[key] = nil
    } else {
      records[key] = now
      goodbyes[key] = nil
    }
  }

  /// Whether a record was there a moment ago.
  func isRecent(_ record: DNSRecord, at now: Instant) -> Bool {
    let key = RecordKey.digest(record.name, record.data)
    if record.timeToLive == 0 { return goodbyes[key].map { now - $0 < Self.intervalOfGoodbyes } ?? false }
    let isDefended = isProbed(record.name, within: Self.interval, at: now)
    return records[key].map { now - $0 < (isDefended ? Self.intervalOfDefence : Self.interval) } ?? false
  }

  // MARK: - Questions

  mutating func note(probeFor name: DNSName, at now: Instant) { probed[name.digest] = now }

  func isProbed(_ name: DNSName, within milliseconds: Int64, at now: Instant) -> Bool {
    probed[name.digest].map { now - $0 < milliseconds } ?? false
  }

  /// Notes a question that was heard or sent.
  ///
  /// - Parameter known: The hash of the known answers that concern this link; 0 for none.
  mutating func note(_ question: DNSQuestion, known: Int, at now: Instant) {
    let key = HashedKey(name: question.name, type: question.type).digest
    questions[key] = Self.next(after: questions[key], known: known, at: now)
  }

  private static func next(after last: Asked?, known: Int = 0, at now: Instant) -> Asked {
    guard let last, now - last.at < intervalOfQuestions else { return Asked(at: now, known: known) }
    // The same probe of another reflector is none more.
    return Asked(at: now, known: known, probes: last.probes + (now - last.at < intervalOfProbes ? 0 : 1))
  }

  /// Whether a question was asked a moment ago, by somebody who knew no more than who asks now (RFC 6762 §7.3).
  func isRecent(_ question: DNSQuestion, known: Int, fromRepeater: Bool, at now: Instant) -> Bool {
    guard let last = questions[HashedKey(name: question.name, type: question.type).digest] else { return false }
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
    return isRecent(questions[HashedKey(name: question.name, type: question.type).digest])
  }

  // MARK: - Budget

  /// Whether something may be sent.
  func hasBudget(at now: Instant) -> Bool { allowance.next(from: now) <= now }

  mutating func spend(_ datagrams: Int, at now: Instant) {
    for _ in 0..<datagrams { allowance.note(at: now) }
  }
}
