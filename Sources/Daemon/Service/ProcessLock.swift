import CBonjourishLinux
import _BonjourishEventLoop
import _BonjourishPrivateFiles

/// The lock that makes a process the daemon of its machine. It is taken before anything is bound, written or removed, and held until the
/// process ends, however it ends. So of two daemons that are started in the same moment, one changes nothing.
///
/// Its file is for the daemon's user alone: every user who could open it could lock it, and keep the daemon from starting. It stays,
/// because a lock on a file that was removed excludes nobody.
package struct ProcessLock: Sendable {
  /// Beside the PID file.
  package static let path = "/run/avahi-daemon/lock"
  /// The longest time to wait for a program that only looks whether the lock is held.
  private static let limit: Duration = .milliseconds(200)

  private let lock: FileLock

  /// Takes the lock.
  ///
  /// - Parameter path: The path of its file, in a folder that exists and that only the daemon's user may write to.
  /// - Throws: ``ServiceProcess/Failure`` if another process has it, or the file cannot be made.
  package init(_ path: String = Self.path) throws(ServiceProcess.Failure) {
    do throws(SystemError) {
      do throws(SystemError) {
        lock = try FileLock(path, within: Self.limit)
      } catch {
        // A daemon of another user has left it. That none runs was looked up before, and the folder is this user's.
        guard error.errno == EACCES else { throw error }
        try systemCall("unlink") { unlink(path) }
        lock = try FileLock(path, within: Self.limit)
      }
    } catch {
      guard error.errno != EWOULDBLOCK else {
        throw ServiceProcess.Failure("another daemon runs already, or is just starting; end it with bonjourishd --kill")
      }
      throw ServiceProcess.Failure("the lock \(path) cannot be taken (\(error)); does its folder belong to the daemon's user?")
    }
  }

  /// Whether a process has the lock; nil if this user may not know.
  package static func isHeld(_ path: String = Self.path) -> Bool? {
    // Looking makes no file.
    guard access(path, F_OK) == 0 else { return false }
    do throws(SystemError) {
      _ = try FileLock(path, within: .zero)
      return false
    } catch {
      return error.errno == EWOULDBLOCK ? true : nil
    }
  }
}
