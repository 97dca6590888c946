import _BonjourishDiscovery

/// Puts queries together whose known answers come in several datagrams (RFC 6762 §7.2). They are asked as one on the other link,
/// where all come from the same address: those of two hosts would be taken for each other's.
struct QueryAssembler {
  private struct Part {
    var message: DNSMessage
    var bytes: Int
    var due: Instant
  }

  private static let maximum = 32
  /// The most bytes of datagrams that are kept of one query. Known answers beyond are left out.
  private static let maximumBytes = 32_768
  /// Known answers follow within half a second.
  private static let timeout: Int64 = 500

  private var parts: [(source: MulticastSource, part: Part)] = []

  /// When a query has waited long enough; ``Instant/never`` if none waits.
  var nextDeadline: Instant { parts.map(\.part.due).min() ?? .never }

  /// Takes a message.
  ///
  /// - Returns: The queries that are to be handled now. If too many wait, the oldest goes as it is.
  mutating func take(
    _ message: DNSMessage, bytes: Int, from source: MulticastSource, at now: Instant
  ) -> [(MulticastSource, DNSMessage)] {
    let place = parts.firstIndex { $0.source == source }
    if message.questions.isEmpty, message.authorities.isEmpty {
      guard let place else { return [] }
      if parts[place].part.bytes + bytes <= Self.maximumBytes {
        parts[place].part.message.answers += message.answers
        parts[place].part.bytes += bytes
      }
      parts[place].part.due = now + Self.timeout
      return message.isTruncated ? [] : [(source, parts.remove(at: place).part.message)]
    }
    var ended: [(MulticastSource, DNSMessage)] = []
    if let place { ended.append((source, parts.remove(at: place).part.message)) }
    guard message.isTruncated else { return ended + [(source, message)] }
    if parts.count >= Self.maximum {
      let oldest = parts.removeFirst()
      ended.append((oldest.source, oldest.part.message))
    }
    parts.append((source, Part(message: message, bytes: bytes, due: now + Self.timeout)))
    return ended
  }

  /// Returns the queries that have waited long enough.
  mutating func takeDue(at now: Instant) -> [(MulticastSource, DNSMessage)] {
    let due = parts.filter { $0.part.due <= now }.map { ($0.source, $0.part.message) }
    if !due.isEmpty { parts.removeAll { $0.part.due <= now } }
    return due
  }
}
