extension MulticastEngine {
  /// Where a datagram goes.
  package enum Destination: Hashable, Sendable {
    /// 224.0.0.251 or FF02::FB, port 5353.
    case multicast
    case unicast(MulticastSource)
  }

  /// What an asker is told of a record.
  package enum AnswerChange: Hashable, Sendable {
    /// The record is there.
    case added(DNSRecord, MulticastLink)
    /// The record is not there any more.
    case removed(DNSRecord, MulticastLink)
    /// Its owner said goodbye or replaced it: it is removed in a second unless somebody else confirms it.
    case leaving(DNSRecord, MulticastLink)
    /// It is in doubt: it is removed within ten seconds unless somebody confirms it.
    case suspect(DNSRecord, MulticastLink)
    /// A record that was leaving or suspect was confirmed.
    case confirmed(DNSRecord, MulticastLink)
  }

  /// What a publisher is told.
  package enum RegistrationChange: Hashable, Sendable {
    /// The records are announced on every link there is; at once when there is none. Told once, and again after an update
    /// that took probing.
    case established
    /// Another host, or another registration here, has this unique name. The registration has ended.
    case conflict(DNSName)
  }

  /// What became of the host's name.
  package enum HostNameChange: Hashable, Sendable {
    /// It is ours on every link there is.
    case established(DNSName)
    /// Another host has it, and the next one is tried.
    case renamed(from: DNSName, to: DNSName)
  }

  /// What is to be done, in order.
  package enum Effect: Hashable, Sendable {
    /// With an IP TTL or hop limit of 255 (RFC 6762 §11), from port 5353.
    case send([UInt8], on: MulticastLink, to: Destination)
    case answer(QueryID, AnswerChange)
    /// What was known when the question was asked has been told.
    case cacheExhausted(QueryID)
    /// Those who answer at once have answered, on every link there was; told once.
    case settled(QueryID)
    case registration(RegistrationID, RegistrationChange)
    case hostName(HostNameChange)
  }
}
