import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import _BonjourishDaemonService

struct ServiceProcessTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/run" }

  init() throws { folder = try TemporaryFolder() }

  /// Debian's script for avahi-daemon followed a link in the folder that the daemon's user could write to, as root.
  @Test func `CVE-2021-26720: a link in place of the folder is not followed, and nothing behind it is changed`() throws {
    try systemCall("mkdir") { mkdir(folder.path + "/target", 0o700) }
    var before = stat()
    try systemCall("stat") { stat(folder.path + "/target", &before) }
    try systemCall("symlink") { symlink(folder.path + "/target", path) }
    let owner = ServiceProcess.Account(name: "", user: geteuid(), group: getegid())
    let failure = #expect(throws: ServiceProcess.Failure.self) { try ServiceProcess.makeFolder(path, for: owner) }
    #expect(failure?.description.contains("remove what is there") == true)
    var after = stat()
    try systemCall("stat") { stat(folder.path + "/target", &after) }
    #expect((before.st_uid, before.st_mode) == (after.st_uid, after.st_mode))
  }

  @Test func `CVE-2021-26720: links in place of the PID file and the lock are not followed`() throws {
    for name in ["pid", "lock"] { try systemCall("symlink") { symlink(folder.path + "/target", folder.path + "/" + name) } }
    #expect(throws: ServiceProcess.Failure.self) { _ = try ProcessLock(folder.path + "/lock") }
    // The file is this one's, in place of the link.
    _ = try ProcessFile(folder.path + "/pid")
    var status = stat()
    try systemCall("lstat") { lstat(folder.path + "/pid", &status) }
    #expect(status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG))
    #expect(try folder.contents().sorted() == ["lock", "pid"])
  }

  @Test func `a folder is made, and one that is there is kept`() throws {
    let owner = ServiceProcess.Account(name: "", user: geteuid(), group: getegid())
    // Of the whole process: files that other tests make meanwhile stay their user's.
    let mask = umask(0o077)
    defer { umask(mask) }
    for _ in 0..<2 { try ServiceProcess.makeFolder(path, for: owner) }
    var status = stat()
    try systemCall("stat") { stat(path, &status) }
    #expect(status.st_uid == geteuid() && status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR))
    #expect(status.st_mode & 0o777 == 0o755)
  }
}
