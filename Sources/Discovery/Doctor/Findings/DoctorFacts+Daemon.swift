/// avahi-daemon, or bonjourishd in its place, and the system bus.
extension DoctorFacts {
  /// The names of the programs that are the machine's mDNS daemon.
  static let daemonNames: Set<String> = ["avahi-daemon", "bonjourishd"]

  /// The name of the daemon that is on the bus, or has port 5353; if none is known, that of avahi-daemon, which may be installed.
  var daemonName: String {
    if let answers = bus.answers { return answers.version.hasPrefix("bonjourish ") ? "bonjourishd" : "avahi-daemon" }
    return sockets.compactMap(\.owner).contains { $0.name == "bonjourishd" } ? "bonjourishd" : "avahi-daemon"
  }

  var daemonFindings: [Finding] {
    guard request.backend != .builtin else { return [] }
    if let finding = busFinding { return [finding] }
    switch bus.daemon {
    case .unknown: return []
    case .absent: return [absence]
    case .hung:
      let process = bus.process.map { "process \($0)" } ?? "its process"
      return [
        Finding(
          .avahiHung, failure,
          seen: bus.isStopped
            ? "\(daemonName) is stopped (\(process), SIGSTOP)" : "\(daemonName) does not answer within a second",
          because: consequence,
          remedies: (bus.isStopped ? bus.process.map { [.command("kill -CONT \($0)")] } ?? [] : []) + [restartOfDaemon])
      ]
    case .denied(let reason):
      return [
        Finding(
          .avahiDenied, failure, seen: "\(daemonName) may not be used by this user (\(reason))", because: consequence,
          remedies: [.advice("let the policy in /etc/dbus-1/system.d/avahi-dbus.conf allow it, or use --backend builtin")])
      ]
    case .answers(let answers): return stateFindings(answers)
    }
  }

  /// A backend that needs the daemon does not work; without it, the built-in engine does.
  private var failure: Finding.Severity { request.backend == .avahi ? .problem : .warning }

  private var consequence: String {
    request.backend == .avahi
      ? "the backend avahi does not work without the daemon"
      : "the built-in engine is used instead; programs that need the daemon, such as for printing or for names in .local, find "
        + "nothing"
  }

  private var busFinding: Finding? {
    // A container or a small machine has neither a bus nor the daemon, and needs none.
    let absent: Finding.Severity = request.backend == .avahi ? .problem : machine.hasAvahi ? .warning : .information
    switch bus.state {
    case .reachable:
      return nil
    case .missing(let path):
      let share: [Finding.Remedy] =
        machine.container == nil ? [] : [.advice("in a container, mount the host's bus: -v \(path):\(path)")]
      return Finding(
        .busMissing, absent, seen: "there is no system bus: \(path) does not exist", because: consequence,
        remedies: share + start("dbus"))
    case .notRunning(let path):
      return Finding(
        .busNotRunning, absent, seen: "the system bus does not run: nobody listens at \(path)", because: consequence,
        remedies: start("dbus", "avahi-daemon"))
    case .denied(let reason):
      return Finding(
        .busDenied, failure, seen: "the system bus may not be used by this user (\(reason))", because: consequence,
        remedies: [.advice("let the user of this program use the bus's socket, or use --backend builtin")])
    case .hung:
      return Finding(
        .busHung, failure, seen: "the system bus does not answer within a second", because: consequence,
        remedies: [.advice("find out why dbus-daemon hangs, or restart the machine: restarting the bus ends the session")])
    case .limitReached(let reason):
      return Finding(
        .busLimit, failure, seen: "the system bus accepts no further program of this user (\(reason))", because: consequence,
        remedies: [.advice("end programs of this user, or raise max_connections_per_user of the bus")])
    case .failed(let reason):
      return Finding(
        .busUnusable, failure, seen: "the system bus cannot be used (\(reason))", because: consequence, remedies: start("dbus"))
    }
  }

  private var absence: Finding {
    if let owner = sockets.compactMap(\.owner).first(where: { Self.daemonNames.contains($0.name) }) {
      return Finding(
        .avahiNotOnBus, failure, seen: "\(owner) runs, and is not on the system bus", because: consequence,
        remedies: [.advice("set enable-dbus=yes in /etc/avahi/avahi-daemon.conf, and restart it:"), restartOfDaemon])
    }
    guard machine.hasAvahi else {
      return Finding(
        .avahiNotInstalled, request.backend == .avahi ? .problem : .information, seen: "avahi-daemon is not installed",
        because: consequence, remedies: [.command(machine.packages.installingAvahi)])
    }
    return Finding(
      .avahiNotRunning, failure, seen: "avahi-daemon is installed and does not run", because: consequence,
      remedies: start("avahi-daemon"))
  }

  private func stateFindings(_ answers: BusFacts.Answers) -> [Finding] {
    var findings: [Finding] = []
    if answers.state != 2 {
      let state =
        switch answers.state {
        case 1: "is still publishing the host's name"
        case 3: "has found another host with its name"
        default: "has failed"
        }
      findings.append(
        Finding(
          .avahiNotReady, answers.state == 1 ? .warning : failure, seen: "\(daemonName) runs, and \(state)",
          because: "it publishes nothing until it is ready",
          remedies: [.advice("wait a moment; if it stays so, see its log"), .command("journalctl -u \(daemonName)")]))
    }
    if let refusal = answers.refusal {
      findings.append(
        Finding(
          .avahiLimit, failure, seen: "\(daemonName) accepts no further operation (\(refusal))",
          because: "nothing more can be published or browsed through it",
          remedies: [
            .advice("end some programs, or raise objects-per-client-max and clients-max in /etc/avahi/avahi-daemon.conf")
          ]))
    }
    return findings + excluded
  }

  /// Interfaces that the daemon's configuration leaves out.
  private var excluded: [Finding] {
    let usable = candidates.filter { $0.isUsable && !$0.flags.contains(.loopback) }.map(\.name)
    let names = usable.filter(bus.configuration.excludes)
    guard !names.isEmpty, !usesForeignDaemon else { return [] }
    return [
      Finding(
        .avahiInterfaces, names.count < usable.count ? .information : .problem, on: names,
        seen: "\(daemonName)'s configuration leaves out \(Self.list(names))",
        because: "nothing is found or published there through the daemon",
        remedies: [
          .advice("change allow-interfaces or deny-interfaces in /etc/avahi/avahi-daemon.conf, and restart it:"),
          restartOfDaemon,
        ])
    ]
  }
}
