import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// Who uses port 5353.
extension DoctorFacts {
  var portFindings: [Finding] { heldAlone + otherResponders + drops }

  private var heldAlone: [Finding] {
    let families = IPAddress.Family.allCases.filter { family in
      links.contains { $0.link.family == family && $0.refusal?.errno == EADDRINUSE }
    }
    guard !families.isEmpty else { return [] }
    // A socket for IPv6 may hold the port for IPv4 too.
    let holders = sockets.filter { families.contains($0.family) || $0.family == .ipv6 }
    let owners = Set(holders.compactMap(\.owner)).sorted { $0.process < $1.process }
    let known = owners.isEmpty ? "a program that cannot be seen" : Self.list(owners.map(\.description))
    let isDaemon = bus.answers != nil && owners.allSatisfy { Self.daemonNames.contains($0.name) }
    var remedies: [Finding.Remedy] = []
    if isDaemon {
      remedies.append(.advice("use the daemon, or set disallow-other-stacks=no in /etc/avahi/avahi-daemon.conf"))
    } else {
      remedies += owners.isEmpty ? [.command("ss -ulpn 'sport = :5353'")] : []
      remedies.append(.advice("end \(owners.isEmpty ? "the program" : Self.list(owners.map(\.name))), or use avahi-daemon"))
    }
    return [
      Finding(
        .portHeldAlone, usesDaemon ? .information : workingLinks.isEmpty ? .problem : .warning,
        seen: "\(known) does not share UDP port 5353 (\(Self.list(families.map(Self.name))))",
        because: "mDNS programs share the port (RFC 6762 section 15.1); no other can receive anything there", remedies: remedies
      )
    ]
  }

  /// Other programs that answer for this machine.
  private var otherResponders: [Finding] {
    let responders = ["systemd-resolve": "systemd-resolved", "mdnsd": "mdnsd", "mDNSResponder": "mDNSResponder"]
    return Set(sockets.compactMap(\.owner).compactMap { responders[$0.name] }).sorted().map { name in
      Finding(
        .otherResponder, .information, seen: "\(name) answers for this machine too",
        because: "two responders of one machine publish its name and addresses twice, and may take each other for another host",
        remedies: name == "systemd-resolved"
          ? [.advice("if avahi-daemon is used, set MulticastDNS=no in /etc/systemd/resolved.conf")] : [])
    }
  }

  /// What the built-in engine asks for, in bytes.
  private static let largeBuffer = 4 << 20

  private var drops: [Finding] {
    let former = Dictionary(sockets.map { ($0.inode, $0.drops) }) { first, _ in first }
    let all = (socketsLater.isEmpty ? sockets : socketsLater).filter { $0.drops > 0 }
    let owners = Set(all.map { $0.owner?.description ?? "a program that cannot be seen" }).sorted()
    let count = all.reduce(0) { $0 + $1.drops }
    let isGrowing = all.contains { $0.drops > former[$0.inode] ?? $0.drops }
    guard count > 0 else { return [] }
    var remedies: [Finding.Remedy] = [.advice("see whether the program hangs or is too busy")]
    if let size = limits.receiveBuffer, size < Self.largeBuffer {
      remedies += [
        .advice("allow programs larger receive buffers than \(size) bytes:"),
        .command("sysctl -w net.core.rmem_max=\(Self.largeBuffer)"),
      ]
    }
    return [
      Finding(
        .receiveBufferDrops, isGrowing ? .warning : .information,
        seen:
          "\(count) datagrams to port 5353 were dropped\(isGrowing ? ", some just now," : "") because the receive buffer of "
          + "\(Self.list(owners)) was full; \(limits.drops) of all UDP",
        because: "what others say is lost, so services appear late, or do not appear",
        remedies: remedies)
    ]
  }
}
