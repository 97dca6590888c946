import CBonjourishLinux
package import _BonjourishDaemonConfiguration
import _BonjourishEventLoop

/// Reads small files of the administrator whole.
package enum BoundedFile {
  /// Reads a regular file. A FIFO or a device could hang, or never end.
  ///
  /// - Parameter limit: The most bytes.
  /// - Returns: Nil if there is no such file.
  /// - Throws: ``SettingsError`` if it cannot be read, is no regular file, or is larger.
  package static func read(_ path: String, limit: Int = 1 << 20) throws(SettingsError) -> [UInt8]? {
    do throws(SystemError) {
      let bytes = try readFile(path, upTo: limit + 1, mustBeRegular: true)
      guard bytes.count <= limit else { throw SystemError("read", errno: EFBIG) }
      return bytes
    } catch {
      switch error.errno {
      case ENOENT: return nil
      case EINVAL: throw SettingsError(path, "it is no regular file")
      case EFBIG: throw SettingsError(path, "it has more than \(limit) bytes")
      default: throw SettingsError(path, "it cannot be read (\(error))", isPassing: error.isPassing)
      }
    }
  }
}

extension SystemError {
  /// Whether a file may be read the next time: the machine or the process lacks something now, or a disk or a server does not answer.
  var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EIO, EAGAIN, ESTALE, ETIMEDOUT].contains(errno) }
}
