import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// Networks of containers.
extension DoctorFacts {
  /// Whether this machine's interfaces may be those of a container behind a bridge. If so, what is heard on them decides.
  package var mayBeBehindBridge: Bool {
    let usable = candidates.filter { $0.isUsable && !$0.flags.contains(.loopback) }
    return !usable.isEmpty && areVirtualCables(usable) && !(request.backend == .avahi && isPortUnused)
  }

  /// The finding that this machine is in a container's network, which multicast does not leave; nil if it is not, or if somebody
  /// beyond the router, which is the container's host, was heard.
  package var containerNetwork: Finding? {
    let working = workingConnections
    let routers = routes.compactMap(\.gateway)
    // The router's address on the link is known over IPv4.
    let decisive = working.contains { $0.link.family == .ipv4 } ? working.filter { $0.link.family == .ipv4 } : working
    let used = interfaces.filter { interface in working.contains { $0.interface == interface.name } }
    guard !used.isEmpty, decisive.flatMap(\.others).allSatisfy(routers.contains), areVirtualCables(used) else { return nil }
    let place = machine.container.map { "this is a container (\($0)) whose network" } ?? "this machine's only network"
    return Finding(
      .containerNetwork, .warning, seen: "\(place) is a virtual cable to a bridge, and nobody beyond it was heard",
      because:
        "multicast passes neither the bridge's router nor its address translation, so that the local network is not reached",
      remedies: [
        .advice("use the host's network: docker run --network host; network_mode: host; hostNetwork: true"),
        .advice("or give the container an address of the local network: docker network create -d macvlan -o parent=eth0 ..."),
        .advice(
          "or let the host's avahi-daemon do it: docker run -v /run/dbus/system_bus_socket:/run/dbus/system_bus_socket, "
            + "and --backend avahi"),
      ])
  }

  /// Whether these interfaces are all virtual cables to another network namespace with a router behind one of them, as in a
  /// container by default. A namespace without a router may be a host of a LAN that somebody has built.
  private func areVirtualCables(_ used: [InterfaceFacts]) -> Bool {
    let kinds = Set(used.map(\.kind))
    let isContainer = machine.container != nil && kinds.isSubset(of: ["veth", "tun"])
    guard isContainer || (kinds == ["veth"] && used.allSatisfy(\.hasDistantPeer)) else { return false }
    return used.contains { interface in routes.contains { $0.gateway != nil && $0.interface == interface.name } }
  }
}
