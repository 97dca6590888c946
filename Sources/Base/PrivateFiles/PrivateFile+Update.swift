import CBonjourishLinux
import _BonjourishEventLoop

extension PrivateFile {
  /// Replaces the contents with what a closure makes of them, while no other program does the same.
  ///
  /// An empty file whose name ends in `.lock` stays beside the file.
  ///
  /// - Parameters:
  ///   - limit: The longest time to wait for other programs, which blocks the thread.
  ///   - failure: Converts an error of the file.
  ///   - body: Returns the new contents, or nil to leave the file as it is. It is given nil if there is no file.
  /// - Throws: Errors as ``read()`` and ``write(_:)``, code `unwritable` if another program changes the file for all that time; and
  ///   what the closure throws.
  package func update<Failure>(
    within limit: Duration = .seconds(5), _ failure: (PrivateFileError) -> Failure,
    _ body: ([UInt8]?) throws(Failure) -> [UInt8]?
  ) throws(Failure) {
    let lock: FileLock?
    let former: [UInt8]?
    do throws(PrivateFileError) {
      lock = try self.lock(within: limit)
      former = try read()
    } catch {
      throw failure(error)
    }
    defer { withExtendedLifetime(lock) {} }
    guard let new = try body(former) else { return }
    do throws(PrivateFileError) { try write(new) } catch { throw failure(error) }
  }

  /// Takes the lock; nil if there is no folder, and so nothing to lock.
  private func lock(within limit: Duration) throws(PrivateFileError) -> FileLock? {
    do throws(SystemError) {
      return try FileLock("\(path).lock", within: limit)
    } catch {
      switch error.errno {
      case ENOENT: return nil
      case EWOULDBLOCK:
        throw PrivateFileError(
          .unwritable, "cannot change \(path): another program holds the lock \(path).lock for too long; end that program")
      default:
        throw PrivateFileError(
          .unwritable, errno: error.errno,
          "cannot lock \(path) with \(path).lock: \(error.reason); check that it is a file of your own, and that its folder can be "
            + "written to")
      }
    }
  }
}
