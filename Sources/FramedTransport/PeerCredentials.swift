import EventLoop
import Glibc

/// Which process is at the other end of a Unix-domain socket, as the kernel says (`SO_PEERCRED`, unix(7)).
///
/// They are those of the moment at which the peer connected, or began to listen. User and group can be relied upon; a process
/// may have ended since, and its number belong to another.
public struct PeerCredentials: Hashable, Sendable {
  /// The process; that of the service manager for a listener that was inherited. 0 for one outside this process's namespace.
  public let processID: Int32

  /// The effective user.
  public let userID: UInt32

  /// The effective group.
  public let groupID: UInt32
}

extension Socket {
  /// Who is at the other end of a Unix-domain socket; `nil` for others.
  func peerCredentials() -> PeerCredentials? {
    guard isLocal else { return nil }
    // The three numbers of `struct ucred`, which the C library shows to GNU programs only.
    var numbers: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: numbers))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &size) == 0 else { return nil }
    return PeerCredentials(processID: numbers.0, userID: numbers.1, groupID: numbers.2)
  }
}
