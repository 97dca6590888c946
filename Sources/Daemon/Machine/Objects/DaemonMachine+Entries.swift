import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The entries that clients add to their groups.
extension DaemonMachine {
  /// The domains of multicast DNS (RFC 6762 §3, §4).
  private static let multicastDomains = Set(
    ["local", "254.169.in-addr.arpa", "8.e.f.ip6.arpa", "9.e.f.ip6.arpa", "a.e.f.ip6.arpa", "b.e.f.ip6.arpa"]
      .map { try! DNSName($0) })

  /// Refuses to publish a name by multicast DNS that is not meant for it, as avahi-daemon does with `enable-wide-area=yes`.
  private func check(_ name: DNSName, _ flags: PublishFlags) throws(CallFailure) {
    guard !settings.publishesOtherDomains, !flags.contains(.useMulticast) else { return }
    guard sequence(first: name, next: \.parent).contains(where: Self.multicastDomains.contains) else {
      throw .avahi(.notSupported)
    }
  }

  mutating func addService(to id: ObjectID, _ arguments: inout Arguments) throws(CallFailure) {
    let link = try arguments.link()
    let flags = try PublishFlags(checking: try arguments.uint32(), allowing: [.noCookie, .update])
    let (name, type) = (try arguments.text(), try arguments.text())
    let (domain, host) = (try domain(try arguments.text()), try arguments.text())
    let (port, strings) = (try arguments.uint16(), try arguments.strings())
    let entry = try service(
      name, type, in: domain, host: host, port: port, strings, on: link, hasCookie: !flags.contains(.noCookie))
    try check(domain, flags)
    guard flags.contains(.update) else { return try add(entry, to: id) }
    guard case .service(let instance, _, _, _, _, _) = entry.content,
      let place = place(ofService: instance, in: id, on: link)
    else { throw .avahi(.notFound) }
    try replaceEntry(place, of: id, with: entry)
  }

  /// Makes the entry of a service.
  func service(
    _ name: String, _ type: String, in domain: DNSName, host: String, port: UInt16, _ strings: [[UInt8]], on link: ClientLink,
    hasCookie: Bool
  ) throws(CallFailure) -> EntryGroup.Entry {
    guard Self.isLabel(name) else { throw .avahi(.invalidServiceName) }
    guard let labels = DNSName.typeLabels(type) else { throw .avahi(.invalidServiceType) }
    guard let typeName = DNSName(labels, in: domain), let instance = DNSName([Array(name.utf8)] + labels, in: domain),
      let enumeration = DNSName([Array("_services".utf8), Array("_dns-sd".utf8), Array("_udp".utf8)], in: domain)
    else { throw .avahi(.invalidDomainName) }
    var target: DNSName?
    if !host.isEmpty {
      guard let name = DNSName(client: host), name.labels.count > 1 else { throw .avahi(.invalidHostName) }
      // The name of this host follows its changes.
      target = name == hostName ? nil : name
    }
    var strings = strings
    if hasCookie, settings.addsServiceCookie { strings.append(Array("org.freedesktop.Avahi.cookie=\(cookie)".utf8)) }
    return EntryGroup.Entry(
      link: link,
      content: .service(
        instance: instance, type: typeName, enumeration: enumeration, host: target, port: port, txt: try Self.text(strings)))
  }

  /// The data of a TXT record (RFC 6763 §6.1).
  static func text(_ strings: [[UInt8]]) throws(CallFailure) -> [UInt8] {
    guard strings.allSatisfy({ $0.count <= 255 }) else { throw .avahi(.invalidRecord) }
    let bytes = strings.flatMap { [UInt8($0.count)] + $0 }
    guard bytes.count <= 65_000 else { throw .avahi(.invalidRecord) }
    return bytes.isEmpty ? [0] : bytes
  }

  private func place(ofService instance: DNSName, in id: ObjectID, on link: ClientLink) -> Int? {
    groups[id]!.entries.firstIndex { entry in
      guard entry.link == link, case .service(instance, _, _, _, _, _) = entry.content else { return false }
      return true
    }
  }

  mutating func addSubtype(to id: ObjectID, _ arguments: inout Arguments) throws(CallFailure) {
    let link = try arguments.link()
    let flags = try PublishFlags(checking: try arguments.uint32(), allowing: [])
    let (name, type) = (try arguments.text(), try arguments.text())
    let (domain, subtype) = (try domain(try arguments.text()), try arguments.text())
    let entry = try self.subtype(subtype, of: name, type, in: domain, on: link)
    try check(domain, flags)
    try add(entry, to: id)
  }

  func subtype(
    _ subtype: String, of name: String, _ type: String, in domain: DNSName, on link: ClientLink
  ) throws(CallFailure) -> EntryGroup.Entry {
    guard Self.isLabel(name) else { throw .avahi(.invalidServiceName) }
    guard let labels = DNSName.typeLabels(type) else { throw .avahi(.invalidServiceType) }
    guard let sublabels = DNSName.anyTypeLabels(subtype), sublabels.count > 2 else { throw .avahi(.invalidServiceSubtype) }
    guard let instance = DNSName([Array(name.utf8)] + labels, in: domain), let full = DNSName(sublabels, in: domain) else {
      throw .avahi(.invalidDomainName)
    }
    return EntryGroup.Entry(link: link, content: .subtype(name: full, instance: instance))
  }

