import CLinux
import CSodium
import EventLoop

/// A small file that only its owner may read, and that is never seen half-written.
///
/// Links are not followed, and a pipe or a device is an error at once. A new version gets a random name, is written and synced, and
/// then takes the place of the old one; the folder is synced, too (rename(2), fsync(2)).
struct PrivateFile {
  let path: String
  /// The most bytes that are read.
  let limit: Int

  /// The folder, as a path for `open`.
  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Reads the file.
  ///
  /// - Parameter isSecret: Whether others must not be able to read it.
  /// - Returns: The content; `nil` if there is no file.
  /// - Throws: `ELOOP` for a symbolic link, `ENOTSUP` if it is no ordinary file, `EFBIG` if it is too large, `EPERM` if a secret
  ///   belongs to another user or others may read it; other errors of the system.
  func read(isSecret: Bool) throws(SystemError) -> SecretBytes? {
    let descriptor: CInt
    do throws(SystemError) {
      descriptor = try systemCall("open") { linux_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0) }
    } catch  where error.errno == ENOENT {
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    try systemCall("fstat") { fstat(descriptor, &status) }
    guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { throw SystemError("open", errno: ENOTSUP) }
    if isSecret, status.st_mode & 0o077 != 0 || status.st_uid != geteuid() { throw SystemError("open", errno: EPERM) }
    guard status.st_size <= limit else { throw SystemError("open", errno: EFBIG) }
    // One more than allowed, to notice a file that has grown.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 1, alignment: 1)
    defer {
      sodium_memzero(buffer.baseAddress, buffer.count)
      buffer.deallocate()
    }
    var count = 0
    while count < buffer.count {
      let part = try systemCall("read") {
        CLinux.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
      }
      if part == 0 { break }
      count += part
    }
    guard count <= limit else { throw SystemError("read", errno: EFBIG) }
    return SecretBytes(buffer[..<count])
  }

  /// Writes a new file, which takes the place of the old one.
  ///
  /// - Parameter replacing: Whether there may be an old one; otherwise the error is `EEXIST`, and the old one stays.
  func write(_ bytes: SecretBytes, replacing: Bool) throws(SystemError) {
    let new = "\(path).\(Base32.encode(SecretBytes.random(count: 10).exposed)).new"
    let descriptor = try systemCall("open") { linux_open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    defer { unlink(new) }
    try Self.write(bytes, toAndClose: descriptor)
    if replacing {
      try systemCall("rename") { rename(new, path) }
    } else {
      try systemCall("link") { link(new, path) }
    }
    try syncFolder()
  }

  private static func write(_ bytes: SecretBytes, toAndClose descriptor: CInt) throws(SystemError) {
    defer { close(descriptor) }
    var count = 0
    while count < bytes.count {
      count += try systemCall("write") { bytes.withBytes { CLinux.write(descriptor, $0 + count, bytes.count - count) } }
    }
    try systemCall("fsync") { fsync(descriptor) }
  }

  private func syncFolder() throws(SystemError) {
    let descriptor = try systemCall("open") { linux_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    defer { close(descriptor) }
    try systemCall("fsync") { fsync(descriptor) }
  }
}
