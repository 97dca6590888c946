import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

extension DoctorFacts {
  /// What follows from the facts.
  package var report: Report {
    if usesForeignDaemon {
      return Report(
        findings: (daemonFindings + limitFindings + clockFindings).map(typeable), healthy: healthy, unseen: [],
        trial: trialResult)
    }
    // Of equally bad findings the cause comes first: what is nearer to the wire. That the daemon does not run is no cause of
    // anything while the built-in engine is used.
    let daemon = daemonFindings
    let absence = daemon.filter { Self.absences.contains($0.identifier) && $0.severity != .problem }
    var findings = interfaceFindings + linkFindings + subnetFindings + ipv6Duplicates + lossFindings
    findings += daemon.filter { !absence.contains($0) }
    findings += trialFindings + portFindings + ipv6Findings + routeFindings + answerFindings + nameFindings + limitFindings
    findings += reflectorFindings
    findings += absence + clockFindings
    // Nothing was found, and nothing works: an interface has just come or gone.
    if links.isEmpty, !findings.contains(where: { $0.severity == .problem }) { findings.append(Self.noInterface) }
    return Report(findings: findings.map(typeable), healthy: healthy, unseen: unseen, trial: trialResult)
  }

  private static let absences: Set<Finding.Identifier> = [.avahiNotRunning, .avahiNotInstalled]

  /// The finding with its commands as examples whose programs are not installed.
  private func typeable(_ finding: Finding) -> Finding {
    Finding(
      finding.identifier, finding.severity, on: finding.interfaces, seen: finding.seen, because: finding.reason,
      remedies: finding.remedies.map { remedy in
        guard case .command(let command) = remedy, let tool = command.split(separator: " ").first,
          machine.missingTools.contains(String(tool))
        else { return remedy }
        return .example(command)
      })
  }

  /// What is as it should be, in short.
  private var healthy: [String] {
    var lines: [String] = []
    if let answers = bus.answers, answers.state == 2 {
      lines.append(
        "\(daemonName) answers (\(answers.version), \(answers.hostName))"
          + (usesForeignDaemon ? " from another network, whose interfaces cannot be seen from here" : ""))
    }
    if usesForeignDaemon { return lines }
    let owners = Set(sockets.compactMap(\.owner)).sorted { $0.process < $1.process }
    if !links.isEmpty, links.allSatisfy({ $0.refusal == nil }) {
      lines.append("port 5353 can be used" + (owners.isEmpty ? "" : ", shared with \(Self.list(owners.map(\.description)))"))
    }
    let working = candidates.filter { interface in workingLinks.contains { $0.interface == interface.name } }
    for interface in working.prefix(Self.mostLines) { lines.append(line(about: interface)) }
    if working.count > Self.mostLines { lines.append("and \(working.count - Self.mostLines) more interfaces") }
    return lines
  }

  /// The largest number of interfaces that are listed.
  private static let mostLines = 8

  private func line(about interface: InterfaceFacts) -> String {
    let links = workingLinks.filter { $0.interface == interface.name }
    let families = Self.list(links.map { Self.name(of: $0.link.family) })
    let others = Set(links.flatMap(\.others)).count
    let remark = interface.flags.contains(.allMulticast) ? " (receives all multicast)" : ""
    return "\(interface.name)\(remark): multicast comes back over \(families); "
      + (others == 0 ? "nobody else was heard" : "\(others) other address\(others == 1 ? " was" : "es were") heard")
  }

  // MARK: - What findings have in common

  /// The interfaces that discovery uses: the named one, or those that connect the machine to networks.
  var candidates: [InterfaceFacts] {
    guard let name = request.interface else { return interfaces.filter(\.isConnection) }
    return interfaces.filter { $0.name == name }
  }

  /// The links on which multicast comes back.
  var workingLinks: [LinkSurvey] { links.filter { $0.refusal == nil && $0.outage == nil && $0.isHeard } }

  /// Those of them that lead to other machines.
  var workingConnections: [LinkSurvey] {
    workingLinks.filter { link in !interfaces.contains { $0.name == link.interface && $0.flags.contains(.loopback) } }
  }

  /// Whether avahi-daemon is what discovery uses.
  var usesDaemon: Bool { request.backend == .avahi || (request.backend == .auto && bus.answers != nil) }

  /// Whether that daemon is in another network namespace, as the host's is for a container that is given the bus: nobody in this
  /// network has its port. What this network is like does not matter then.
  var usesForeignDaemon: Bool { usesDaemon && bus.answers != nil && isPortUnused }

  /// Whether no program in this network has port 5353, other than this one.
  var isPortUnused: Bool { areSocketsKnown && sockets.isEmpty }

  /// The names under which this machine is known, or wants to be.
  var hostNames: [DNSName] {
    var names = [machine.localName, bus.answers.flatMap { try? DNSName($0.hostName) }].compactMap(\.self)
    if names.count == 2, names[0] == names[1] { names.removeLast() }
    return names
  }

  static func name(of family: IPAddress.Family) -> String { family == .ipv4 ? "IPv4" : "IPv6" }

  /// Words with commas and "and"; of many, the first ten.
  static func list(_ words: [String]) -> String {
    if words.count > 12 { return list(words.prefix(10) + ["\(words.count - 10) more"]) }
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }

  var restartOfDaemon: Finding.Remedy {
    if machine.hasSystemd { return .command("systemctl restart \(daemonName)") }
    return machine.scripts.contains(daemonName)
      ? .command("/etc/init.d/\(daemonName) restart") : .example("\(daemonName) --kill; \(daemonName) --daemonize")
  }

  /// The commands that start services.
  func start(_ services: String...) -> [Finding.Remedy] {
    if machine.hasSystemd { return [.command("systemctl start \(services.joined(separator: " "))")] }
    return services.map { service in
      if machine.scripts.contains(service) { return .command("/etc/init.d/\(service) start") }
      return .example(service == "dbus" ? "dbus-daemon --system --fork" : "\(service) --daemonize")
    }
  }
}
