import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// The machine's name on the network.
extension DoctorFacts {
  var nameFindings: [Finding] {
    var findings: [Finding] = []
    if machine.hasGenericName {
      findings.append(
        Finding(
          .hostNameGeneric, .information, seen: "the machine is called \"\(machine.hostName)\"",
          because: "many machines have this name, so it will be changed to another one on the network",
          remedies: [setName]))
    }
    if let current = bus.answers?.hostName, isRenaming(to: current) {
      findings.append(
        Finding(
          .hostRenamed, .warning, seen: "\(daemonName) calls this machine \(current), not \(machine.hostName).local",
          because: "another host had the name; who looks for this machine by its own name does not find it",
          remedies: rename))
    }
    return findings + takenNames
  }

  private var setName: Finding.Remedy { .example(machine.hasSystemd ? "hostnamectl set-hostname NAME" : "hostname NAME") }

  private var rename: [Finding.Remedy] { [.advice("give one of the hosts another name:"), setName, restartOfDaemon] }

  /// Whether a name is the host's with a number that avahi-daemon has appended after a conflict.
  private func isRenaming(to current: String) -> Bool {
    let name = current.prefix { $0 != "." }.lowercased()
    let stem = machine.hostName.lowercased() + "-"
    return name.hasPrefix(stem) && Int(name.dropFirst(stem.count)).map { $0 > 1 } ?? false
  }

  /// Another host's answers for our names, one finding a name.
  private var takenNames: [Finding] {
    let answers = Set(links.flatMap(\.foreignAnswers))
    return hostNames.compactMap { name in
      let own = answers.filter { $0.name == name && $0.address.family == .ipv4 }
      let shown = own.isEmpty ? answers.filter { $0.name == name } : own
      guard !shown.isEmpty else { return nil }
      return Finding(
        .hostNameTaken, .warning,
        seen: "another host answers for \(name): \(Self.list(Set(shown.map(\.address.description)).sorted()))",
        because: bus.answers.map { $0.hostName == name.description } ?? true
          ? "who looks for this machine's services reaches the other host"
          : "who looks for this machine by its name reaches the other host",
        remedies: rename)
    }
  }
}
