import _BonjourishBase

/// Observes whether the questions of other hosts are answered (RFC 6762 §10.5).
///
/// A record that two questions in ten seconds should have brought, and did not, is removed ten seconds after the first. A wanted one
/// is asked for once before: a host with two addresses on the link does not answer its own questions, and looks like two hosts.
extension Querier {
  /// The maximum number of records that are compared with a query: those of each set that were confirmed the longest time ago.
  private static let maximumObserved = 32
  /// The time in which two questions count, and after which the record goes, in milliseconds.
  private static let observation: Int64 = 10_000
  /// The shortest time between two questions that count, in milliseconds: less than a second, the first interval of a series.
  private static let shortestInterval: Int64 = 800
  /// The time in which the second question, and our own, is answered, in milliseconds.
  private static let timeout: Int64 = 1500

  /// Notes the records that must be sent in answer to another host's multicast query. Queries that go on in other datagrams, and
  /// probes, do not count.
  mutating func observe(_ message: DNSMessage, from source: MulticastSource, _ step: inout Step) {
    guard !message.isTruncated, message.authorities.isEmpty else { return }
    var left = Self.maximumObserved
    var known: Set<Int>?
    for question in message.questions where !question.wantsUnicast && question.type != .any {
      for slot in cache.longestUnconfirmed(of: HashedKey(name: question.name, type: question.type), maximum: left) {
        left -= 1
        guard case .aging = cache[slot].phase, cache[slot].received < step.now - 1000, !cache.mayBe(slot, from: source.address)
        else { continue }
        if known == nil { known = Set(message.answers.compactMap { cache.find($0.name, $0.data) }) }
        if !known!.contains(slot) { noteQuestion(about: slot, &step) }
      }
    }
  }

  private mutating func noteQuestion(about slot: Int, _ step: inout Step) {
    let since = cache[slot].unansweredSince
    // After two questions, a further one does not lift the doubt that is about to be told.
    let limit = cache[slot].isUnansweredTwice ? Self.observation + Self.timeout : Self.observation
    guard since != .never, step.now - since <= limit else {
      cache[slot].unansweredSince = step.now
      cache[slot].isUnansweredTwice = false
      return
    }
    guard !cache[slot].isUnansweredTwice, step.now - since >= Self.shortestInterval else { return }
    cache[slot].isUnansweredTwice = true
    if cache[slot].isWanted { questions.askAgain(cache.key(of: slot), &step) }
    cache.deadlines.set(slot, to: min(cache[slot].expiry, step.now + Self.timeout))
  }

  /// Suspects a record that others have asked for twice in vain, and removes it ten seconds after the first question.
  mutating func suspectUnanswered(_ slot: Int, _ step: inout Step) {
    cache[slot].phase = .suspect(asked: 3)
    let end = max(cache[slot].unansweredSince + Self.observation, step.now + Self.timeout)
    cache[slot].expiry = min(cache[slot].expiry, end)
    scheduleRecord(slot, at: step.now)
    tell(slot, { .suspect($0, $1) }, &step)
  }
}
