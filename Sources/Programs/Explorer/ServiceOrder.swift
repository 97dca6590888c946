package import _BonjourishDiscovery

/// The order of `browse --sort`, and of the explorer. Services that are equal in it are in the order of their names, then of their types.
package enum ServiceOrder: String, CaseIterable, Sendable {
  case name, type, host, address

  /// Whether only resolving finds what is compared.
  package var needsEndpoint: Bool {
    switch self {
    case .name, .type: false
    case .host, .address: true
    }
  }

  /// The services in this order; those without an endpoint are last where it is compared.
  package func sorted(_ services: some Collection<DiscoveredService>) -> [DiscoveredService] {
    services.map { ($0, key(of: $0)) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  /// What is compared: the texts from left to right.
  func key(of service: DiscoveredService) -> [String] {
    (leading(of: service).map { [$0] } ?? []) + Self.name(of: service)
  }

  /// What is compared at last: the texts of the name and the type.
  static func name(of service: DiscoveredService) -> [String] {
    [service.instance.name.text.lowercased(), service.instance.name.text, service.instance.type.description]
  }

  /// What is compared first; nil for the order of names.
  func leading(of service: DiscoveredService) -> String? {
    switch self {
    case .name: return nil
    case .type: return service.instance.type.description.lowercased()
    case .host: return service.endpoint.map { "0" + $0.host.text.lowercased() } ?? "1"
    case .address:
      // Numbers of one length, so that 10.0.0.9 comes before 10.0.0.10, and IPv4 before IPv6.
      let digits = service.endpoint?.addresses.first.map { address -> String in
        let numbers: [Int] = [address.bytes.count] + address.bytes.map { Int($0) }
        return numbers.map { String(1_000 + $0) }.joined()
      }
      return digits ?? "9"
    }
  }
}
