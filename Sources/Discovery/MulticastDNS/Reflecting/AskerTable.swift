import _BonjourishDiscovery

/// Those who want an answer for themselves: legacy resolvers (RFC 6762 §6.7), and those who accept one (§5.4).
struct AskerTable {
  struct Asker {
    let source: MulticastSource
    /// What a legacy resolver has asked; nil for others.
    let legacy: LegacyQuery?
    let questions: [DNSQuestion]
    let expires: Instant
    /// When to ask again if there was no answer; nil if that is not needed.
    var again: Instant?
    var answers = 0
  }

  private static let maximum = 64
  private static let mostOfHost = 8
  /// How long an answer is waited for, in milliseconds.
  private static let legacyTimeout: Int64 = 3000
  private static let timeout: Int64 = 1000
  /// More than that nobody needs: each host with such a record is one.
  static let mostAnswers = 16

  private(set) var askers: [Asker] = []
  var budget = UnicastBudget()

  /// When to ask again; ``Instant/never`` for not at all.
  var nextDeadline: Instant { askers.lazy.compactMap(\.again).min() ?? .never }

  /// Notes an asker. The oldest of its host makes room, or the oldest of all.
  mutating func note(
    _ source: MulticastSource, _ questions: [DNSQuestion], legacy: LegacyQuery?, again: Instant?, at now: Instant
  ) {
    askers.removeAll {
      $0.expires <= now || $0.answers >= Self.mostAnswers || ($0.source == source && $0.questions == questions)
    }
    let places = askers.indices.filter { askers[$0].source.address == source.address }
    if places.count >= Self.mostOfHost {
      askers.remove(at: places[0])
    } else if askers.count >= Self.maximum {
      askers.removeFirst()
    }
    askers.append(
      Asker(
        source: source, legacy: legacy, questions: questions,
        expires: now + (legacy == nil ? Self.timeout : Self.legacyTimeout), again: again))
  }

  /// Returns those for whom to ask again now.
  mutating func takeDue(at now: Instant) -> [Asker] {
    let due = askers.indices.filter { askers[$0].again.map { $0 <= now } ?? false }
    for place in due { askers[place].again = nil }
    return due.map { askers[$0] }.filter { $0.answers == 0 && $0.expires > now }
  }

  /// The places of those on an interface who wait for an answer.
  func waiting(on interface: UInt32, at now: Instant) -> [Int] {
    askers.indices.filter {
      askers[$0].source.link.interface == interface && askers[$0].expires > now && askers[$0].answers < Self.mostAnswers
    }
  }

  /// Notes an answer, and whether the asker's host may get it.
  mutating func take(_ packets: [[UInt8]], for index: Int, at now: Instant) -> Bool {
    let host = askers[index].source.address
    guard !packets.isEmpty, budget.permits(host, at: now) else { return false }
    budget.note(packets, to: host, at: now)
    askers[index].answers += 1
    return true
  }
}

extension DNSQuestion {
  /// Whether a record answers the question.
  func isAnswered(by record: DNSRecord) -> Bool {
    name == record.name && (type == .any || type == record.type || record.type == .cname)
  }

  /// Whether a record says that the question's name has no record of its type (RFC 6762 §6.1).
  func isDenied(by record: DNSRecord) -> Bool {
    guard case .nsec(_, let types) = record.data, name == record.name, record.timeToLive > 0 else { return false }
    return type != .any && !types.contains(type)
  }
}
