import Discovery
import MulticastDNS

/// Converts services to DNS records and back (RFC 6763 §4, §5, §6).
extension ServiceType {
  /// `_http._tcp.local`
  func name(in domain: DomainName) throws(DNSNameError) -> DNSName {
    try DNSName("\(self).\(domain.text)")
  }
}

extension ServiceInstance {
  /// `Ada's pages._http._tcp.local`. The instance name is always one label, even if it has dots.
  func dnsName() throws(DNSNameError) -> DNSName {
    try type.name(in: domain).adding(label: name.text)
  }

  /// Reads the target of a PTR record; nil for a name that is not an instance of the query's type.
  init?(_ target: DNSName, of query: BrowseQuery) {
    guard let type = try? query.type.name(in: query.domain), target.parent == type,
      let label = target.firstLabel, let name = InstanceName(received: label)
    else { return nil }
    self.init(name, type: query.type, domain: query.domain)
  }
}

extension BrowseQuery {
  /// `_http._tcp.local`, or `_printer._sub._http._tcp.local`
  func dnsName() throws(DNSNameError) -> DNSName {
    try DNSName("\(typeName).\(domain.text)")
  }
}

extension DNSName {
  /// Makes a name in `local`, the only domain of multicast DNS (RFC 6762 §3).
  ///
  /// - Parameters:
  ///   - action: The action that needs the name, such as `browsing _http._tcp in local`.
  ///   - name: Makes the name.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` for a name that is too long, and for a name in another domain,
  ///   which must not be asked for by multicast.
  static func multicast(
    during action: @autoclosure () -> String, _ name: () throws(DNSNameError) -> DNSName
  ) throws(DiscoveryError) -> DNSName {
    let made: DNSName
    do throws(DNSNameError) {
      made = try name()
    } catch {
      throw DiscoveryError(.invalidDomain, "\(action()): \(error)")
    }
    guard let last = made.labels.last, String(decoding: last, as: UTF8.self).asciiLowercased() == "local" else {
      throw DiscoveryError(
        .invalidDomain,
        "\(action()): the built-in engine uses multicast DNS, which has names in local only; use that domain, or avahi-daemon, "
          + "which asks DNS servers for other domains")
    }
    return made
  }
}

extension RecordQuestion {
  func dnsName() throws(DNSNameError) -> DNSName {
    switch name {
    case .instance(let instance): try instance.dnsName()
    case .host(let host): try DNSName(host.text)
    }
  }

  var dnsType: DNSType {
    switch kind {
    case .a: .a
    case .aaaa: .aaaa
    case .srv: .srv
    case .txt: .txt
    }
  }
}

extension Registration {
  var instance: ServiceInstance { ServiceInstance(name, type: type, domain: domain) }

  /// The records of the service: PTR records of its type and subtypes (RFC 6763 §4.1, §7.1), SRV, TXT, and the PTR record
  /// that lists its type (§9).
  func records() throws(DNSNameError) -> [PublishedRecord] {
    let typeName = try type.name(in: domain)
    let name = try instance.dnsName()
    let types = try DNSName("_services._dns-sd._udp.\(domain.text)")
    var subtypes: [PublishedRecord] = []
    for subtype in subtypeNames {
      subtypes.append(PublishedRecord(try DNSName("\(subtype).\(domain.text)"), .data(.ptr(name)), .shared))
    }
    return [
      PublishedRecord(typeName, .data(.ptr(name)), .shared),
      PublishedRecord(name, .serviceOfThisHost(port: port), .unique),
      PublishedRecord(name, .data(.txt(txt.data)), .unique),
      PublishedRecord(types, .data(.ptr(typeName)), .shared),
    ] + subtypes
  }
}

extension TXTRecord {
  /// The data on the wire: strings with length bytes; for an empty record one empty string (RFC 6763 §6.1).
  fileprivate var data: [UInt8] {
    let strings = strings
    return strings.isEmpty ? [0] : strings.flatMap { [UInt8($0.count)] + $0 }
  }
}

extension RecordData {
  /// Converts the data of a record; nil for types that are not looked up.
  init?(_ data: DNSData, seenOn interface: NetworkInterface) {
    switch data {
    case .address(let address):
      self = .address(address.seen(on: interface))
    case .srv(let service):
      guard let host = try? DomainName(service.target.description) else { return nil }
      self = .server(host: host, port: service.port, priority: service.priority, weight: service.weight)
    case .txt(let bytes):
      self = .text(TXTRecord(data: bytes))
    case .ptr, .nsec, .cname, .hinfo, .other:
      return nil
    }
  }
}
