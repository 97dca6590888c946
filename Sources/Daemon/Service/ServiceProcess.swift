import CBonjourishLinux
package import _BonjourishDaemonConfiguration
import _BonjourishEventLoop

/// What a daemon does with its own process before it begins to serve.
package enum ServiceProcess {
  /// The user and the group that the daemon runs as.
  package static let user = "avahi"

  /// Why the process cannot be made what it has to be; one sentence without the program's name.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package init(alreadyRunning process: Int32) {
      self.init(
        "the daemon runs already, as process \(process); end it with bonjourishd --kill, or systemctl stop avahi-daemon")
    }
  }

  /// Makes the folder of the socket and the PID file, for the daemon's user.
  ///
  /// - Throws: ``Failure`` if it is not there afterwards, or belongs to somebody else.
  package static func makeFolder(_ path: String, for owner: Account) throws(Failure) {
    do throws(SystemError) {
      if mkdir(path, 0o755) == 0 {
        // All users reach the socket in it, whatever the mask of who starts the daemon is.
        try systemCall("chmod") { chmod(path, 0o755) }
        try systemCall("chown") { chown(path, owner.user, owner.group) }
      } else if linux_errno() != EEXIST {
        throw SystemError("mkdir", errno: linux_errno())
      }
      var status = stat()
      try systemCall("lstat") { lstat(path, &status) }
      guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR), status.st_uid == owner.user || geteuid() == 0 else {
        throw SystemError("lstat", errno: ENOTDIR)
      }
      if status.st_uid != owner.user, geteuid() == 0 { try systemCall("chown") { chown(path, owner.user, owner.group) } }
    } catch {
      throw Failure("the folder \(path) cannot be made for the daemon's user (\(error)); remove what is there")
    }
  }

  /// A user and their group.
  package struct Account: Hashable, Sendable {
    package let name: String
    package let user: UInt32
    package let group: UInt32

    /// The user and group of the daemon.
    ///
    /// - Throws: ``Failure`` if there is no such user.
    package static func ofDaemon() throws(Failure) -> Account {
      guard let entry = getpwnam(ServiceProcess.user), let group = getgrnam(ServiceProcess.user) else {
        throw Failure("there is no user and group \"\(ServiceProcess.user)\"; make them, or use --no-drop-root")
      }
      return Account(name: ServiceProcess.user, user: entry.pointee.pw_uid, group: group.pointee.gr_gid)
    }

    /// The user and group that the process runs as.
    package static var ofProcess: Account { Account(name: "", user: geteuid(), group: getegid()) }
  }

  /// Gives up the rights of root, of all threads and for good.
  ///
  /// - Throws: ``Failure`` if the process still has any of them.
  package static func become(_ account: Account) throws(Failure) {
    do throws(SystemError) {
      try systemCall("initgroups") { initgroups(account.name, account.group) }
      try systemCall("setresgid") { setresgid(account.group, account.group, account.group) }
      try systemCall("setresuid") { setresuid(account.user, account.user, account.user) }
    } catch {
      throw Failure(
        "the process cannot become the user \"\(account.name)\" (\(error)); start it as root, or use --no-drop-root")
    }
    guard setresuid(0, 0, 0) != 0 else { throw Failure("the process could become root again") }
  }

  /// Limits the process as the configuration says.
  ///
  /// - Returns: Warnings about limits that cannot be set.
  package static func limit(_ limits: [ResourceLimit: UInt64]) -> [String] {
    limits.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { limit, value in
      do throws(SystemError) {
        try systemCall("setrlimit") { linux_set_limit(limit.kind, value) }
        return nil
      } catch {
        return "rlimit-\(limit.rawValue)=\(value) cannot be set (\(error))"
      }
    }
  }

  /// The number of files that the process may open.
  package static var openFiles: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// Whether the programs of this machine can look up names in `.local`: whether libnss-mdns is there. It is looked for, not loaded, which
  /// a static program could not.
  package static var hasNameService: Bool {
    let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"]
    let ofArchitectures = ((try? listFolder("/usr/lib")) ?? []).filter { $0.contains("linux") }.map { "/usr/lib/" + $0 }
    return (folders + ofArchitectures).contains { folder in
      ["mdns", "mdns4", "mdns6", "mdns_minimal", "mdns4_minimal", "mdns6_minimal"].contains {
        access("\(folder)/libnss_\($0).so.2", F_OK) == 0
      }
    }
  }

  /// The ID of the machine (machine-id(5)), 32 hexadecimal digits; nil if it has none.
  package static var machineID: String? {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = try? BoundedFile.read(path, limit: 64) else { continue }
      let text = String(decoding: bytes.prefix(32), as: UTF8.self).lowercased()
      if text.utf8.count == 32, text.allSatisfy(\.isHexDigit) { return text }
    }
    return nil
  }

  /// Keeps signals that the daemon does not use, or not yet, from ending it: SIGPIPE, SIGHUP before files are followed, and SIGUSR1, with
  /// which avahi-daemon writes its records into the log.
  package static func ignoreSignals() {
    for signal in [SIGPIPE, SIGHUP, SIGUSR1] { linux_ignore_signal(signal) }
  }
}

extension ResourceLimit {
  /// The number by which `linux_set_limit` knows it.
  fileprivate var kind: CInt {
    switch self {
    case .addressSpace: 0
    case .core: 1
    case .data: 2
    case .fileSize: 3
    case .openFiles: 4
    case .processes: 5
    case .stack: 6
    }
  }
}
