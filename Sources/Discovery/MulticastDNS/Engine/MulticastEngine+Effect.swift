extension MulticastEngine {
  /// The destination of a datagram.
  package enum Destination: Hashable, Sendable {
    /// 224.0.0.251 or FF02::FB, port 5353.
    case multicast
    case unicast(MulticastSource)
  }

  /// A change of a record, for the caller of `ask`.
  package enum AnswerChange: Hashable, Sendable {
    /// The record exists.
    case added(DNSRecord, MulticastLink)
    /// The record no longer exists.
    case removed(DNSRecord, MulticastLink)
    /// The owner withdrew or replaced the record. It is removed after a second unless a host confirms it.
    case leaving(DNSRecord, MulticastLink)
    /// The record is in doubt. It is removed within ten seconds unless a host confirms it.
    case suspect(DNSRecord, MulticastLink)
    /// A record that was leaving or suspect was confirmed.
    case confirmed(DNSRecord, MulticastLink)
  }

  /// A change of a registration, for the caller of `publish`.
  package enum RegistrationChange: Hashable, Sendable {
    /// The records are announced on every link, or there is no link. Returned once, and again after an update that needed
    /// probing.
    case established
    /// Another host, or another registration of this engine, has this unique name. The registration has ended.
    case conflict(DNSName)
  }

  /// A change of the host's name.
  package enum HostNameChange: Hashable, Sendable {
    /// The name is announced on every link.
    case established(DNSName)
    /// Another host has the first name. The second is tried next.
    case renamed(from: DNSName, to: DNSName)
  }

  /// An action for the caller. Effects are carried out in order.
  package enum Effect: Hashable, Sendable {
    /// Send a datagram from port 5353 with an IP TTL or hop limit of 255 (RFC 6762 §11).
    case send([UInt8], on: MulticastLink, to: Destination)
    case answer(QueryID, AnswerChange)
    /// All answers that were known when the question was asked have been returned.
    case cacheExhausted(QueryID)
    /// The prompt answers have arrived on every link that was up when the question was asked: after 1.4 s, or, where a repeated
    /// query brings records that were not known, after the fourth, at most 7.4 s. Returned once.
    case settled(QueryID)
    case registration(RegistrationID, RegistrationChange)
    case hostName(HostNameChange)
  }
}
