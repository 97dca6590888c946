import CBonjourishLinux
import _BonjourishEventLoop

/// A small file that belongs to one user alone: a state, a key, a remembered name.
///
/// Reading never waits and never follows a link: what is not a regular file of this user, or is larger than expected, is an error at
/// once. Writing is all or nothing: the new contents go to a new file with a random name beside it, which only its owner may read
/// and write (mode 0600), are synced to the disk, and take the former file's place; then the folder is synced too. A program
/// that is killed meanwhile leaves the former contents, and perhaps a file whose name ends in `.new`.
///
/// The folder must be this user's or root's, and nobody else may write to it: whoever can, could put another file in the place of this
/// one. A folder with the sticky bit, such as `/tmp`, will do: there only owners replace files.
public struct PrivateFile: Hashable, Sendable {
  /// The path of the file.
  public let path: String
  /// The largest size in bytes, for reading and writing.
  public let maximumSize: Int

  /// Names a file, which need not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the file. Its folder must exist when it is written.
  ///   - maximumSize: The largest size in bytes, at least 1.
  public init(_ path: String, maximumSize: Int) {
    precondition(maximumSize > 0, "maximumSize must be at least 1")
    self.path = path
    self.maximumSize = maximumSize
  }

  /// The path of the folder that the file is in.
  var folder: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  // MARK: - Reading

  /// Reads the contents; nil if the file does not exist.
  ///
  /// - Throws: ``PrivateFileError`` with code `notRegular`, `foreign` (also because of the folder), `tooLarge` or `unreadable`.
  public func read() throws(PrivateFileError) -> [UInt8]? {
    try contents(areSecret: false) { Array($0) }
  }

  /// Reads a secret, which nobody else may be able to read, and wipes its copies in memory; nil if the file does not exist.
  ///
  /// - Parameter body: Is given the bytes, which are valid until it returns.
  /// - Throws: ``PrivateFileError`` as ``read()``.
  package func readSecret<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(PrivateFileError) -> Result? {
    try contents(areSecret: true, body)
  }

  private func contents<Result>(
    areSecret: Bool, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(PrivateFileError) -> Result? {
    try checkFolder()
    guard let descriptor = try open() else { return nil }
    let size = try check(descriptor, areSecret ? .secret : .own)
    // One byte more than there should be, in case the file grows meanwhile.
    var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 1, alignment: 1)
    defer { Self.wipe(buffer) }
    var count = 0
    while count <= maximumSize {
      if count == buffer.count {
        let larger = UnsafeMutableRawBufferPointer.allocate(
          byteCount: min(max(2 * count, 4_096), maximumSize + 1), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
        Self.wipe(buffer)
        buffer = larger
      }
      let part = try reading { () throws(SystemError) in
        // Within the buffer, which is not full.
        try systemCall("read") { CBonjourishLinux.read(descriptor.number, buffer.baseAddress! + count, buffer.count - count) }
      }
      if part == 0 { return body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      count += part
    }
    throw .tooLarge(path, count, maximumSize)
  }

  private static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    explicit_bzero(buffer.baseAddress!, buffer.count)
    buffer.deallocate()
  }

  /// Checks that another program's part, such as a database, may read the file itself, unless it does not exist. It may belong to
  /// another user.
  ///
  /// - Throws: ``PrivateFileError`` with code `notRegular`, `tooLarge` or `unreadable`.
  public func check() throws(PrivateFileError) {
    guard let descriptor = try open() else { return }
    _ = try check(descriptor, .anybodys)
  }

  /// Checks that a program which opens the file itself, such as a database, may do so, and makes an empty file if there is none.
  ///
  /// - Throws: ``PrivateFileError`` with code `notRegular`, `foreign`, `tooLarge`, `unreadable` or `unwritable`.
  public func prepare() throws(PrivateFileError) {
    try checkFolder()
    if let descriptor = try open() {
      _ = try check(descriptor, .own)
      return
    }
    try writing { () throws(SystemError) in _ = try Self.make(path) }
  }

  /// Opens the file for reading; nil if it does not exist.
  private func open() throws(PrivateFileError) -> OwnedDescriptor? {
    do throws(SystemError) {
      return OwnedDescriptor(
        try systemCall("open") { linux_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0) })
    } catch {
      switch error.errno {
      case ENOENT: return nil
      case ELOOP: throw .notRegular(path, "a link")
      case ENXIO, ENODEV: throw .notRegular(path, "a socket or a device")
      default: throw PrivateFileError(.unreadable, errno: error.errno, "cannot read \(path): \(error.reason)")
      }
    }
  }

  /// Whose the file must be.
  private enum Owner {
    case anybodys, own
    /// Its owner's, and only they may read it.
    case secret
  }

  /// Checks an open file, and returns its size.
  private func check(_ descriptor: borrowing OwnedDescriptor, _ owner: Owner) throws(PrivateFileError) -> Int {
    var status = stat()
    let number = descriptor.number
    try reading { () throws(SystemError) in _ = try systemCall("fstat") { fstat(number, &status) } }
    try check(status, owner)
    guard status.st_size <= maximumSize else { throw .tooLarge(path, Int(status.st_size), maximumSize) }
    return Int(status.st_size)
  }

