import _BonjourishDiscovery

/// What the groups of the list are.
enum Grouping: Int, CaseIterable, Sendable {
  case type, host, interface
  /// One list without groups.
  case flat

  /// The words of the first line.
  var words: String {
    switch self {
    case .type: "by type"
    case .host: "by host"
    case .interface: "by interface"
    case .flat: "flat"
    }
  }

  /// The key that chooses it.
  var key: Unicode.Scalar {
    switch self {
    case .type: "1"
    case .host: "2"
    case .interface: "3"
    case .flat: "4"
    }
  }

  /// The next one, after the last the first.
  var next: Grouping { Grouping(rawValue: (rawValue + 1) % Self.allCases.count) ?? .type }

  /// The keys of the groups that a service is in, which are in the order of these keys. A service that is seen on two interfaces is in two.
  func keys(of service: DiscoveredService) -> [String] {
    switch self {
    case .flat: return [""]
    case .type:
      let domain = service.instance.domain == .local ? "" : ".\(service.instance.domain.text)"
      return ["\(service.instance.type)\(domain)".lowercased()]
    case .host: return [service.endpoint.map { "0" + $0.host.text.lowercased() } ?? Self.unknownHost]
    case .interface:
      // Interfaces come before directories.
      let names = service.sources.map { ($0.interface == nil ? "1" : "0") + $0.name }
      return names.isEmpty ? ["2"] : names
    }
  }

  /// The key of the group of services whose host is not known.
  static let unknownHost = "1"

  /// The name of a group by one of its services, escaped for display.
  func title(of key: String, _ service: DiscoveredService) -> String {
    switch self {
    case .flat: ""
    case .type: Texts.type(of: service.instance)
    case .host: service.endpoint.map { "\($0.host)" } ?? "host not known yet"
    case .interface: key == "2" ? "no interface" : String(key.dropFirst()).escapedForDisplay
    }
  }
}
