import CLinux
import EventLoop
import Glibc

/// Keeps programs of this library apart that make and remove sockets in one directory.
///
/// A socket that is bound and does not listen yet looks like one that is left over. So whoever listens, and whoever removes what
/// is left over, holds a lock on the directory, for a few system calls; the system takes it back from those who die.
struct DirectoryLock: ~Copyable {
  private let descriptor: CInt

  private static let pause = Duration.milliseconds(2)
  private static let mostAttempts = 500

  private init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Locks the directory of a file, waiting for others up to a second.
  ///
  /// - Throws: `addressInUse` when somebody holds the lock all the time; `cancelled`; and when there is no such directory, or it
  ///   cannot be read.
  static func take(around address: SocketAddress) async throws(TransportError) -> DirectoryLock {
    let attempt = "Listening at \(address)"
    guard let path = address.unixPath else { preconditionFailure("An abstract name has no directory") }
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor: CInt
    do throws(SystemError) {
      descriptor = try systemCall("open") { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
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
      // Ends early only when the task is cancelled.
      try? await Task.sleep(for: pause)
      if Task.isCancelled { throw .cancelled(attempt) }
    }
    let reason = "another program holds the directory's lock; choose a directory of your own"
    throw TransportError(.addressInUse, errno: EWOULDBLOCK, "\(attempt) failed: \(reason)")
  }

  /// Takes the lock, if it is free.
  private func isTaken() throws(SystemError) -> Bool {
    do throws(SystemError) {
      try systemCall("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch  where error.errno == EWOULDBLOCK {
      return false
    }
  }

  /// Lets others have it.
  consuming func release() {}

  deinit {
    close(descriptor)
  }
}
