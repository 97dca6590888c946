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

  /// - Parameter instance: The instance that the record points to.
  func browseEvent(_ instance: ServiceInstance, on link: Link) -> BrowseEvent {
    switch self {
    case .added: .appeared(instance, link)
    case .removed: .vanished(instance, link)
    case .leaving: .doubted(instance, link, .leaving)
    case .suspect: .doubted(instance, link, .suspect)
    case .confirmed: .doubted(instance, link, .present)
    }
  }

  /// Nil for a hint: a resolver uses a record until it is removed.
  func lookupEvent(_ record: ResourceRecord) -> LookupEvent? {
    switch self {
    case .added: .added(record)
    case .removed: .removed(record)
    case .leaving, .suspect, .confirmed: nil
    }
  }
}
