/// One service on the network: its name, type and domain, and nothing that depends on how it was seen.
///
/// The interfaces and address families on which an instance is seen are details of it, not instances of their own.
public struct ServiceInstance: Hashable, Sendable, Identifiable, CustomStringConvertible {
  public let name: InstanceName
  public let type: ServiceType
  public let domain: DomainName

  public init(_ name: InstanceName, type: ServiceType, domain: DomainName = .local) {
    self.name = name
    self.type = type
    self.domain = domain
  }

  public var id: Self { self }

  /// The full name for people, as RFC 6763 §4.3 writes it: dots and backslashes inside the instance name are escaped, and so is what
  /// would control a terminal, reorder a line or not show.
  public var description: String {
    var escaped = ""
    for character in name.text.unicodeScalars {
      if character == "." || character == "\\" { escaped.unicodeScalars.append("\\") }
      escaped.unicodeScalars.append(character)
    }
    return "\(escaped.visible).\(type).\(domain)"
  }
}
