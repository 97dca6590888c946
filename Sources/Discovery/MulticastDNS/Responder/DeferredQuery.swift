/// A query whose answer is deferred, because more known answers may follow (RFC 6762 §7.2) or other hosts may answer too (§6).
struct DeferredQuery {
  /// The maximum number per link. When there are more, the oldest is answered at once.
  static let maximum = 64

  let source: MulticastSource
  var due: Instant
  /// The records to send by multicast.
  var multicast: Set<Int> = []
  /// The records to send to the asker by unicast.
  var unicast: Set<Int> = []
  /// Whether more known answers are to follow.
  var isTruncated = false
  /// The query of a legacy resolver, which is answered in place of `multicast` and `unicast`.
  var legacy: LegacyQuery?

  mutating func forget(_ slot: Int) {
    multicast.remove(slot)
    unicast.remove(slot)
  }
}

/// The query of a resolver that does not know multicast DNS (RFC 6762 §6.7).
struct LegacyQuery {
  /// The maximum number of questions. Resolvers ask one.
  static let maximumQuestions = 16

  let id: UInt16
  let questions: [DNSQuestion]

  /// Makes a query from a message; nil when it has too many questions.
  init?(_ message: DNSMessage) {
    guard message.questions.count <= Self.maximumQuestions else { return nil }
    id = message.id
    // The first bit of the class is not a part of it (RFC 6762 §5.4).
    var seen: Set<DNSQuestion> = []
    questions = message.questions.map { DNSQuestion($0.name, $0.type, isOfAnyClass: $0.isOfAnyClass) }
      .filter { seen.insert($0).inserted }
  }
}
