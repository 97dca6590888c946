import _BonjourishDiscovery
import _BonjourishMulticastBackend

/// The interfaces and their addresses.
extension DoctorFacts {
  var interfaceFindings: [Finding] {
    guard !interfaces.isEmpty else { return [] }
    if let name = request.interface, candidates.isEmpty {
      return [
        Finding(
          .interfaceMissing, .problem, on: [name], seen: NetworkOutage.unusableInterface(name).explanation,
          because: "nothing is sent or received", remedies: [.command("ip address")])
      ]
    }
    if candidates.isEmpty { return [Self.noInterface] }
    // What is not plugged in does not matter while another interface works.
    let severity: Finding.Severity = candidates.contains(where: \.isUsable) ? .information : .problem
    return Obstacle.allCases.compactMap { obstacle in
      let names = candidates.filter { Obstacle(of: $0) == obstacle }.map(\.name)
      return names.isEmpty ? nil : finding(obstacle, names, severity)
    }
  }

  static let noInterface = Finding(
    .noInterface, .problem, seen: NetworkOutage.noInterface.explanation, because: "only services of this machine can be found",
    remedies: [.command("ip address")])

  private func finding(_ obstacle: Obstacle, _ names: [String], _ severity: Finding.Severity) -> Finding {
    let (all, first) = (Self.list(names), names[0])
    let (has, loss) = (names.count == 1 ? "has" : "have", "nothing is sent or received there")
    switch obstacle {
    case .down:
      return Finding(
        .interfaceDown, severity, on: names, seen: "\(all) \(names.count == 1 ? "is" : "are") switched off", because: loss,
        remedies: [.command("ip link set \(first) up")])
    case .noMulticast:
      return Finding(
        .noMulticastFlag, severity == .problem ? .problem : .warning, on: names, seen: "multicast is switched off on \(all)",
        because: "mDNS is multicast, so \(loss)", remedies: [.command("ip link set \(first) multicast on")])
    case .noCarrier:
      return Finding(
        .noCarrier, severity, on: names, seen: "\(all) \(has) no carrier", because: loss,
        remedies: [.advice("plug in the cable, or connect to the wireless network")])
    case .tentativeAddress:
      return Finding(
        .noAddress, severity, on: names,
        seen: "\(all) \(has) no address yet: the kernel is looking for other hosts that have it", because: loss,
        remedies: [.advice("try again in a few seconds")])
    case .noAddress:
      return Finding(
        .noAddress, severity, on: names, seen: "\(all) \(has) no address", because: loss,
        remedies: [.advice("get one by DHCP, or set one:"), .example("ip address add 192.168.1.2/24 dev \(first)")])
    }
  }

  var ipv6Findings: [Finding] {
    let usable = candidates.filter { $0.isUsable && !$0.flags.contains(.loopback) }
    guard !usable.isEmpty else { return [] }
    let effect = "hosts without IPv4 are not found there"
    guard hasIPv6 else {
      return [Finding(.ipv6Disabled, .information, seen: "this kernel has no IPv6", because: effect)]
    }
    var findings: [Finding] = []
    let disabled = usable.map(\.name).filter(withoutIPv6.contains)
    if !disabled.isEmpty {
      findings.append(
        Finding(
          .ipv6Disabled, .information, on: disabled, seen: "IPv6 is switched off on \(Self.list(disabled))", because: effect,
          remedies: [.command("sysctl -w net/ipv6/conf/\(disabled[0])/disable_ipv6=0")]))
    }
    let enabled = usable.filter { !withoutIPv6.contains($0.name) }
    let bare = enabled.filter { interface in
      !interface.addresses.contains { $0.address.family == .ipv6 && $0.address.isLinkLocal }
    }.map(\.name)
    if !bare.isEmpty {
      findings.append(
        Finding(
          .ipv6NoLinkLocal, .warning, on: bare,
          seen: "\(Self.list(bare)) \(bare.count == 1 ? "has" : "have") no link-local IPv6 address", because: effect,
          remedies: [.command("sysctl -w net/ipv6/conf/\(bare[0])/addr_gen_mode=0")]))
    }
    return findings
  }

  /// The kernel has found another host with an IPv6 address of this machine.
  var ipv6Duplicates: [Finding] {
    candidates.filter { $0.isUsable && !$0.flags.contains(.loopback) }.flatMap { interface in
      interface.addresses.filter(\.isDuplicate).map { duplicate in
        Finding(
          .ipv6DuplicateAddress, .warning, on: [interface.name],
          seen: "another host has the address \(duplicate.address) of \(interface.name)",
          because: "the kernel does not use the address", remedies: [.advice("give one of the hosts another address")])
      }
    }
  }
}

/// Why an interface cannot be used.
private enum Obstacle: CaseIterable {
  case down, noMulticast, noCarrier, tentativeAddress, noAddress

  init?(of interface: InterfaceFacts) {
    if interface.isUsable { return nil }
    let isLoopback = interface.flags.contains(.loopback)
    self =
      if !interface.flags.contains(.up) {
        .down
      } else if !interface.flags.contains(.multicast), !isLoopback {
        .noMulticast
      } else if !interface.flags.contains(.running) {
        .noCarrier
      } else if interface.addresses.contains(where: \.isTentative) { .tentativeAddress } else { .noAddress }
  }
}
