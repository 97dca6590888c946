import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend

/// The routes to the groups of mDNS.
extension DoctorFacts {
  static let group = IPAddress.ipv4(0xE000_00FB)
  private static let group6 = IPAddress.ipv6(high: 0xFF02 << 48, low: 0xFB)
  /// `RTNETLINK` creates it with the interface's first IPv6 address.
  private static let shortestMulticastRoute = 8

  var routeFindings: [Finding] {
    let usable = candidates.filter { $0.isUsable && !$0.flags.contains(.loopback) }
    guard let first = usable.first, !routes.isEmpty || !interfaces.isEmpty else { return [] }
    var findings: [Finding] = []
    if usable.contains(where: { $0.hasAddress(.ipv4) }) {
      let best = routes.filter { $0.covers(Self.group) }.max { $0.prefixLength < $1.prefixLength }
      let effect = "Bonjourish and avahi-daemon name the interface and need no route; other programs cannot send multicast"
      if best == nil {
        findings.append(
          Finding(
            .noMulticastRoute, .warning, seen: "no route leads to 224.0.0.251", because: effect,
            remedies: [.command("ip route add 224.0.0.0/4 dev \(first.name)")]))
      } else if let best, best.isRefusing {
        findings.append(
          Finding(
            .multicastRouteBlocked, .warning,
            seen: "a route refuses packets to \(best.destination)/\(best.prefixLength), and so to 224.0.0.251", because: effect,
            remedies: [
              .advice("delete the route that is shown by:"), .command("ip route show table all root 224.0.0.0/3"),
            ]))
      } else if let groupRefusal, groupRefusal.errno != ENETUNREACH {
        findings.append(
          Finding(
            .multicastRouteBlocked, .warning,
            seen: "a rule or route of another table refuses packets to 224.0.0.251 "
              + "(\(groupRefusal))",
            because: effect,
            remedies: [
              .advice("delete the rule that is shown by:"), .command("ip rule"), .advice("or the route that is shown by:"),
              .command("ip route show table all root 224.0.0.0/3"),
            ]))
      }
    }
    return findings
      + usable.filter(lacksIPv6Route).map { interface in
        Finding(
          .noMulticastRoute, .warning, on: [interface.name], seen: "no route leads to ff02::fb on \(interface.name)",
          because: "nothing can be sent there over IPv6",
          remedies: [.command("ip -6 route add multicast ff00::/8 dev \(interface.name) table local")])
      }
  }

  /// Over IPv6, a packet needs a route even if it names the interface.
  func lacksIPv6Route(_ interface: InterfaceFacts) -> Bool {
    let known = routes.filter { $0.destination.family == .ipv6 }
    return interface.hasAddress(.ipv6) && !known.isEmpty
      && !known.contains {
        $0.interface == interface.name && !$0.isRefusing && $0.prefixLength >= Self.shortestMulticastRoute
          && $0.covers(Self.group6)
      }
  }
}
