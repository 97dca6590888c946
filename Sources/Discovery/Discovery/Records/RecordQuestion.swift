/// A question for the records of one type and name.
package struct RecordQuestion: Hashable, Sendable {
  package enum Name: Hashable, Sendable, CustomStringConvertible {
    case instance(ServiceInstance)
    /// Any name: of a host, a service type, an address in reverse mapping.
    case domain(DomainName)

    package var description: String {
      switch self {
      case .instance(let instance): instance.description
      case .domain(let name): name.description
      }
    }

    /// The name with DNS escapes only: `Ada's game._http._tcp.local`.
    package var dnsText: String {
      switch self {
      case .instance(let instance): instance.dnsText
      case .domain(let name): name.canonicalText
      }
    }
  }

  package let name: Name
  package let type: RecordType
  package let interfaces: InterfaceSelection
  /// The browse that the answers are for; nil for others.
  package let browse: BrowseQuery?

  package init(
    _ name: Name, _ type: RecordType, interfaces: InterfaceSelection = .all, for browse: BrowseQuery? = nil
  ) {
    self.name = name
    self.type = type
    self.interfaces = interfaces
    self.browse = browse
  }

  /// The question in words, for errors: `looking up SRV records of Ada's game._http._tcp.local`, or `browsing _http._tcp`.
  package var action: String { browse.map { "browsing \($0.typeName)" } ?? "looking up \(type) records of \(name)" }
}

extension RecordQuestion {
  /// Hashes the name and the type only: whoever has many questions mostly has them on the same interfaces.
  package func hash(into hasher: inout Hasher) {
    switch name {
    case .instance(let instance): hasher.combine(instance.name)
    case .domain(let name): hasher.combine(name)
    }
    hasher.combine(type.rawValue)
  }
}
