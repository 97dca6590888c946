import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// Limits of the system, and the clock.
extension DoctorFacts {
  var limitFindings: [Finding] { membershipFindings + fileFindings }

  // IPv6 has no such limit.
  private var membershipCount: Int { links.count { $0.link.family == .ipv4 } }

  /// Whether avahi-daemon, which has one socket, cannot receive on all interfaces.
  var exceedsMemberships: Bool { limits.memberships.map { membershipCount > $0 } ?? false }

  private var membershipFindings: [Finding] {
    guard let limit = limits.memberships else { return [] }
    let count = membershipCount
    let isRefused = links.contains { $0.link.family == .ipv4 && $0.refusal?.isMembershipLimit == true }
    // Near: four fifths.
    guard isRefused || (count > 1 && count * 5 > limit * 4) else { return [] }
    let severity: Finding.Severity =
      isRefused ? (workingLinks.isEmpty ? .problem : .warning) : exceedsMemberships && usesDaemon ? .warning : .information
    return [
      Finding(
        .membershipLimit, severity,
        seen: "a socket may join \(limit) group\(limit == 1 ? "" : "s"), one for each interface "
          + "(net.ipv4.igmp_max_memberships), and \(count) interface\(count == 1 ? " is" : "s are") used",
        because: isRefused
          ? "the group of mDNS cannot be joined everywhere"
          : "avahi-daemon has one socket for all interfaces, and is deaf on those beyond the limit; Bonjourish opens more sockets",
        remedies: [.command("sysctl -w net.ipv4.igmp_max_memberships=\(max(64, 2 * count))")])
    ]
  }

  private var fileFindings: [Finding] {
    guard let files = limits.files, files < 64 else { return [] }
    return [
      Finding(
        .fileLimit, .warning, seen: "a process may have \(files) open files", because: "discovery alone needs a dozen",
        remedies: [.command("ulimit -n 1024")])
    ]
  }

  /// 1 January 2025.
  private static let past = 1_735_689_600
  /// The seconds within which the start of a process and the clock may differ.
  private static let tolerance = 10

  var clockFindings: [Finding] {
    var findings: [Finding] = []
    // bonjourishd's timers do not use the clock.
    if let setBack = clock.setBack, setBack > Self.tolerance, bus.answers != nil, daemonName == "avahi-daemon" {
      findings.append(
        Finding(
          .clockSetBack, .warning, seen: "the clock was set back by \(setBack) seconds since avahi-daemon started",
          because: "its timers use the clock, and may be late by as much: services are then announced and renewed too late",
          remedies: [restartOfDaemon]))
    }
    if clock.now < Self.past {
      findings.append(
        Finding(
          .clockInThePast, .warning, seen: "the clock is years late",
          because: "mDNS does not mind, but encrypted connections to found services fail: certificates are not valid yet",
          remedies: [.command("timedatectl set-ntp true")]))
    }
    return findings
  }
}
