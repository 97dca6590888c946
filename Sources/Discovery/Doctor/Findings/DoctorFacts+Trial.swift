import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// What came of trying discovery with the backend that is used.
extension DoctorFacts {
  /// The links on which avahi-daemon can be heard, and which neither its configuration nor the kernel's limit leaves out: those are
  /// findings of their own.
  private var daemonLinks: [LinkSurvey] {
    workingConnections.filter {
      !bus.configuration.excludes($0.interface) && !($0.link.family == .ipv4 && exceedsMemberships)
    }
  }

  /// What avahi-daemon does not do, although it says that it runs. Where packets are lost, its own may be among them.
  var trialFindings: [Finding] {
    guard usesDaemon, let trial, lossFindings.isEmpty else { return [] }
    let silent = IPAddress.Family.allCases.filter { family in daemonLinks.contains { $0.link.family == family && !$0.isTried } }
    let unexplained = silent.filter { !bus.configuration.unused.contains($0) }
    var findings = silent.filter { !unexplained.contains($0) }.map { silence(over: [$0], isExplained: true) }
    findings += (isSilent && unexplained.count > 1 ? [unexplained] : unexplained.map { [$0] })
      .map { silence(over: $0, isExplained: false) }
    let deaf = daemonLinks.filter { $0.isTried && !trial.interfaces.contains($0.link.interface) }
    let names = Set(deaf.map(\.interface)).sorted()
    if !names.isEmpty {
      findings.append(
        Finding(
          .avahiDeaf, deaf.count == daemonLinks.count ? .problem : .warning, on: names,
          seen: "\(daemonName) asks on \(Self.list(names)), and does not hear the answer",
          because: "nothing is found there through the daemon", remedies: [restartOfDaemon]))
    }
    return findings
  }

  /// Whether the daemon asks nothing anywhere.
  private var isSilent: Bool { daemonLinks.allSatisfy { !$0.isTried } }

  private func silence(over families: [IPAddress.Family], isExplained: Bool) -> Finding {
    let silent = daemonLinks.filter { families.contains($0.link.family) && !$0.isTried }
    let names = Set(silent.map(\.interface)).sorted()
    let family = Self.list(families.map(Self.name))
    let setting = "use-\(family.lowercased())"
    return Finding(
      isExplained ? .avahiFamily : .avahiSilent,
      // One family is enough on most networks; without IPv4 many hosts are not found.
      isSilent ? .problem : families == [.ipv6] ? .information : .warning, on: names,
      seen: isExplained
        ? "\(daemonName)'s configuration says \(setting)=no"
        : "\(daemonName) asks nothing over \(family) on \(Self.list(names)), although it says that it runs",
      because: isSilent
        ? "nothing is found or published through the daemon"
        : "hosts that have \(family) alone are not found through the daemon",
      remedies: [
        .advice(
          isExplained
            ? "set \(setting)=yes in /etc/avahi/avahi-daemon.conf, and restart it:"
            : "see its log and its configuration, such as use-ipv4, use-ipv6 and allow-interfaces, and restart it:"),
        restartOfDaemon,
      ])
  }

  /// Whether the backend that is used has reached others.
  var trialResult: Report.Trial {
    if usesForeignDaemon { return .none(reason: "\(daemonName) is in another network, which cannot be seen from here") }
    let isHeard: (LinkSurvey) -> Bool = { [trial] link in
      !usesDaemon || (link.isTried && trial?.interfaces.contains(link.link.interface) == true)
    }
    let tried = (request.interface == nil ? workingConnections : workingLinks).filter(isHeard)
    let lossy = Set(lossFindings.flatMap(\.interfaces))
    if tried.contains(where: { !$0.others.isEmpty && !lossy.contains($0.interface) }) { return .others }
    if !lossy.isEmpty { return .unsteady }
    if !tried.isEmpty { return .alone }
    if usesDaemon, links.contains(where: { $0.refusal != nil }) {
      return .none(reason: "port 5353 cannot be shared, so that \(daemonName) cannot be heard from here")
    }
    if usesDaemon {
      return .none(reason: trial == nil ? "\(daemonName) could not be asked" : "\(daemonName) was not heard asking")
    }
    return .none(reason: "no link could be used")
  }
}
