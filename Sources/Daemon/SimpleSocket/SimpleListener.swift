import CBonjourishLinux
import _BonjourishEventLoop

/// The listening socket of the simple protocol, which the daemon has made, or has been given by a service manager.
package struct SimpleListener: ~Copyable {
  /// Why there is no socket: one sentence without the program's name.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// Where libnss-mdns looks for it.
  package static let path = "/run/avahi-daemon/socket"

  let descriptor: OwnedDescriptor
  /// The file to remove at the end; nil for a socket of the service manager, which keeps it.
  let file: SocketFile?

  /// Listens at a path, in place of a socket that a daemon has left there. All users may connect.
  ///
  /// - Throws: ``Failure`` if something else is at the path, or it cannot be made.
  package init(at path: String = Self.path) throws(Failure) {
    do throws(SystemError) {
      var status = stat()
      if lstat(path, &status) == 0 {
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK) else { throw SystemError("bind", errno: EADDRINUSE) }
        try systemCall("unlink") { unlink(path) }
      }
      let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let opened = OwnedDescriptor(try systemCall("socket") { socket(AF_UNIX, type, 0) })
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw SystemError("bind", errno: ENAMETOOLONG) }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      try withUnsafePointer(to: &address) { address throws(SystemError) in
        let address = UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self)
        try systemCall("bind") { bind(opened.number, address, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
      try systemCall("chmod") { chmod(path, 0o666) }
      try systemCall("listen") { listen(opened.number, 4_096) }
      descriptor = opened
    } catch {
      throw Failure(description: "the socket \(path) cannot be made (\(error))")
    }
    file = SocketFile(path)
  }

  /// The socket that a service manager has opened (sd_listen_fds(3)); nil if it has opened none. The environment variables are removed.
  ///
  /// - Parameter first: Its descriptor; 3, the first after standard error, unless told.
  /// - Throws: ``Failure`` if there are several, or it is another kind of socket.
  package static func inherited(as first: CInt = 3) throws(Failure) -> SimpleListener? {
    let values = ["LISTEN_PID", "LISTEN_FDS"].map { (name: String) in getenv(name).map { String(cString: $0) } }
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"] { unsetenv(name) }
    guard let process = values[0], let count = values[1], pid_t(process) == getpid(), count != "0" else { return nil }
    guard count == "1" else {
      throw Failure(description: "the service manager has opened \(count) sockets; give one, ListenStream=\(path)")
    }
    let descriptor = OwnedDescriptor(first)
    do throws(SystemError) {
      try systemCall("fcntl") { linux_fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) }
      try systemCall("fcntl") { linux_fcntl(descriptor.number, F_SETFL, O_NONBLOCK) }
      let kind = [
        try option(SO_DOMAIN, of: descriptor), try option(SO_TYPE, of: descriptor), try option(SO_ACCEPTCONN, of: descriptor),
      ]
      guard kind == [AF_UNIX, CInt(SOCK_STREAM.rawValue), 1] else { throw SystemError("getsockopt", errno: ENOTSUP) }
    } catch {
      throw Failure(
        description: "the service manager's socket is not what ListenStream=\(path) with Accept=no gives (\(error))")
    }
    return SimpleListener(descriptor: descriptor, file: nil)
  }

  private init(descriptor: consuming OwnedDescriptor, file: SocketFile?) {
    self.descriptor = descriptor
    self.file = file
  }

  /// Gives up the descriptor.
  consuming func takeDescriptor() -> OwnedDescriptor { descriptor }

  private static func option(_ option: CInt, of descriptor: borrowing OwnedDescriptor) throws(SystemError) -> CInt {
    var value: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    let number = descriptor.number
    try systemCall("getsockopt") { getsockopt(number, SOL_SOCKET, option, &value, &size) }
    return value
  }
}

/// The file of a listening socket.
struct SocketFile {
  private let path: String
  private let device: dev_t
  private let node: ino_t

  /// Notes which file is at a path now; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.path = path
    (device, node) = (status.st_dev, status.st_ino)
  }

  /// Removes it, unless another daemon has replaced it.
  func remove() {
    var status = stat()
    guard lstat(path, &status) == 0, (status.st_dev, status.st_ino) == (device, node) else { return }
    unlink(path)
  }
}
