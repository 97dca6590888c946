import CBonjourishLinux
import _BonjourishEventLoop

/// The file of a listening Unix-domain socket. It exists as long as the socket listens.
struct SocketFile: Sendable {
  private let path: String
  private let identity: Identity

  /// The identity of a file, whatever its name.
  private struct Identity: Equatable {
    let device: dev_t
    let inode: ino_t

    /// The identity of the file at a path; `nil` if it is not a socket.
    init?(ofSocketAt path: String) {
      var status = stat()
      guard (try? systemCall("lstat") { lstat(path, &status) }) != nil, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK)
      else { return nil }
      device = status.st_dev
      inode = status.st_ino
    }
  }

  /// Makes a socket listen at a path, replaces the file of a dead process, and sets the permissions.
  ///
  /// The caller holds the lock on the directory. No peer can connect before the socket listens, so the permissions are set in
  /// time.
  init(listening socket: borrowing Socket, at address: SocketAddress, permissions: UInt16) throws(TransportError) {
    let attempt = "Listening at \(address)"
    guard let path = address.unixPath else { preconditionFailure("address must have a path") }
    do throws(SystemError) {
      do throws(SystemError) {
        try socket.bind(to: address)
      } catch  where error.errno == EADDRINUSE {
        try Self.removeLeftOver(at: address)
        try socket.bind(to: address)
      }
    } catch {
      if error.errno == EADDRINUSE, Identity(ofSocketAt: path) == nil {
        let reason = "the path is a file that is not a socket; remove it, or choose another path"
        throw TransportError(.addressInUse, errno: EADDRINUSE, "\(attempt) failed: \(reason)")
      }
      throw TransportError(error, attempt, at: address)
    }
    do throws(SystemError) {
      try systemCall("chmod") { chmod(path, mode_t(permissions)) }
      try socket.listen()
      guard let identity = Identity(ofSocketAt: path) else { throw SystemError("lstat", errno: ENOENT) }
      self.path = path
      self.identity = identity
    } catch {
      _ = try? systemCall("unlink") { unlink(path) }
      throw TransportError(error, attempt, at: address)
    }
  }

  /// Removes the file, unless another has replaced it. Called while the socket still listens, so that no other program takes the
  /// file for that of a dead process.
  func remove() {
    // A file that cannot be removed is replaced by the next listener.
    if Identity(ofSocketAt: path) == identity { _ = try? systemCall("unlink") { unlink(path) } }
  }

  /// Removes a socket's file if no process listens at it.
  ///
  /// - Throws: `EADDRINUSE` if the file is not a socket or a process listens at it.
  private static func removeLeftOver(at address: SocketAddress) throws(SystemError) {
    guard let path = address.unixPath, Identity(ofSocketAt: path) != nil else { throw SystemError("bind", errno: EADDRINUSE) }
    let probe = try Socket(.unix)
    do throws(SystemError) {
      try probe.beginConnecting(to: address)
    } catch  where error.errno == ECONNREFUSED {
      try systemCall("unlink") { unlink(path) }
      return
    } catch {}
    // Connected, or failed for another reason: a process may listen.
    throw SystemError("bind", errno: EADDRINUSE)
  }
}
