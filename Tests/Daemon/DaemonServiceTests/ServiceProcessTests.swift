import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDaemonConfiguration
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

  @Test func `a folder that cannot be made is told with the reason`() {
    let (path, owner) = (folder.path + "/none/run", ServiceProcess.Account.ofProcess)
    let failure = #expect(throws: ServiceProcess.Failure.self) { try ServiceProcess.makeFolder(path, for: owner) }
    let reason = "\(SystemError("mkdir", errno: ENOENT))"
    #expect(
      failure?.description
        == "the folder \(path) cannot be made for the daemon's user (\(reason)); remove what is there")
  }

  /// A user without rights, as on most systems.
  private static let nobody = ServiceProcess.Account(name: "nobody", user: 65_534, group: 65_534)

  /// Whether this process may make files another user's. In a container it may be root, and know of no other user.
  private static let mayGiveAway: Bool = {
    guard geteuid() == 0, let bytes = try? readFile("/proc/self/uid_map", upTo: 4_096) else { return false }
    return String(decoding: bytes, as: UTF8.self).contains("4294967295")
  }()

  @Test(.enabled(if: mayGiveAway)) func `a folder is made for the daemon's user, and one of root becomes theirs`() throws {
    for isThere in [false, true] {
      let path = "\(self.path)-\(isThere)"
      if isThere { try systemCall("mkdir") { mkdir(path, 0o700) } }
      try ServiceProcess.makeFolder(path, for: Self.nobody)
      var status = stat()
      try systemCall("stat") { stat(path, &status) }
      #expect(status.st_uid == 65_534 && status.st_gid == 65_534)
    }
  }

  @Test func `the user of the daemon is avahi, and told if there is none`() {
    do throws(ServiceProcess.Failure) {
      let account = try ServiceProcess.Account.ofDaemon()
      #expect(account.name == "avahi" && account.user > 0 && account.group > 0)
    } catch {
      #expect(error.description == "there is no user and group \"avahi\"; make them, or use --no-drop-root")
    }
    let own = ServiceProcess.Account.ofProcess
    #expect(own.user == geteuid() && own.group == getegid())
  }

  @Test func `the ID of the machine is the one of its file`() throws {
    let file = try? readFile("/etc/machine-id", upTo: 32)
    // A machine without one may have that of the bus.
    guard let file, file.count == 32 else { return }
    #expect(ServiceProcess.machineID == String(decoding: file, as: UTF8.self).lowercased())
  }

  // MARK: - In a process of its own

  @Test func `rights that are given up are gone`() async {
    await #expect(processExitsWith: .success) {
      do throws(ServiceProcess.Failure) {
        try ServiceProcess.become(ServiceProcessTests.nobody)
      } catch {
        // Not as root, or in a container that has no such user.
        let (start, end) = ("the process cannot become the user \"nobody\" (", "); start it as root, or use --no-drop-root")
        #expect(!ServiceProcessTests.mayGiveAway && error.description.hasPrefix(start) && error.description.hasSuffix(end))
        return
      }
      // The real, the effective and the saved one, and that of files (proc(5)). The daemon has no other thread then.
      let status = String(decoding: try readFile("/proc/thread-self/status"), as: UTF8.self)
      for name in ["Uid", "Gid"] { #expect(status.contains("\n\(name):\t65534\t65534\t65534\t65534\n")) }
      #expect(seteuid(0) != 0 && getgroups(0, nil) <= 1)
    }
  }

  @Test func `the process has the limits of the configuration, and one that it cannot have is told`() async {
    await #expect(processExitsWith: .success) {
      let numbers: [ResourceLimit: UInt32] = [
        .addressSpace: UInt32(RLIMIT_AS.rawValue), .core: UInt32(RLIMIT_CORE.rawValue), .data: UInt32(RLIMIT_DATA.rawValue),
        .fileSize: UInt32(RLIMIT_FSIZE.rawValue), .openFiles: UInt32(RLIMIT_NOFILE.rawValue),
        .processes: UInt32(__RLIMIT_NPROC.rawValue), .stack: UInt32(RLIMIT_STACK.rawValue),
      ]
      // No more than there is by default.
      let wanted: [ResourceLimit: UInt64] = [
        .addressSpace: 1 << 46, .core: 0, .data: 1 << 45, .fileSize: 1 << 40, .openFiles: 201, .processes: 1_001,
        .stack: 1 << 22,
      ]
      #expect(ServiceProcess.limit(wanted) == [])
      for (limit, number) in numbers {
        var now = rlimit()
        #expect(getrlimit(__rlimit_resource_t(number), &now) == 0)
        #expect(now.rlim_cur == rlim_t(wanted[limit]!) && now.rlim_max == rlim_t(wanted[limit]!), "\(limit)")
      }
      #expect(ServiceProcess.openFiles == 201)
      let reason = SystemError("setrlimit", errno: EPERM)
      #expect(
        ServiceProcess.limit([.openFiles: .max, .core: 0])
          == ["rlimit-nofile=18446744073709551615 cannot be set (\(reason))"])
    }
  }

  @Test func `signals that the daemon does not use do not end it`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      ServiceProcess.ignoreSignals()
      for signal in [SIGPIPE, SIGHUP, SIGUSR1] { kill(getpid(), signal) }
      exit(7)
    }
  }
}
