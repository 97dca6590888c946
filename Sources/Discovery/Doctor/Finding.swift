/// Something that was found out about discovery on this machine.
package struct Finding: Hashable, Sendable {
  /// How bad a finding is.
  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Discovery does not work, or not where it was asked for.
    case problem
    /// Something does not work, or will soon not.
    case warning
    /// Nothing is wrong, but it helps to understand what is found and what is not.
    case information
  }

  package let identifier: Identifier
  package let severity: Severity
  /// The names of the interfaces that it is about; empty for the whole machine.
  package let interfaces: [String]
  /// What was seen, as a sentence without a capital letter and full stop.
  package let seen: String
  /// Why it matters, as a sentence like ``seen``.
  package let reason: String
  /// What to do, in the order in which to try.
  package let remedies: [Remedy]

  package init(
    _ identifier: Identifier, _ severity: Severity, on interfaces: [String] = [], seen: String, because reason: String,
    remedies: [Remedy] = []
  ) {
    self.identifier = identifier
    self.severity = severity
    self.interfaces = interfaces
    self.seen = seen
    self.reason = reason
    self.remedies = remedies
  }

  /// What can be done.
  package enum Remedy: Hashable, Sendable {
    /// A command, to be run as root unless it says otherwise.
    case command(String)
    /// A command in which something has to be replaced, or whose program is not installed.
    case example(String)
    /// A sentence without a capital letter and full stop.
    case advice(String)
  }

  /// The names of findings. Programs rely on them: a name keeps its meaning.
  package enum Identifier: String, Hashable, Sendable, CaseIterable {
    // avahi-daemon and the system bus.
    case busMissing = "bus-missing"
    case busNotRunning = "bus-not-running"
    case busDenied = "bus-denied"
    case busHung = "bus-hung"
    case busLimit = "bus-limit"
    case busUnusable = "bus-unusable"
    case avahiNotInstalled = "avahi-not-installed"
    case avahiNotRunning = "avahi-not-running"
    case avahiNotOnBus = "avahi-not-on-bus"
    case avahiHung = "avahi-hung"
    case avahiDenied = "avahi-denied"
    case avahiNotReady = "avahi-not-ready"
    case avahiLimit = "avahi-limit"
    case avahiInterfaces = "avahi-interfaces"
    case avahiFamily = "avahi-family"
    case avahiSilent = "avahi-silent"
    case avahiDeaf = "avahi-deaf"
    // Port 5353.
    case portHeldAlone = "port-held-alone"
    case otherResponder = "other-responder"
    case receiveBufferDrops = "receive-buffer-drops"
    // Interfaces and addresses.
    case noInterface = "no-interface"
    case interfaceMissing = "interface-missing"
    case interfaceDown = "interface-down"
    case noCarrier = "no-carrier"
    case noAddress = "no-address"
    case noMulticastFlag = "no-multicast-flag"
    case otherSubnet = "other-subnet"
    case ipv4DuplicateAddress = "ipv4-duplicate-address"
    case ipv6Disabled = "ipv6-disabled"
    case ipv6NoLinkLocal = "ipv6-no-link-local"
    case ipv6DuplicateAddress = "ipv6-duplicate-address"
    // Sending and receiving.
    case noMulticastRoute = "no-multicast-route"
    case multicastRouteBlocked = "multicast-route-blocked"
    case sendingRefused = "sending-refused"
    case multicastNotHeard = "multicast-not-heard"
    case multicastRefused = "multicast-refused"
    case reversePathFilter = "reverse-path-filter"
    case packetLoss = "packet-loss"
    case multicastNotForwarded = "multicast-not-forwarded"
    case containerNetwork = "container-network"
    case reflector = "reflector"
    case nobodyAnswers = "nobody-answers"
    // Names.
    case hostNameTaken = "host-name-taken"
    case hostRenamed = "host-renamed"
    case hostNameGeneric = "host-name-generic"
    // Limits and the clock.
    case membershipLimit = "membership-limit"
    case fileLimit = "file-limit"
    case clockSetBack = "clock-set-back"
    case clockInThePast = "clock-in-the-past"
  }
}

/// The result of an examination.
package struct Report: Hashable, Sendable {
  /// What was found, the worst first.
  package let findings: [Finding]
  /// What is as it should be, in short.
  package let healthy: [String]
  /// What could not be seen, and why.
  package let unseen: [String]
  /// What came of trying discovery with the backend that is used here.
  package let trial: Trial

  /// What came of trying discovery.
  package enum Trial: Hashable, Sendable {
    /// Others were heard.
    case others
    /// What was sent came back, and nobody else was heard.
    case alone
    /// Others answer, and packets are lost.
    case unsteady
    /// It could not be tried.
    case none(reason: String)
  }

  package init(findings: [Finding], healthy: [String], unseen: [String], trial: Trial) {
    self.trial = trial
    let severities = Finding.Severity.allCases
    self.findings = severities.flatMap { severity in findings.filter { $0.severity == severity } }
    self.healthy = healthy
    self.unseen = unseen
  }

  /// Whether nothing was found that keeps discovery from working: no finding is a problem.
  package var isHealthy: Bool { count(.problem) == 0 }

  /// The number of findings of a severity.
  package func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }
}
