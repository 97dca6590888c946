import Discovery
import MulticastDNS

/// DNS-SD in terms of DNS (RFC 6763 §4, §5, §6): what a service is as records, and back.
extension ServiceType {
  /// `_http._tcp.local`
  func name(in domain: DomainName) throws(DNSNameError) -> DNSName {
    try DNSName("\(self).\(domain.text)")
  }
}

extension ServiceInstance {
  /// `Ada's pages._http._tcp.local`, the instance name as one label whatever is in it.
  func dnsName() throws(DNSNameError) -> DNSName {
    try type.name(in: domain).adding(label: name.text)
  }

  /// Reads the target of a PTR record of a type; nil for what is no instance of that type.
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
  /// Makes a name that multicast DNS knows: one in `local` (RFC 6762 §3).
  ///
  /// - Parameters:
  ///   - action: What the name is for, such as `browsing _http._tcp in local`.
  ///   - name: Makes the name.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` for names that are too long, and for those of other domains, which must
  ///   not be asked of everybody on the link.
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
        "\(action()): the built-in engine speaks multicast DNS, which knows names in local only; use that domain, or avahi-daemon, "
          + "which asks DNS servers for others")
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

  /// The records that make the service known: the pointers to it from its type and subtypes (RFC 6763 §4.1, §7.1), what it is and
  /// says, and the pointer to its type (§9).
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
  /// The record's data: strings, each after its length, and a single empty one when there is nothing to say (RFC 6763 §6.1).
  fileprivate var data: [UInt8] {
    let strings = strings
    return strings.isEmpty ? [0] : strings.flatMap { [UInt8($0.count)] + $0 }
  }
}

extension RecordData {
  /// Reads a record's data; nil for types that are not looked up.
  init?(_ data: DNSData, seenOn interface: NetworkInterface) {
    switch data {
    case .address(let address):
      guard let address = IPAddress(bytes: address.bytes, seenOn: interface) else { return nil }
      self = .address(address)
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
