import CBonjourishLinux
package import _BonjourishEventLoop

/// A lock for programs that read a file and then write it, and for those that run once.
///
/// It is for rare changes: who waits tries again every two milliseconds, and has no precedence over who comes later.
///
/// It is a lock on an empty file beside it, which stays: the file itself is replaced with each change, and a folder could be locked
/// by every user who may list it. The system releases the lock when the program ends. It
/// is released with the last reference.
package final class FileLock: Sendable {
  private static let pause = timespec(tv_sec: 0, tv_nsec: 2_000_000)

  private let descriptor: OwnedDescriptor

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - path: The path of the file beside, which is made if it does not exist, for its owner alone.
  ///   - limit: The longest time to wait for another program.
  /// - Throws: ``SystemError`` with `EWOULDBLOCK` if another program holds the lock for that time; others if the file cannot be
  ///   opened.
  package init(_ path: String, within limit: Duration) throws(SystemError) {
    descriptor = OwnedDescriptor(
      try systemCall("open") {
        linux_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
      })
    let end = ContinuousClock.now + limit
    while true {
      do throws(SystemError) {
        try systemCall("flock") { flock(descriptor.number, LOCK_EX | LOCK_NB) }
        return
      } catch {
        guard error.errno == EWOULDBLOCK, .now < end else { throw error }
      }
      var pause = Self.pause
      nanosleep(&pause, nil)
    }
  }
}
