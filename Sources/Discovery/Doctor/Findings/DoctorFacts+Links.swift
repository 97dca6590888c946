import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// What can be sent and received.
extension DoctorFacts {
  /// What keeps datagrams from links.
  var linkFindings: [Finding] {
    var findings: [Finding] = []
    for interface in Set(links.map(\.interface)).sorted() {
      let own = links.filter { $0.interface == interface }
      for identifier in [Finding.Identifier.sendingRefused, .multicastNotHeard, .multicastRefused] {
        let faulty = own.filter { fault(of: $0) == identifier }
        guard let first = faulty.first else { continue }
        // Without a route the route is the finding.
        if faulty.allSatisfy({ $0.link.family == .ipv6 }), identifier == .sendingRefused,
          candidates.contains(where: { $0.name == interface && lacksIPv6Route($0) })
        {
          continue
        }
        let outage = first.outage ?? .refused(interface: interface, reason: first.refusal.map { "\($0)" } ?? "")
        let scope = faulty.count == own.count ? "" : "over \(Self.list(faulty.map { Self.name(of: $0.link.family) })): "
        findings.append(
          Finding(
            identifier, workingLinks.isEmpty ? .problem : .warning, on: [interface], seen: scope + outage.explanation,
            because: scope.isEmpty
              ? "others are not found there, and do not find this machine"
              : "hosts that have no other address family are not found there, and do not find this machine",
            remedies: remedies(identifier)))
      }
    }
    return findings
  }

  private func fault(of survey: LinkSurvey) -> Finding.Identifier? {
    switch survey.outage {
    case .cannotSend: return .sendingRefused
    case .notHeard: return .multicastNotHeard
    case .noInterface, .unusableInterface, .noneSelected, .refused, nil: break
    }
    // Others tell of a port that is not shared, and of a limit.
    guard let refusal = survey.refusal, !refusal.isMembershipLimit,
      ![EADDRINUSE, ENODEV].contains(refusal.errno)
    else { return nil }
    return .multicastRefused
  }

  private func remedies(_ identifier: Finding.Identifier) -> [Finding.Remedy] {
    let chain = identifier == .sendingRefused ? "output" : "input"
    let show: [Finding.Remedy] =
      [
        .advice("look for rules that drop UDP port 5353, or all but a few:"), .command("nft list ruleset"),
      ] + ["iptables-save", "ip6tables-save"].filter { !machine.missingTools.contains($0) }.map(Finding.Remedy.command)
    if chain == "input", bus.hasFirewalld {
      return [.command("firewall-cmd --permanent --add-service=mdns"), .command("firewall-cmd --reload")]
    }
    if chain == "input", machine.hasUFW { return [.command("ufw allow 5353/udp")] }
    return show + [
      .advice("let them pass 5353, or delete them; if the table is called inet filter, for instance:"),
      .example("nft insert rule inet filter \(chain) udp dport 5353 accept"),
    ]
  }

  // MARK: - Loss

  /// The share of questions that may be lost on a healthy network, or be answered late on a busy one.
  private static let tolerableLoss = 0.25

  var lossFindings: [Finding] {
    workingConnections.compactMap { link in
      let lost = link.asked - link.answered
      guard link.asked >= 8, Double(lost) > Double(link.asked) * Self.tolerableLoss else { return nil }
      return Finding(
        .packetLoss, .warning, on: [link.interface],
        seen: "\(lost) of \(link.asked) questions to hosts on \(link.interface) were not answered",
        because: "packets are lost, so that services appear late, come and go, or do not appear",
        remedies: [
          .advice("see to the cable, the switch or the wireless signal; errors of this machine's interface are counted:"),
          .command("ip -s link show dev \(link.interface)"),
        ])
    }
  }

  // MARK: - Others

  /// What keeps other hosts from answering, although multicast comes back.
  var answerFindings: [Finding] {
    let working = workingConnections
    guard !working.isEmpty else { return [] }
    let isAlone = working.allSatisfy(\.others.isEmpty)
    var findings: [Finding] = []
    let lossy = Set(lossFindings.flatMap(\.interfaces))
    for link in working where link.others.isEmpty && !link.directAnswerers.isEmpty && !lossy.contains(link.interface) {
      let hosts = Self.list(link.directAnswerers.map(\.description).sorted())
      findings.append(
        Finding(
          .multicastNotForwarded, isAlone ? .problem : .warning, on: [link.interface],
          seen: "\(hosts) answers mDNS questions that are sent to it alone, and not those that are sent to all",
          because: "a switch, access point or bridge does not pass multicast between the hosts",
          remedies: [
            .advice("switch on an IGMP querier, or switch off IGMP snooping or \"client isolation\" on it"),
            .advice("if it is a Linux bridge, on its machine:"), .example("ip link set BRIDGE type bridge mcast_snooping 0"),
            .example("bridge link set dev PORT mcast_flood on"),
          ]))
    }
    if let containerNetwork { return findings + [containerNetwork] }
    guard isAlone, findings.isEmpty, subnetFindings.isEmpty, linkFindings.isEmpty, lossFindings.isEmpty, trialFindings.isEmpty
    else { return findings }
    return [
      Finding(
        .nobodyAnswers, .information,
        seen: "nobody else was heard on \(Self.list(Set(working.map(\.interface)).sorted())) within two seconds",
        because: "either no other host there uses mDNS, or a switch, access point or bridge does not pass multicast",
        remedies: [
          .advice("try on another host: bonjourish publish Test _http._tcp 80"),
          .advice("on the network's devices, look for IGMP snooping without a querier, and for \"client isolation\""),
        ])
    ]
  }
}
