import CBonjourishLinux
import _BonjourishEventLoop

extension PrivateFile {
  /// Checks that nobody else can replace the file. A folder that does not exist has no file, and nothing can be written into it.
  func checkFolder() throws(PrivateFileError) {
    var status = stat()
    guard stat(folder, &status) == 0 else { return }
    let isOwn = status.st_uid == geteuid() || status.st_uid == 0
    let isShared = status.st_mode & 0o022 != 0 && status.st_mode & mode_t(S_ISVTX) == 0
    guard isOwn, !isShared else {
      throw PrivateFileError(
        .foreign,
        isOwn
          ? "others may write to \(folder), and so replace \(path); run: chmod go-w \(folder), or choose another folder"
          : "\(folder) belongs to another user, who can replace \(path); choose a folder of your own")
    }
  }
}
