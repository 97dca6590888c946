import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Converts the engine's record changes to backend events.
extension MulticastEngine.AnswerChange {
  var record: DNSRecord {
    switch self {
    case .added(let record, _), .removed(let record, _), .leaving(let record, _), .suspect(let record, _),
      .confirmed(let record, _):
      record
    }
  }

  var link: MulticastLink {
    switch self {
    case .added(_, let link), .removed(_, let link), .leaving(_, let link), .suspect(_, let link), .confirmed(_, let link): link
    }
  }

  /// - Parameter record: The record as the backend tells it.
  func event(_ record: ResourceRecord) -> LookupEvent {
    switch self {
    case .added: .added(record)
    case .removed: .removed(record)
    case .leaving: .doubted(record, .leaving)
    case .suspect: .doubted(record, .suspect)
    case .confirmed: .doubted(record, .present)
    }
  }
}
