import _BonjourishDiscovery
package import _BonjourishEventLoop
package import _BonjourishMulticastBackend
package import _BonjourishMulticastDNS

/// What is to be examined.
package struct DoctorRequest: Hashable, Sendable {
  /// The mDNS backend that has to work.
  package enum Backend: String, Hashable, Sendable {
    /// avahi-daemon while it runs, otherwise the built-in engine.
    case auto
    case avahi, builtin
  }

  package var backend: Backend
  /// The only interface; nil for all.
  package var interface: String?

  package init(backend: Backend = .auto, interface: String? = nil) {
    self.backend = backend
    self.interface = interface
  }
}

/// What was gathered about the machine. The findings follow from it alone.
package struct DoctorFacts: Sendable {
  package var request = DoctorRequest()
  package var machine = Machine()
  package var bus = BusFacts()
  package var interfaces: [InterfaceFacts] = []
  /// Whether the kernel has IPv6 at all.
  package var hasIPv6 = true
  /// The interfaces on which IPv6 is switched off (`disable_ipv6`).
  package var withoutIPv6: Set<String> = []
  package var routes: [Route] = []
  /// Why nothing can be sent to the group of IPv4 by a program that names no interface; nil if it can.
  package var groupRefusal: SystemError?
  /// The datagrams from addresses to which no route leads back, which `rp_filter` dropped during the examination.
  package var reversePathDrops = 0
  /// The addresses of this machine which another host has too.
  package var duplicates: [AddressConflict] = []
  /// The sockets at port 5353, without those of this program.
  package var sockets: [PortSocket] = []
  /// Whether the kernel told of its sockets.
  package var areSocketsKnown = true
  /// The same sockets, seconds later.
  package var socketsLater: [PortSocket] = []
  package var links: [LinkSurvey] = []
  /// What came of a question that avahi-daemon was given to ask; nil if it was not.
  package var trial: DaemonTrial.Result?
  package var limits = Limits()
  package var clock = ClockFacts()
  /// What could not be read, and why.
  package var unseen: [String] = []

  package init() {}
}

/// The machine, or the container, and its software.
package struct Machine: Hashable, Sendable {
  /// The name without a domain; empty if it cannot be read.
  package var hostName = ""
  /// The kind of container, such as "Docker"; nil outside of one, as far as can be seen.
  package var container: String?
  package var packages = PackageManager.unknown
  package var hasSystemd = false
  package var isRoot = false
  package var hasAvahi = false
  /// Whether `ufw` is switched on.
  package var hasUFW = false
  /// Those of ``usedTools`` that are not installed.
  package var missingTools: Set<String> = []
  /// The services that have a script in `/etc/init.d`.
  package var scripts: Set<String> = []

  /// The programs that remedies name.
  package static let usedTools = [
    "nft", "iptables-save", "ip6tables-save", "ip", "sysctl", "ss", "journalctl", "firewall-cmd", "ufw", "timedatectl",
  ]

  package init() {}

  /// The host's name in `.local`; nil for a name that many machines have.
  package var localName: DNSName? {
    guard !hostName.isEmpty, !hasGenericName else { return nil }
    return try? DNSName(labels: [Array(hostName.utf8), Array("local".utf8)])
  }

  package var hasGenericName: Bool { ["localhost", "(none)"].contains(hostName.lowercased()) }
}

/// The program that installs software.
package enum PackageManager: Hashable, Sendable {
  case apt, dnf, pacman, zypper, apk, unknown

  /// Reads the fields `ID` and `ID_LIKE` of `os-release`.
  package init(osRelease: String) {
    var words: [Substring] = []
    for line in osRelease.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "="), ["ID", "ID_LIKE"].contains(line[..<equals]) else { continue }
      words += line[equals...].dropFirst().split { $0 == " " || $0 == "\"" || $0 == "'" }
    }
    func isAny(_ names: Substring...) -> Bool { words.contains(where: names.contains) }
    self =
      if isAny("debian", "ubuntu") {
        .apt
      } else if isAny("fedora", "rhel", "centos") {
        .dnf
      } else if isAny("arch") {
        .pacman
      } else if isAny("suse", "opensuse", "opensuse-tumbleweed", "opensuse-leap") {
        .zypper
      } else if isAny("alpine") { .apk } else { .unknown }
  }

  /// The command that installs avahi-daemon.
  package var installingAvahi: String {
    switch self {
    case .apt: "apt install avahi-daemon"
    case .dnf: "dnf install avahi"
    case .pacman: "pacman -S avahi"
    case .zypper: "zypper install avahi"
    case .apk: "apk add avahi"
    case .unknown: "install avahi-daemon"
    }
  }
}

/// Limits of the system.
package struct Limits: Hashable, Sendable {
  /// The groups that a socket may join over IPv4 (`net.ipv4.igmp_max_memberships`); nil if unknown.
  package var memberships: Int?
  /// The descriptors that a process may have (`ulimit -n`); nil for no limit or if unknown.
  package var files: Int?
  /// The largest receive buffer in bytes that a program may ask for (`net.core.rmem_max`); nil if unknown.
  package var receiveBuffer: Int?
  /// The datagrams that were dropped because a receive buffer was full, since the machine started.
  package var drops = 0

  package init() {}
}

/// The clock, in seconds.
package struct ClockFacts: Hashable, Sendable {
  /// The time since 1970.
  package var now = 0
  /// By how much the clock was set back since avahi-daemon started; negative if it was set forward; nil if unknown.
  package var setBack: Int?

  package init() {}
}
