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
    let made = try made(during: action(), name)
    guard let last = made.labels.last, String(decoding: last, as: UTF8.self).asciiLowercased() == "local" else {
      throw DiscoveryError(
        .invalidDomain,
        "\(action()): the built-in engine uses multicast DNS, which has names in local only; use that domain, or avahi-daemon, "
          + "which asks DNS servers for other domains")
    }
    return made
  }

  /// Makes a name of any domain.
  ///
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` for a name that is too long.
  static func made(
    during action: @autoclosure () -> String, _ name: () throws(DNSNameError) -> DNSName
  ) throws(DiscoveryError) -> DNSName {
    do throws(DNSNameError) {
      return try name()
    } catch {
      throw DiscoveryError(.invalidDomain, "\(action()): \(error)")
    }
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
