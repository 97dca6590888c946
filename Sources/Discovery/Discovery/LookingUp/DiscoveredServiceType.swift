/// A service type of which there are instances on the network (RFC 6763 §9).
public struct DiscoveredServiceType: Hashable, Sendable, Identifiable {
  /// The identity of a type in a domain.
  public struct ID: Hashable, Sendable {
    let type: ServiceType
    let domain: DomainName
  }

  /// The type, to browse for.
  public let type: ServiceType
  /// The domain of the instances, usually `local`.
  public let domain: DomainName
  /// The interfaces that the type is seen on, sorted by index.
  public var interfaces: [NetworkInterface]

  /// Makes a type like one that is found, for previews and tests.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - domain: The domain of the instances.
  ///   - interfaces: The interfaces that the type is seen on.
  public init(_ type: ServiceType, domain: DomainName = .local, interfaces: [NetworkInterface]) {
    self.type = type
    self.domain = domain
    self.interfaces = interfaces
  }

  /// The type and the domain.
  public var id: ID { ID(type: type, domain: domain) }
}

extension DiscoveredServiceType: CustomStringConvertible {
  /// The type, the domain and the interfaces for display, such as `_http._tcp in local on eth0`.
  public var description: String {
    "\(type) in \(domain)" + (interfaces.isEmpty ? "" : " on \(interfaces.map(\.description).joined(separator: ", "))")
  }
}

extension LookupState.Reading where Element == DiscoveredServiceType {
  /// Reads the types that the PTR records of `_services._dns-sd._udp` point to.
  package static var types: Self {
    Self(
      identify: { record in
        guard case .pointer(let target) = record.data, case let labels = target.labels, labels.count > 2,
          let type = ServiceType(labels: labels[..<2]), let domain = DomainName(labels: labels[2...])
        else { return nil }
        return DiscoveredServiceType.ID(type: type, domain: domain)
      },
      combine: { DiscoveredServiceType($0.type, domain: $0.domain, interfaces: $1.interfaces) },
      isBefore: { ($0.type.dnsText, $0.domain.text) < ($1.type.dnsText, $1.domain.text) })
  }
}

extension LookupState.Reading where Element == ResourceRecord {
  /// Takes every record for itself.
  package static var records: Self {
    Self(
      identify: \.id, combine: { _, records in records[records.count - 1] },
      isBefore: { one, other in
        if one.type != other.type { return one.type.rawValue < other.type.rawValue }
        if one.bytes != other.bytes { return one.bytes.lexicographicallyPrecedes(other.bytes) }
        return one.link < other.link
      })
  }
}

extension [ResourceRecord] {
  /// The interfaces that the records were seen on, sorted by index.
  var interfaces: [NetworkInterface] {
    // Most records are seen on one interface, over two families.
    let first = self[0].link.source
    let sources = allSatisfy { $0.link.source == first } ? [first] : Set(map(\.link.source)).sorted()
    return sources.compactMap(\.interface)
  }
}
