import CBonjourishLinux
import _BonjourishEventLoop

/// A lock on a directory, for programs with this library that create and remove sockets in it.
///
/// A socket that is bound but does not listen yet looks like one of a dead process. So a program holds this lock while it binds
/// or removes a socket, for a few system calls. The system releases the lock when the process dies.
struct DirectoryLock: ~Copyable {
  private let descriptor: OwnedDescriptor

  private static let pause = Duration.milliseconds(2)
  private static let mostAttempts = 500

  private init(_ descriptor: CInt) {
    self.descriptor = OwnedDescriptor(descriptor)
  }

  /// Locks the directory of a file; waits up to a second.
  ///
  /// - Throws: `addressInUse` if another process holds the lock for that time; `cancelled`; an error if the directory does not
  ///   exist or cannot be read.
  static func take(around address: SocketAddress) async throws(TransportError) -> DirectoryLock {
    let attempt = "Listening at \(address)"
    guard let path = address.unixPath else { preconditionFailure("address must have a path") }
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor: CInt
    do throws(SystemError) {
      descriptor = try systemCall("open") { linux_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    } catch {
      throw TransportError(error, attempt, at: address)
    }
    let lock = DirectoryLock(descriptor)
    for _ in 0..<mostAttempts {
      do throws(SystemError) {
        if try lock.isTaken() { return lock }
      } catch {
        throw TransportError(error, attempt, at: address)
      }
      // The sleep ends early only if the task is cancelled.
      try? await Task.sleep(for: pause)
      if Task.isCancelled { throw .cancelled(attempt) }
    }
    let reason = "another program holds the lock of the directory; choose a directory that only this program uses"
    throw TransportError(.addressInUse, errno: EWOULDBLOCK, "\(attempt) failed: \(reason)")
  }

  /// Takes the lock if it is free.
  private func isTaken() throws(SystemError) -> Bool {
    do throws(SystemError) {
      try systemCall("flock") { flock(descriptor.number, LOCK_EX | LOCK_NB) }
      return true
    } catch  where error.errno == EWOULDBLOCK {
      return false
    }
  }

  /// Releases the lock.
  consuming func release() {}
}
