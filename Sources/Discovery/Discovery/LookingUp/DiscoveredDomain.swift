/// A domain that the network recommends for browsing or for publishing (RFC 6763 §11).
public struct DiscoveredDomain: Hashable, Sendable, Identifiable {
  /// The purpose that a domain is recommended for.
  public enum Purpose: String, Hashable, Sendable, CaseIterable {
    /// Browsing.
    case browsing = "b"
    /// Browsing, as the one domain when only one is wanted.
    case defaultBrowsing = "db"
    /// Browsing by programs that cannot choose domains themselves.
    case automaticBrowsing = "lb"
    /// Publishing.
    case publishing = "r"
    /// Publishing, as the one domain when only one is wanted.
    case defaultPublishing = "dr"

    /// The name whose PTR records list the domains: `b._dns-sd._udp.local`.
    package func name(in domain: DomainName) throws(DiscoveryError) -> DomainName {
      try DomainName("\(rawValue)._dns-sd._udp.\(domain.text)")
    }
  }

  /// The domain.
  public let name: DomainName
  /// The purposes that it is recommended for.
  public var purposes: Set<Purpose>
  /// The interfaces on which it is recommended, sorted by index.
  public var interfaces: [NetworkInterface]

  /// Makes a domain like one that is found, for previews and tests.
  ///
  /// - Parameters:
  ///   - name: The domain.
  ///   - purposes: The purposes that it is recommended for.
  ///   - interfaces: The interfaces on which it is recommended.
  public init(_ name: DomainName, purposes: Set<Purpose>, interfaces: [NetworkInterface]) {
    self.name = name
    self.purposes = purposes
    self.interfaces = interfaces
  }

  /// The domain's name.
  public var id: DomainName { name }
}

extension DiscoveredDomain: CustomStringConvertible {
  /// The domain and its purposes for display, such as `example.org (b, lb)`.
  public var description: String { "\(name) (\(purposes.map(\.rawValue).sorted().joined(separator: ", ")))" }
}

extension LookupState.Reading where Element == DiscoveredDomain {
  /// Reads the domains that the PTR records of ``DiscoveredDomain/Purpose/name(in:)`` point to.
  package static var domains: Self {
    Self(
      identify: { record in
        guard case .pointer(let target) = record.data, record.purpose != nil else { return nil }
        return target
      },
      combine: { name, records in
        DiscoveredDomain(name, purposes: Set(records.compactMap(\.purpose)), interfaces: records.interfaces)
      },
      isBefore: { $0.name.text < $1.name.text })
  }
}

extension ResourceRecord {
  /// The purpose for which the record recommends a domain.
  fileprivate var purpose: DiscoveredDomain.Purpose? {
    name.labels.first.flatMap { DiscoveredDomain.Purpose(rawValue: String(decoding: $0, as: UTF8.self).asciiLowercased()) }
  }
}
