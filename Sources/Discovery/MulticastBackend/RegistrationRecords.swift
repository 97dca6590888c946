import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The records of registrations.
extension Registration {
  /// Checks that all names are in `local`, and that data fit their types.
  ///
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` or `invalidRecord`.
  func check() throws(DiscoveryError) {
    switch content {
    case .service(let service):
      let instance = ServiceInstance(name, type: service.type, domain: domain)
      _ = try DNSName.multicast(during: "\(action) in \(domain)", instance.dnsName)
      if let host = service.host {
        _ = try DNSName.made(during: action) { () throws(DNSNameError) in try DNSName(host.text) }
      }
    case .host:
      _ = try DNSName.multicast(during: action, hostDNSName)
    case .records(let records):
      for record in records {
        _ = try DNSName.multicast(during: action) { () throws(DNSNameError) in try DNSName(record.name.text) }
        guard DNSData(DNSType(rawValue: record.type.rawValue), uncompressed: record.data) != nil else {
          throw DiscoveryError(
            .invalidRecord,
            "\(action): the data do not fit type \(record.type); give them as on the wire, with uncompressed names")
        }
      }
    }
  }

  private func hostDNSName() throws(DNSNameError) -> DNSName { try DNSName(domain.text).adding(label: name.text) }

  /// The records to publish.
  func records() throws(DNSNameError) -> [PublishedRecord] {
    switch content {
    case .service(let service):
      return try records(of: service)
    case .host(let addresses):
      let name = try hostDNSName()
      return addresses.map { PublishedRecord(name, .data(.address($0.seen(on: nil))), .unique) }
    case .records(let records):
      var published: [PublishedRecord] = []
      for record in records { published.append(try record.published()) }
      return published
    }
  }

  /// The records of a service: PTR records of its type and subtypes (RFC 6763 §4.1, §7.1), SRV, TXT, and the PTR record that
  /// lists its type (§9).
  private func records(of service: ServiceContent) throws(DNSNameError) -> [PublishedRecord] {
    let typeName = try service.type.name(in: domain)
    let name = try ServiceInstance(name, type: service.type, domain: domain).dnsName()
    let types = try DNSName("_services._dns-sd._udp.\(domain.text)")
    var subtypes: [PublishedRecord] = []
    for subtype in service.subtypeNames {
      subtypes.append(PublishedRecord(try DNSName("\(subtype).\(domain.text)"), .data(.ptr(name)), .shared))
    }
    let location: PublishedRecord.Content =
      if let host = service.host {
        .data(.srv(DNSService(target: try DNSName(host.text), port: service.port)))
      } else {
        .serviceOfThisHost(port: service.port)
      }
    let ownership: PublishedRecord.Ownership = isAssured ? .shared : .unique
    return [
      PublishedRecord(typeName, .data(.ptr(name)), .shared),
      PublishedRecord(name, location, ownership),
      PublishedRecord(name, .data(.txt(service.txt.data)), ownership),
      PublishedRecord(types, .data(.ptr(typeName)), .shared),
    ] + subtypes
  }
}

extension CustomRecord {
  fileprivate func published() throws(DNSNameError) -> PublishedRecord {
    let type = DNSType(rawValue: type.rawValue)
    let data = DNSData(type, uncompressed: data) ?? .other(type, data)
    return PublishedRecord(try DNSName(name.text), .data(data), isUnique ? .unique : .shared)
  }
}