  mutating func updateText(of id: ObjectID, _ arguments: inout Arguments) throws(CallFailure) {
    let link = try arguments.link()
    let flags = try PublishFlags(checking: try arguments.uint32(), allowing: [.noCookie, .update])
    let (name, type) = (try arguments.text(), try arguments.text())
    let (domain, strings) = (try domain(try arguments.text()), try arguments.strings())
    // Only to find its name, and to have its text checked.
    let sample = try service(
      name, type, in: domain, host: "", port: 0, strings, on: link, hasCookie: !flags.contains(.noCookie))
    try check(domain, flags)
    guard case .service(let instance, _, _, _, _, let text) = sample.content,
      let place = place(ofService: instance, in: id, on: link),
      case .service(_, let typeName, let enumeration, let host, let port, _) = groups[id]!.entries[place].content
    else { throw .avahi(.notFound) }
    let content = EntryGroup.Entry.Content.service(
      instance: instance, type: typeName, enumeration: enumeration, host: host, port: port, txt: text)
    try replaceEntry(place, of: id, with: EntryGroup.Entry(link: link, content: content))
  }

  mutating func addAddress(to id: ObjectID, _ arguments: inout Arguments) throws(CallFailure) {
    let link = try arguments.link()
    let flags = try PublishFlags(
      checking: try arguments.uint32(), allowing: [.noReverse, .update, .unique, .noProbe, .noAnnounce, .allowMultiple])
    let (name, text) = (try arguments.text(), try arguments.text())
    guard let address = IPAddress(text), address.zone == nil else { throw .avahi(.invalidAddress) }
    guard let host = DNSName(client: name), host.labels.count > 1 else { throw .avahi(.invalidHostName) }
    try check(host, flags)
    let entry = EntryGroup.Entry(
      link: link, content: .address(host, address, hasReverse: !flags.contains(.noReverse)),
      flags: flags.intersection([.noProbe, .noAnnounce]))
    guard flags.contains(.update) else { return try add(entry, to: id) }
    let place = groups[id]!.entries.firstIndex { other in
      if case .address(host, let former, _) = other.content {
        other.link == link && former.family == address.family
      } else {
        false
      }
    }
    guard let place else { throw .avahi(.notFound) }
    try replaceEntry(place, of: id, with: entry)
  }

  /// The times to live that programs may choose, in seconds: no longer than RFC 6762 §10 has any, because a record whose host has gone
  /// without a word stays in all caches that long; and no shorter than it takes to ask four times for the record and be answered, as all
  /// who watch it do in the last fifth of that time (§5.2).
  static let timesToLive: ClosedRange<UInt32> = 10...4_500

  mutating func addRecord(to id: ObjectID, _ arguments: inout Arguments) throws(CallFailure) {
    let link = try arguments.link()
    let flags = try PublishFlags(
      checking: try arguments.uint32(), allowing: [.unique, .noProbe, .noAnnounce, .allowMultiple, .update])
    let (text, recordClass, number) = (try arguments.text(), try arguments.uint16(), try arguments.uint16())
    let (timeToLive, bytes) = (try arguments.uint32(), try arguments.bytes())
    guard let name = DNSName(client: text) else { throw .avahi(.invalidDomainName) }
    guard recordClass == 1 else { throw .avahi(.invalidClass) }
    guard timeToLive > 0 else { throw .avahi(.invalidTTL) }
    let type = DNSType(rawValue: number)
    // Meta types (RFC 6895 §3.1), and the denials that the engine makes.
    guard number != 0, !(128...255).contains(number), type != .opt, type != .nsec else { throw .avahi(.invalidType) }
    // RFC 6763 §6.1: a text has a string at least.
    guard type != .txt || !bytes.isEmpty, let data = DNSData(type, uncompressed: bytes) else {
      throw .avahi(.invalidData)
    }
    if case .other(let known, _) = data, [.a, .aaaa, .ptr, .cname, .srv, .txt, .hinfo].contains(known) {
      throw .avahi(.invalidData)
    }
    try check(name, flags)
    var record = PublishedRecord(name, .data(data), flags.contains(.unique) ? .unique : .shared)
    record.timeToLive = min(max(timeToLive, Self.timesToLive.lowerBound), Self.timesToLive.upperBound)
    let entry = EntryGroup.Entry(
      link: link, content: .record(record), flags: flags.intersection([.noProbe, .noAnnounce, .allowMultiple]))
    guard flags.contains(.update) else { return try add(entry, to: id) }
    let place = groups[id]!.entries.firstIndex { other in
      guard other.link == link, case .record(let former) = other.content, case .data(let old) = former.content else {
        return false
      }
      return former.name == name && old.type == type
    }
    guard let place else { throw .avahi(.notFound) }
    try replaceEntry(place, of: id, with: entry)
  }
}
