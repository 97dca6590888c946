import _BonjourishBase

/// The identity of one service on the network: its name, type and domain.
///
/// An instance that is seen on several interfaces or address families is still one instance.
public struct ServiceInstance: Hashable, Sendable, Identifiable, CustomStringConvertible {
  /// The name, such as "Ada's game".
  public let name: InstanceName
  /// The service type, such as `_http._tcp`.
  public let type: ServiceType
  /// The domain, usually `local`.
  public let domain: DomainName

  /// Makes an instance. Whether it exists is not checked.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - type: The service type.
  ///   - domain: The domain.
  public init(_ name: InstanceName, type: ServiceType, domain: DomainName = .local) {
    self.name = name
    self.type = type
    self.domain = domain
  }

  /// The instance itself.
  public var id: Self { self }

  /// The full name for display. Dots and backslashes inside the instance name are escaped (RFC 6763 §4.3), and so are
  /// characters that control a terminal, reorder text or are invisible.
  public var description: String {
    var escaped = ""
    for character in name.text.unicodeScalars {
      if character == "." || character == "\\" { escaped.unicodeScalars.append("\\") }
      escaped.unicodeScalars.append(character)
    }
    return "\(escaped.escapedForDisplay).\(type).\(domain)"
  }

  /// The full name with DNS escapes only.
  package var dnsText: String { "\(DomainName.escaped(name.text)).\(type.dnsText).\(domain.canonicalText)" }

  /// The full name, such as `Ada's game._http._tcp.local`, to look up its records.
  ///
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` when it has more than 255 bytes (RFC 1035 §2.3.4).
  public var fullName: DomainName {
    get throws(DiscoveryError) { try DomainName(dnsText) }
  }

  /// Reads an instance from its full name, such as the target of a PTR record of its type.
  ///
  /// - Parameter fullName: The name: the instance's label, the two labels of the type, and the domain.
  /// - Returns: Nil for another name.
  public init?(fullName: DomainName) {
    let labels = fullName.labels
    guard labels.count > 3, let type = ServiceType(labels: labels[1...2]), let domain = DomainName(labels: labels[3...]),
      let text = String(validating: labels[0], as: UTF8.self), let name = InstanceName(received: text)
    else { return nil }
    self.init(name, type: type, domain: domain)
  }
}
