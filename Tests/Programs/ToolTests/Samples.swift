import Bonjourish

extension DiscoveredService {
  /// A service for tests; without a host it has no endpoint.
  static func sample(
    _ name: String, type: String = "_http._tcp", domain: String = "local", interfaces: [String] = ["eth0"], host: String? = nil,
    port: UInt16 = 80, addresses: [String] = [], txt: TXTRecord = TXTRecord(), presence: Presence = .present
  ) throws -> DiscoveredService {
    let endpoint = try host.map { host throws(DiscoveryError) in
      Endpoint(host: try DomainName(host), port: port, txt: txt, addresses: addresses.compactMap(IPAddress.init))
    }
    return DiscoveredService(
      instance: ServiceInstance(try InstanceName(name), type: try ServiceType(type), domain: try DomainName(domain)),
      links: interfaces.enumerated().map { index, name in
        let region = name.hasPrefix("directory:") ? name.split(separator: ":").last : nil
        let interface = NetworkInterface(index: UInt32(index + 1), name: name)
        return Link(region.map { .directory(String($0)) } ?? DiscoverySource(interface), .ipv4)
      }, endpoint: endpoint, presence: presence)
  }
}

extension DiscoveryMetrics {
  static var sample: DiscoveryMetrics {
    var metrics = DiscoveryMetrics()
    metrics.backend = "builtin"
    metrics.builtin.messages.queriesSent = 3
    return metrics
  }
}
