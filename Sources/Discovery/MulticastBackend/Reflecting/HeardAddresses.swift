import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The IPv4 addresses of hosts that were told on a link, by who told them: a reflector tells those of hosts in other networks.
struct HeardAddresses {
  /// The addresses of the link's interface, which say what its networks are.
  private let networks: [InterfaceAddress]
  private var heard: [IPAddress: [DNSName: Set<IPAddress>]] = [:]
  private var count = 0

  init(in networks: [InterfaceAddress]) {
    self.networks = networks
  }

  /// Notes an address, of at most ``NetworkSurvey/mostHosts`` hosts and senders.
  mutating func note(_ address: IPAddress, of host: DNSName, from source: IPAddress) {
    guard address.family == .ipv4, source.family == .ipv4 else { return }
    if heard[source]?[host] == nil {
      guard count < NetworkSurvey.mostHosts else { return }
      count += 1
    }
    guard heard[source]?[host]?.count ?? 0 < NetworkSurvey.mostHosts else { return }
    heard[source, default: [:]][host, default: []].insert(address)
  }

  /// The hosts of this network that tell addresses of other networks, with the names of the hosts there. One that tells an address
  /// of this network with them has several networks itself.
  func carriers(besides own: Set<IPAddress>) -> [IPAddress: Set<DNSName>] {
    func isHere(_ address: IPAddress) -> Bool {
      networks.contains { $0.address.shares($0.prefixLength, bitsWith: address) }
    }
    var carriers: [IPAddress: Set<DNSName>] = [:]
    for (source, hosts) in heard where isHere(source) && !own.contains(source) {
      let foreign = hosts.filter { !$0.value.contains { isHere($0) || $0.isLinkLocal || $0.isLoopback || own.contains($0) } }
      if !foreign.isEmpty { carriers[source] = Set(foreign.keys) }
    }
    return carriers
  }
}
