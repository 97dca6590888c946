import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// A browser of a client.
struct Browser: Sendable {
  enum Kind {
    case domains(isForBrowsing: Bool)
    case types
    case services
    case records
  }

  let kind: Kind
  let client: String
  var path = ""
  let link: ClientLink
  let name: DNSName
  let type: DNSType
  var lookup: DaemonMachine.LookupID?
  /// Whether all that is told was known before.
  var isFromCache = true
  /// Whether the client knows that it has been told what there is for now.
  var isSettled = false
  /// The records of single owners that were told, which come again when their owner says them again.
  var reported: Set<Reported> = []

  struct Reported: Hashable {
    let record: DNSData
    let name: DNSName
    let link: MulticastLink
  }

  var interface: BusInterface {
    switch kind {
    case .domains: .domainBrowser
    case .types: .serviceTypeBrowser
    case .services: .serviceBrowser
    case .records: .recordBrowser
    }
  }
}

extension DaemonMachine {
  /// The labels under which domains are listed (RFC 6763 §11), by the numbers of clients.
  private static let domainLists = ["b", "db", "r", "dr", "lb"]

  func makeBrowser(
    _ kind: String, _ link: ClientLink, _ arguments: inout Arguments, for client: String
  ) throws(CallFailure) -> Browser {
    func browser(_ kind: Browser.Kind, _ labels: [String], in domain: DNSName) throws(CallFailure) -> Browser {
      guard let name = DNSName(labels.map { Array($0.utf8) }, in: domain) else { throw .avahi(.invalidDomainName) }
      return Browser(kind: kind, client: client, link: link, name: name, type: .ptr)
    }
    switch kind {
    case "DomainBrowser":
      let (domain, number) = (try domain(try arguments.text()), try arguments.int32())
      _ = try LookupFlags(checking: try arguments.uint32())
      guard Self.domainLists.indices.contains(Int(number)) else { throw .avahi(.invalidFlags) }
      return try browser(
        .domains(isForBrowsing: number == 0), [Self.domainLists[Int(number)], "_dns-sd", "_udp"], in: domain)
    case "ServiceTypeBrowser":
      let domain = try domain(try arguments.text())
      _ = try LookupFlags(checking: try arguments.uint32())
      return try browser(.types, ["_services", "_dns-sd", "_udp"], in: domain)
    case "ServiceBrowser":
      let (type, domain) = (try arguments.text(), try domain(try arguments.text()))
      _ = try LookupFlags(checking: try arguments.uint32())
      guard let labels = DNSName.anyTypeLabels(type) else { throw .avahi(.invalidServiceType) }
      guard let name = DNSName(labels, in: domain) else { throw .avahi(.invalidDomainName) }
      return Browser(kind: .services, client: client, link: link, name: name, type: .ptr)
    default:
      let (text, recordClass, type) = (try arguments.text(), try arguments.uint16(), try arguments.uint16())
      _ = try LookupFlags(checking: try arguments.uint32())
      guard let name = DNSName(client: text) else { throw .avahi(.invalidDomainName) }
      // The class IN, or any.
      guard recordClass == 1 || recordClass == 255 else { throw .avahi(.invalidClass) }
      guard type != 0, type != DNSType.opt.rawValue else { throw .avahi(.invalidType) }
      return Browser(kind: .records, client: client, link: link, name: name, type: DNSType(rawValue: type))
    }
  }

  /// The time after which a browser has what there is for now. Clients wait for it, so it is Avahi's, when the answers to the first
  /// query have come. The engine waits for the second one.
  private static let settlingTime: Duration = .seconds(1)

  mutating func startBrowser(_ id: ObjectID, at now: Duration) {
    guard let browser = browsers[id], browser.lookup == nil else { return }
    if case .domains(isForBrowsing: true) = browser.kind {
      for domain in settings.browseDomains {
        signal(
          "ItemNew", of: browser.interface, at: browser.path, to: browser.client,
          [.int32(-1), .int32(-1), .text(domain), .uint32(ResultFlags.configured.rawValue)])
      }
    }
    guard browsers[id] != nil else { return }
    settlings.append(id, at: now + Self.settlingTime)
    browsers[id]!.lookup = ask(browser.name, browser.type, on: browser.link, for: id)
  }

  mutating func tellBrowser(_ id: ObjectID, _ answer: Answer) {
    guard let browser = browsers[id] else { return }
    switch answer {
    case .added(let record, let link, let isOwn):
      if case .records = browser.kind, record.cacheFlush {
        guard browsers[id]!.reported.insert(Browser.Reported(record: record.data, name: record.name, link: link)).inserted
        else {
          return
        }
      }
      var flags: ResultFlags = browser.isFromCache ? [.multicast, .cached] : .multicast
      if isOwn { flags.formUnion(localFlags(of: record, for: browser)) }
      tell("ItemNew", record, link, flags, to: browser)
    case .removed(let record, let link):
      browsers[id]!.reported.remove(Browser.Reported(record: record.data, name: record.name, link: link))
      tell("ItemRemove", record, link, .multicast, to: browser)
    case .cacheExhausted:
      browsers[id]!.isFromCache = false
      signal("CacheExhausted", of: browser.interface, at: browser.path, to: browser.client)
    case .settled:
      settleBrowser(id)
    }
  }

  /// Tells that a browser has what there is for now, once.
  mutating func settleBrowser(_ id: ObjectID) {
    guard let browser = browsers[id], !browser.isSettled else { return }
    browsers[id]!.isSettled = true
    signal("AllForNow", of: browser.interface, at: browser.path, to: browser.client)
  }

  private func localFlags(of record: DNSRecord, for browser: Browser) -> ResultFlags {
    switch browser.kind {
    case .domains, .types: return []
    case .records: return .local
    case .services:
      guard case .ptr(let instance) = record.data else { return [] }
      return isService(instance, of: browser.client) ? [.local, .ourOwn] : .local
    }
  }

  private mutating func tell(
    _ member: String, _ record: DNSRecord, _ link: MulticastLink, _ flags: ResultFlags, to browser: Browser
  ) {
    // Aliases are answers of the engine, too.
    guard browser.type == .any || record.type == browser.type else { return }
    let place: [BusValue] = [.int32(Int32(truncatingIfNeeded: link.interface)), .int32(link.family.number)]
    let values: [BusValue]
    switch (browser.kind, record.data) {
    case (.domains, .ptr(let domain)):
      values = [.text(domain.avahiText)]
    case (.types, .ptr(let type)):
      guard let (type, domain) = type.serviceType else { return }
      values = [.text(type), .text(domain)]
    case (.services, .ptr(let instance)):
      guard let (name, type, domain) = instance.instance else { return }
      values = [.text(name), .text(type), .text(domain)]
    case (.records, let data):
      values = [.text(record.name.avahiText), .uint16(1), .uint16(record.type.rawValue), .bytes(data.uncompressed)]
    default:
      return
    }
    signal(
      member, of: browser.interface, at: browser.path, to: browser.client, place + values + [.uint32(flags.rawValue)])
  }
}