  private func check(_ status: stat, _ owner: Owner) throws(PrivateFileError) {
    switch Int32(status.st_mode) & Int32(S_IFMT) {
    case Int32(S_IFREG): break
    case Int32(S_IFIFO): throw .notRegular(path, "a FIFO")
    case Int32(S_IFDIR): throw .notRegular(path, "a folder")
    case Int32(S_IFLNK): throw .notRegular(path, "a link")
    default: throw .notRegular(path, "a socket or a device")
    }
    let isOwn = status.st_uid == geteuid() || status.st_uid == 0
    guard owner == .anybodys || isOwn, status.st_mode & 0o002 == 0 else {
      throw PrivateFileError(
        .foreign, "\(path) belongs to another user, or everybody may write to it; move it away, or name another file")
    }
    guard owner != .secret || (status.st_uid == geteuid() && status.st_mode & 0o077 == 0) else {
      throw PrivateFileError(
        .foreign, "others may read \(path), or it belongs to another user; if nobody has seen it, run: chmod 600 \(path)")
    }
  }

  // MARK: - Writing

  /// Replaces the contents.
  ///
  /// - Throws: ``PrivateFileError`` with code `notRegular` or `foreign` for what must not be replaced, `tooLarge` or `unwritable`. The
  ///   former contents are then unchanged.
  public func write(_ bytes: [UInt8]) throws(PrivateFileError) {
    // Renaming would replace a device, a FIFO or a link too.
    var status = stat()
    if lstat(path, &status) == 0 { try check(status, .own) }
    try put(bytes.span.bytes) { new throws(SystemError) in try systemCall("rename") { rename(new, path) } }
  }

  /// Makes the file, unless there is one.
  ///
  /// - Returns: Whether there was none. Otherwise it is unchanged.
  /// - Throws: ``PrivateFileError`` with code `tooLarge` or `unwritable`.
  package func create(_ bytes: RawSpan) throws(PrivateFileError) -> Bool {
    var isNew = true
    try put(bytes) { new throws(SystemError) in
      do throws(SystemError) {
        try systemCall("link") { link(new, path) }
      } catch {
        guard error.errno == EEXIST else { throw error }
        isNew = false
      }
      unlink(new)
    }
    return isNew
  }

  /// Writes a new file beside this one, and has it put in its place.
  private func put(_ bytes: RawSpan, by place: (String) throws(SystemError) -> Void) throws(PrivateFileError) {
    guard bytes.byteCount <= maximumSize else { throw .tooLarge(path, bytes.byteCount, maximumSize) }
    try checkFolder()
    try writing { () throws(SystemError) in
      let new = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16)).new"
      let descriptor = try Self.make(new)
      do throws(SystemError) {
        try write(bytes, to: descriptor.number)
        try systemCall("fsync") { fsync(descriptor.number) }
        try place(new)
      } catch {
        unlink(new)
        throw error
      }
      try syncFolder()
    }
  }

  /// Removes the file, if it exists.
  ///
  /// - Throws: ``PrivateFileError`` with code `unwritable`.
  public func remove() throws(PrivateFileError) {
    try writing { () throws(SystemError) in
      do throws(SystemError) {
        try systemCall("unlink") { unlink(path) }
      } catch {
        if error.errno == ENOENT { return }
        throw error
      }
      try syncFolder()
    }
  }

  /// Makes a file that does not exist.
  private static func make(_ path: String) throws(SystemError) -> OwnedDescriptor {
    OwnedDescriptor(
      try systemCall("open") { linux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) })
  }

  private func write(_ bytes: RawSpan, to descriptor: CInt) throws(SystemError) {
    var start = 0
    while start < bytes.byteCount {
      start += try systemCall("write") {
        bytes.extracting(start...).withUnsafeBytes { CBonjourishLinux.write(descriptor, $0.baseAddress, $0.count) }
      }
    }
  }

  /// Without this, a power failure could bring the former file back.
  private func syncFolder() throws(SystemError) {
    let descriptor = OwnedDescriptor(
      try systemCall("open") { linux_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) })
    do throws(SystemError) {
      try systemCall("fsync") { fsync(descriptor.number) }
    } catch {
      // Some file systems cannot sync folders.
      guard error.errno == EINVAL else { throw error }
    }
  }

  // MARK: - Errors

  private func reading<Result>(_ body: () throws(SystemError) -> Result) throws(PrivateFileError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw PrivateFileError(.unreadable, errno: error.errno, "cannot read \(path): \(error.reason)")
    }
  }

  private func writing<Result>(_ body: () throws(SystemError) -> Result) throws(PrivateFileError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw PrivateFileError(
        .unwritable, errno: error.errno,
        "cannot write \(path): \(error.reason); check that its folder exists and can be written to")
    }
  }
}
