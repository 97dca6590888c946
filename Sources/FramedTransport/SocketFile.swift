import CLinux
import EventLoop
import Glibc

/// The file that a Unix-domain socket listens at, which has to be there for as long and no longer.
struct SocketFile: Sendable {
  private let path: String
  private let identity: Identity

  /// Which file it is, whatever its name.
  private struct Identity: Equatable {
    let device: dev_t
    let inode: ino_t

    /// The file at a path; `nil` when there is no socket.
    init?(ofSocketAt path: String) {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
      device = status.st_dev
      inode = status.st_ino
    }
  }

  /// Makes a socket listen at its file, in the place of one that is left over, and lets only certain users connect.
  ///
  /// The caller holds the lock on the directory. Until the socket listens nobody can connect, so the permissions come in time.
  init(listening socket: borrowing Socket, at address: SocketAddress, permissions: UInt16) throws(TransportError) {
    let attempt = "Listening at \(address)"
    guard let path = address.unixPath else { preconditionFailure("An abstract name has no file") }
    do throws(SystemError) {
      do throws(SystemError) {
        try socket.bind(to: address)
      } catch  where error.errno == EADDRINUSE {
        try Self.removeLeftOver(at: address)
        try socket.bind(to: address)
      }
    } catch {
      if error.errno == EADDRINUSE, Identity(ofSocketAt: path) == nil {
        let reason = "there is a file that is no socket; remove it, or choose another path"
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
      unlink(path)
      throw TransportError(error, attempt, at: address)
    }
  }

  /// Removes the file, unless another has taken its place. To be called while the socket still listens, so that nobody takes it
  /// for left over meanwhile.
  func remove() {
    if Identity(ofSocketAt: path) == identity { unlink(path) }
  }

  /// Removes a socket's file if nobody listens at it, because the process that did ended without doing so.
  ///
  /// - Throws: `EADDRINUSE` when it is no socket, or somebody listens.
  private static func removeLeftOver(at address: SocketAddress) throws(SystemError) {
    guard let path = address.unixPath, Identity(ofSocketAt: path) != nil else { throw SystemError("bind", errno: EADDRINUSE) }
    let probe = try Socket(.unix)
    do throws(SystemError) {
      try probe.beginConnecting(to: address)
    } catch  where error.errno == ECONNREFUSED {
      try systemCall("unlink") { unlink(path) }
      return
    } catch {}
    // Connected, or refused for another reason than that nobody is there.
    throw SystemError("bind", errno: EADDRINUSE)
  }
}
