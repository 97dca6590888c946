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
      let descriptor = OwnedDescriptor(
        try systemCall("open") { linux_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0) })
      var status = stat()
      try systemCall("fstat") { fstat(descriptor.number, &status) }
      guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { throw SystemError("open", errno: EINVAL) }
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = try systemCall("read") { CBonjourishLinux.read(descriptor.number, &buffer, buffer.count) }
        guard count > 0 else { return bytes }
        bytes += buffer[..<count]
        guard bytes.count <= limit else { throw SystemError("read", errno: EFBIG) }
      }
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
