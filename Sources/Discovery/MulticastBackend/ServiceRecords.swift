package import _BonjourishDiscovery
package import _BonjourishMulticastDNS

/// Converts services to DNS records and back (RFC 6763 §4, §5, §6).
extension ServiceType {
  /// `_http._tcp.local`
  func name(in domain: DomainName) throws(DNSNameError) -> DNSName {
    try DNSName(labels: labels + domain.labels)
  }

  fileprivate var labels: [[UInt8]] { [[UInt8(ascii: "_")] + Array(name.utf8), Array(transport.rawValue.utf8)] }
}

extension ServiceInstance {
  /// `Ada's pages._http._tcp.local`. The instance name is always one label, even if it has dots.
  func dnsName() throws(DNSNameError) -> DNSName {
    try DNSName(labels: [Array(name.text.utf8)] + type.labels + domain.labels)
  }
}

extension DNSName {
  /// Makes a name in `local`, the domain of multicast DNS (RFC 6762 §3), or in reverse mapping (§4).
  ///
  /// - Parameters:
  ///   - action: The action that needs the name, such as `browsing _http._tcp in local`.
  ///   - name: Makes the name.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` for a name that is too long, and for a name in another domain,
  ///   which must not be asked for by multicast.
  package static func multicast(
    during action: @autoclosure () -> String, _ name: () throws(DNSNameError) -> DNSName
  ) throws(DiscoveryError) -> DNSName {
    let made = try made(during: action(), name)
    guard made.isForReverseMapping || made.labels.last.map({ String(decoding: $0, as: UTF8.self).asciiLowercased() }) == "local"
    else {
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
      throw DiscoveryError(.invalidDomain, "\(action()): \(error)", because: error)
    }
  }
}

extension RecordQuestion {
  func dnsName() throws(DNSNameError) -> DNSName {
    switch name {
    case .instance(let instance): try instance.dnsName()
    case .domain(let name): try DNSName(name.text)
    }
  }

  var dnsType: DNSType { DNSType(rawValue: type.rawValue) }
}

extension ResourceRecord {
  /// Converts a record of the engine; nil when its name is not UTF-8.
  init?(_ record: DNSRecord, on link: Link, from sender: IPAddress? = nil) {
    guard let name = DomainName(wire: record.name.wire[...]) else { return nil }
    self.init(
      name: name, type: RecordType(rawValue: record.type.rawValue), bytes: record.data.uncompressed,
      timeToLive: .seconds(record.timeToLive), isUnique: record.cacheFlush, on: link, sender: sender)
  }
}
