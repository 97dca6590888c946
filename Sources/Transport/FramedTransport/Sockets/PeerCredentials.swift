import CBonjourishLinux
import _BonjourishEventLoop

/// The process at the other end of a Unix-domain socket, from the kernel (`SO_PEERCRED`, unix(7)).
///
/// The kernel recorded them when the peer connected or began to listen. User and group are reliable. The process may have ended
/// since, and its ID may belong to another process.
public struct PeerCredentials: Hashable, Sendable {
  /// The process ID; for an inherited listener, that of the service manager. 0 for a process outside this process's namespace.
  public let processID: Int32

  /// The effective user ID.
  public let userID: UInt32

  /// The effective group ID.
  public let groupID: UInt32
}

extension Socket {
  /// The credentials of the peer of a Unix-domain socket; `nil` for other sockets.
  func peerCredentials() -> PeerCredentials? {
    guard isLocal else { return nil }
    // The three numbers of `struct ucred`, which the C library declares for _GNU_SOURCE only.
    var numbers: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: numbers))
    let result = try? systemCall("getsockopt") { getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &size) }
    guard result != nil else { return nil }
    return PeerCredentials(processID: numbers.0, userID: numbers.1, groupID: numbers.2)
  }
}
