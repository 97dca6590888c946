#if Avahi
import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop

/// Whether avahi-daemon is in this process's network.
///
/// A container that is given the bus of its host (`-v /run/dbus:/run/dbus`) talks to a daemon in another network namespace. The
/// daemon's interfaces are then not those of this process.
package final class DaemonNetwork: Sendable {
  private let isElsewhere = Locked(false)
  private let isElsewhereNow: @Sendable () -> Bool

  /// - Parameter isElsewhereNow: Finds out whether the daemon that runs now is in another network namespace; nil to look for its port.
  package init(_ isElsewhereNow: (@Sendable () -> Bool)? = nil) {
    self.isElsewhereNow = isElsewhereNow ?? { Self.findsNoResponder() }
  }

  /// Whether the daemon is known to be in another network namespace.
  package var isForeign: Bool { isElsewhere.withLock { $0 } }

  /// Finds out where the daemon that runs now is.
  func refresh() {
    let isElsewhere = isElsewhereNow()
    self.isElsewhere.withLock { $0 = isElsewhere }
  }

  /// Whether no other process of this network has the port of mDNS, as the daemon would. False when that cannot be found out.
  private static func findsNoResponder() -> Bool {
    let tables = ["/proc/self/net/udp", "/proc/self/net/udp6"].compactMap { path in
      (try? readFile(path)).map { String(decoding: $0, as: UTF8.self) }
    }
    return !tables.isEmpty && ownSockets().isSuperset(of: tables.flatMap { inodes(ofPort: 5353, in: $0) })
  }

  /// The inodes of the sockets with a local port, from the kernel's table of UDP sockets (proc_pid_net(5)).
  static func inodes(ofPort port: UInt16, in table: String) -> [UInt64] {
    table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 9, let text = fields[1].split(separator: ":").last, UInt16(text, radix: 16) == port else {
        return nil
      }
      return UInt64(fields[9])
    }
  }

  /// The inodes of this process's sockets (proc_pid_fd(5)).
  static func ownSockets() -> Set<UInt64> {
    var inodes: Set<UInt64> = []
    var status = stat()
    for name in (try? listFolder("/proc/self/fd")) ?? [] {
      guard let descriptor = CInt(name), fstat(descriptor, &status) == 0 else { continue }
      if status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK) { inodes.insert(UInt64(status.st_ino)) }
    }
    return inodes
  }
}

extension Reach {
  /// What is known while the daemon is in another network namespace.
  static let ofDaemonElsewhere = Reach(
    causes: [
      Cause(.daemonElsewhere, "avahi-daemon is in another network namespace, whose interfaces are not known here")
    ])
}
#endif
