import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// Whether the hosts that are heard can be reached over IPv4.
extension DoctorFacts {
  var subnetFindings: [Finding] {
    workingConnections.filter { $0.link.family == .ipv4 }.compactMap { otherSubnet($0) ?? reversePathFilter($0) }
      + ipv4Duplicates
  }

  private func addresses(of link: LinkSurvey) -> [InterfaceFacts.Address] {
    interfaces.filter { $0.name == link.interface }.flatMap(\.addresses).filter { $0.address.family == .ipv4 && $0.isUsable }
  }

  /// Whether this machine looks for an address on a link itself, maybe on another one: two may lead to the same network.
  private func isDirect(_ host: IPAddress) -> Bool {
    let networks = interfaces.filter(\.isUsable).flatMap { interface in
      interface.addresses.map { Route(to: $0.address, prefixLength: $0.prefixLength, on: interface.name) }
    }
    return (networks + routes).contains { $0.gateway == nil && !$0.isRefusing && $0.covers(host) }
  }

  /// Whether hosts that are heard over IPv4 are reachable over IPv6.
  private func isHeardOverIPv6(beside link: LinkSurvey) -> Bool {
    workingConnections.contains { $0.interface == link.interface && $0.link.family == .ipv6 && !$0.others.isEmpty }
  }

  /// The hosts that are heard are in another subnet, or outside of too small a one.
  private func otherSubnet(_ link: LinkSurvey) -> Finding? {
    let own = addresses(of: link)
    // A host that has given itself an address (RFC 3927) is among others in any network.
    let heard = link.others.filter { !$0.isLinkLocal || own.contains(where: \.address.isLinkLocal) }
    let outside = heard.filter { !isDirect($0) }
    guard !outside.isEmpty, !own.isEmpty else { return nil }
    let isAll = outside.count == heard.count
    let hosts = outside.map(\.description).sorted()
    let networks = own.map { "\($0.address)/\($0.prefixLength)" }
    let isRouted = routes.contains { $0.gateway?.family == .ipv4 && $0.interface == link.interface && $0.prefixLength == 0 }
    let severity: Finding.Severity =
      !isAll && isRouted ? .information : isAll && !isRouted && !isHeardOverIPv6(beside: link) ? .problem : .warning
    return Finding(
      .otherSubnet, severity, on: [link.interface],
      seen: "\(Self.list(hosts)) \(hosts.count == 1 ? "is" : "are") heard on \(link.interface), and outside of its "
        + "network, \(Self.list(networks))",
      because:
        "their services are found, and cannot be connected to over IPv4\(isRouted ? ", or by way of the router only" : "")",
      remedies: [
        .advice("get an address by DHCP, or set one of their network, or correct the length of the prefix, for instance:"),
        .example("ip address replace \(suggestion(own[0], among: outside)) dev \(link.interface)"),
      ])
  }

  /// An address that would be in a network with others, as far as can be guessed.
  private func suggestion(_ own: InterfaceFacts.Address, among hosts: Set<IPAddress>) -> String {
    let isNear = hosts.allSatisfy { Route(to: own.address, prefixLength: 24, on: "").covers($0) }
    if isNear { return "\(own.address)/24" }
    let first = hosts.map(\.description).min() ?? ""
    return first.split(separator: ".").dropLast().joined(separator: ".") + ".N/24"
  }

  /// What arrives is dropped, because no route leads back to its sender.
  private func reversePathFilter(_ link: LinkSurvey) -> Finding? {
    guard reversePathDrops > 0, link.others.isEmpty, let own = addresses(of: link).first else { return nil }
    return Finding(
      .reversePathFilter, isHeardOverIPv6(beside: link) ? .warning : .problem, on: [link.interface],
      seen: "the kernel has just dropped \(reversePathDrops) datagram\(reversePathDrops == 1 ? "" : "s"), because no route of "
        + "\(link.interface) (\(own.address)/\(own.prefixLength)) leads back to the senders (rp_filter)",
      because: "nobody is heard over IPv4 who is outside of the machine's networks, and nobody there could be reached",
      remedies: [
        .advice("set an address with the prefix length of the network, for instance:"),
        .example("ip address replace \(own.address)/24 dev \(link.interface)"),
        .advice("or receive from all, by a value of 0 or 2 on the interface and on \"all\":"),
        .command("sysctl net.ipv4.conf.all.rp_filter net/ipv4/conf/\(link.interface)/rp_filter"),
      ])
  }

  private var ipv4Duplicates: [Finding] {
    var conflicts = duplicates
    // By ARP the other host's hardware address is known.
    for link in links {
      conflicts += link.duplicates.filter { address in !conflicts.contains { $0.address == address } }
        .sorted { $0.description < $1.description }
        .map { AddressConflict(interface: link.interface, address: $0) }
    }
    return conflicts.map { conflict in
      Finding(
        .ipv4DuplicateAddress, .warning, on: [conflict.interface],
        seen:
          "another host\(conflict.hardware.map { " (\($0))" } ?? "") has the address \(conflict.address) of \(conflict.interface)",
        because: "who looks for one of the two hosts reaches the other, now and then",
        remedies: [.advice("give one of the hosts another address")])
    }
  }
}
