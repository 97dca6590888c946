import Escaping

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
}
