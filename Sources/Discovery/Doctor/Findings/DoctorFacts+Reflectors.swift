import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// What tells of a reflector: a program that says on this network what is said on others.
extension DoctorFacts {
  var reflectorFindings: [Finding] {
    // One over both families, or seen in both ways, is told once.
    Set(workingConnections.map(\.interface)).sorted().compactMap { name in
      let links = workingConnections.filter { $0.interface == name }
      let repeaters = Set(links.flatMap(\.repeaters))
      let carriers = links.reduce(into: [IPAddress: Set<DNSName>]()) { $0.merge($1.carriers) { $0.union($1) } }
      return repeaters.isEmpty ? carriers.isEmpty ? nil : carrying(carriers, on: name) : repeating(repeaters, on: name)
    }
  }

  private func repeating(_ repeaters: Set<IPAddress>, on interface: String) -> Finding {
    finding(
      on: interface,
      seen: "a reflector repeats messages here: \(Self.list(repeaters.map(\.description).sorted())) asked on \(interface) what "
        + "only this machine had asked, and on another link")
  }

  private func carrying(_ carriers: [IPAddress: Set<DNSName>], on interface: String) -> Finding {
    let sources = Self.list(carriers.keys.map(\.description).sorted())
    let hosts = Set(carriers.values.joined()).map(\.description).sorted()
    return finding(
      on: interface,
      seen: "a reflector repeats messages here, as it seems: \(sources) \(carriers.count == 1 ? "tells" : "tell") on "
        + "\(interface) the addresses of \(hosts.count == 1 ? "a host" : "\(hosts.count) hosts") in other networks, "
        + Self.list(hosts))
  }

  private func finding(on interface: String, seen: String) -> Finding {
    Finding(
      .reflector, .information, on: [interface], seen: seen,
      because: "services of other networks are found here, and can be used only as far as a router leads there; a host with an "
        + "interface in each network may meet its own name, and take another",
      remedies: [
        .advice("if services are found that cannot be reached, let the reflector pass only the types that are wanted there"),
        .example("bonjourish reflect --between eth0,eth1 --type ipp"),
      ])
  }
}
