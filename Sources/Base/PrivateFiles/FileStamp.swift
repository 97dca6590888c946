import CBonjourishLinux

/// What tells whether a file is still the one that was read: its identity, size and times.
///
/// Take it before the file is read: what is written in between is then read the next time.
package struct FileStamp: Hashable, Sendable {
  /// The time after a change in which another one may have the same times: a tick of the system's clock, and more.
  private static let doubtfulNanoseconds: Int64 = 50_000_000

  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let modified: Int64
  private let changed: Int64

  /// Looks at a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - followsLinks: Whether to look at what a link leads to.
  /// - Returns: `nil` if there is no file, or if it cannot be looked at.
  package init?(of path: String, followingLinks followsLinks: Bool) {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Whether each later change will have another stamp. Right after a change, the next one may get the same inode and time.
  package var isSettled: Bool {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return !(0...Self.doubtfulNanoseconds).contains(Self.nanoseconds(time) &- changed)
  }
}

extension PrivateFile {
  /// What tells whether the file has changed; `nil` if there is none.
  package var stamp: FileStamp? { FileStamp(of: path, followingLinks: false) }
}
