import CBonjourishLinux
import Foundation
import TestSupport
import Testing

@testable import _BonjourishPrivateFiles

@Suite(.timeLimit(.minutes(1))) struct PrivateFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state" }
  private var file: PrivateFile { PrivateFile(path, maximumSize: 100_000) }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func code(_ body: () throws -> Void) -> PrivateFileError.Code? {
    (#expect(throws: PrivateFileError.self) { try body() })?.code
  }

  private func create(_ file: PrivateFile, _ bytes: [UInt8]) throws(PrivateFileError) -> Bool {
    try file.create(bytes.span.bytes)
  }

  private func mode(of path: String) -> mode_t {
    var status = stat()
    #expect(lstat(path, &status) == 0)
    return status.st_mode & 0o7777
  }

  @Test func `what is written is read, by its owner alone, and nothing is left beside it`() throws {
    #expect(try file.read() == nil)
    let former = umask(0)
    defer { umask(former) }
    for contents in [[1, 2, 3], [UInt8](repeating: 7, count: 100_000), []] as [[UInt8]] {
      try file.write(contents)
      #expect(try file.read() == contents)
      #expect(mode(of: path) == 0o600)
      #expect(try folder.contents() == ["state"])
    }
    try file.remove()
    try file.remove()
    #expect(try folder.contents() == [])
  }

  /// After CVE-2026-32116 and CVE-2026-42448 (Magic Wormhole): files that are written where a link leads.
  @Test func `a FIFO, a folder, a link and a device are errors at once, and stay as they are`() throws {
    let target = folder.path + "/target"
    try PrivateFile(target, maximumSize: 10).write([1])
    let kinds: [(String, () -> CInt)] = [
      ("a FIFO", { mkfifo(path, 0o600) }), ("a folder", { mkdir(path, 0o700) }), ("a link", { symlink(target, path) }),
      ("a link", { symlink("/dev/zero", path) }), ("a link", { symlink(folder.path + "/nowhere", path) }),
    ]
    for (kind, make) in kinds {
      #expect(make() == 0)
      for attempt: () throws -> Void in [{ _ = try file.read() }, { try file.write([2]) }, { try file.prepare() }] {
        let error = #expect(throws: PrivateFileError.self) { try attempt() }
        #expect(error?.code == .notRegular)
        #expect(error?.message.contains(kind) == true, "\(error?.message ?? "")")
      }
      #expect(CBonjourishLinux.remove(path) == 0)
    }
    #expect(try PrivateFile(target, maximumSize: 10).read() == [1])
    #expect(code { _ = try PrivateFile("/dev/zero", maximumSize: 10).read() } == .notRegular)
    #expect(code { try PrivateFile("/dev/null", maximumSize: 10).write([1]) } == .notRegular)
  }

  @Test func `a file of a GiB is an error at once`() throws {
    try file.write([1])
    #expect(truncate(path, 1 << 30) == 0)
    #expect(code { _ = try file.read() } == .tooLarge)
    #expect(code { try file.prepare() } == .tooLarge)
    #expect(code { try file.check() } == .tooLarge)
    #expect(code { try file.write([UInt8](repeating: 0, count: 100_001)) } == .tooLarge)
    let error = #expect(throws: PrivateFileError.self) { _ = try file.read() }
    #expect(error?.message == "\(path) has 1073741824 bytes or more, and at most 100000 are permitted; move it away")
  }

  @Test func `a file that is larger than its size says is read to its end`() throws {
    // The kernel's own files have the size 0.
    let system = try #require(try PrivateFile("/proc/sys/kernel/ostype", maximumSize: 6).read())
    #expect(system == Array("Linux\n".utf8))
    let mappings = try #require(try PrivateFile("/proc/self/maps", maximumSize: 10_000_000).read())
    #expect(mappings.count > 8_192 && String(decoding: mappings, as: UTF8.self).contains("[stack]\n"))
    #expect(code { _ = try PrivateFile("/proc/sys/kernel/ostype", maximumSize: 5).read() } == .tooLarge)
  }

  @Test func `a database's file may be another user's, but must be a file`() throws {
    try file.check()
    #expect(try folder.contents() == [])
    try file.write([1])
    #expect(chmod(path, 0o664) == 0)
    if geteuid() == 0 {
      #expect(chown(path, 12_345, 12_345) == 0)
      #expect(code { _ = try file.read() } == .foreign)
      #expect(code { try file.prepare() } == .foreign)
    }
    try file.check()
    #expect(chmod(path, 0o666) == 0)
    #expect(code { try file.check() } == .foreign)
    try file.remove()
    #expect(mkfifo(path, 0o600) == 0)
    #expect(code { try file.check() } == .notRegular)
  }

  @Test func `what the system refuses is told with its error number`() throws {
    try file.write([1])
    let below = PrivateFile(path + "/below", maximumSize: 10)
    let reading = #expect(throws: PrivateFileError.self) { _ = try below.read() }
    #expect(reading?.code == .unreadable && reading?.errno == ENOTDIR)
    let removing = #expect(throws: PrivateFileError.self) { try below.remove() }
    #expect(removing?.code == .unwritable && removing?.errno == ENOTDIR)
    let changing = #expect(throws: PrivateFileError.self) { try below.update({ $0 }) { _ throws(PrivateFileError) in [2] } }
    #expect(changing?.code == .unwritable && changing?.errno == ENOTDIR)
    #expect(try file.read() == [1] && folder.contents() == ["state"])
    // A file that can be opened, and of which nothing can be read.
    let memory = #expect(throws: PrivateFileError.self) { _ = try PrivateFile("/proc/self/mem", maximumSize: 10).read() }
    #expect(memory?.code == .unreadable && memory?.errno == EIO)
  }

  @Test func `what does not fit on the disk leaves the former contents, and nothing beside`() async throws {
    try file.write([1])
    // In a process of its own, for the limit is one of the process.
    await #expect(processExitsWith: .success) { [path = path as String] in
      let file = PrivateFile(path, maximumSize: 100)
      var limit = rlimit(rlim_cur: 10, rlim_max: 10)
      linux_ignore_signal(SIGXFSZ)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let error = #expect(throws: PrivateFileError.self) { try file.write([UInt8](repeating: 2, count: 11)) }
      #expect(error?.code == .unwritable && error?.errno == EFBIG)
      #expect(try file.read() == [1])
      try file.write([UInt8](repeating: 3, count: 10))
    }
    #expect(try file.read() == [UInt8](repeating: 3, count: 10))
    #expect(try folder.contents() == ["state"])
  }

  @Test(arguments: [("state", "."), ("/state", "/"), ("/a/state", "/a"), ("a/b/state", "a/b")])
  func `the folder of a file is that of its path`(path: String, folder: String) {
    #expect(PrivateFile(path, maximumSize: 1).folder == folder)
  }

  @Test func `a file that says it is empty and goes on for ever is an error`() {
    // The kernel's own files have the size 0.
    #expect(code { _ = try PrivateFile("/proc/self/maps", maximumSize: 10).read() } == .tooLarge)
  }

  @Test func `a file that everybody may write to is not trusted`() throws {
    try file.write([1])
    #expect(chmod(path, 0o602) == 0)
    #expect(code { _ = try file.read() } == .foreign)
    #expect(code { try file.write([2]) } == .foreign)
    #expect(chmod(path, 0o600) == 0)
    #expect(try file.read() == [1])
  }

  @Test(arguments: [0o777, 0o770, 0o722, 0o702] as [mode_t])
  func `a folder that others may write to is not trusted with a file`(mode: mode_t) throws {
    try file.write([1])
    #expect(chmod(folder.path, mode) == 0)
    let attempts: [() throws -> Void] = [
      { _ = try file.read() }, { _ = try file.readSecret { $0.count } }, { try file.write([2]) }, { try file.prepare() },
      { _ = try create(file, [2]) }, { try file.update({ $0 }) { _ throws(PrivateFileError) in [2] } },
    ]
    for (number, attempt) in attempts.enumerated() {
      let error = #expect(throws: PrivateFileError.self, "attempt \(number)") { try attempt() }
      #expect(error?.code == .foreign)
      #expect(error?.message.hasSuffix("chmod go-w \(folder.path), or choose another folder") == true)
    }
    // As in /tmp, where nobody replaces the files of others.
    #expect(chmod(folder.path, mode | 0o1000) == 0)
    #expect(try file.read() == [1])
    #expect(chmod(folder.path, 0o755) == 0)
    try file.write([3])
    #expect(try file.read() == [3])
  }

  @Test(.enabled(if: geteuid() == 0)) func `a folder of another user is not trusted with a file`() throws {
    try file.write([1])
    #expect(chown(folder.path, 12_345, 12_345) == 0)
    let error = #expect(throws: PrivateFileError.self) { _ = try file.read() }
    #expect(error?.code == .foreign && error?.message.contains("choose a folder of your own") == true)
    #expect(chown(folder.path, 0, 0) == 0)
  }

  @Test func `a secret is read from a file of one user alone`() throws {
    #expect(try file.readSecret { $0.count } == nil)
    #expect(try create(file, [1, 2, 3]))
    #expect(try file.readSecret { Array($0) } == [1, 2, 3])
    for mode in [0o640, 0o604, 0o620] as [mode_t] {
      #expect(chmod(path, mode) == 0)
      #expect(code { _ = try file.readSecret { $0.count } } == .foreign)
    }
  }

  @Test func `a file that is there already is not made again`() throws {
    #expect(try create(file, [1]))
    #expect(try !create(file, [2]))
    #expect(symlink("nowhere", folder.path + "/link") == 0)
    #expect(try !create(PrivateFile(folder.path + "/link", maximumSize: 10), [3]))
    #expect(try file.read() == [1])
    #expect(try folder.contents().sorted() == ["link", "state"])
  }

  @Test func `an error names the file, the reason and the remedy, escaped`() throws {
    let nowhere = PrivateFile(folder.path + "/\u{1B}[2J/state", maximumSize: 10)
    #expect(try nowhere.read() == nil)
    let error = #expect(throws: PrivateFileError.self) { try nowhere.write([1]) }
    #expect(error?.code == .unwritable)
    #expect(error?.description.contains("\u{1B}") == false)
    #expect(
      error?.description.hasSuffix("No such file or directory; check that its folder exists and can be written to") == true)
  }

  @Test func `an existing neighbour is not written to`() throws {
    // Whoever could guess the name of the new file could have it written through a link.
    let victim = folder.path + "/victim"
    try PrivateFile(victim, maximumSize: 10).write([1])
    #expect(symlink(victim, path + ".new") == 0)
    #expect(symlink(victim, path + ".\(getpid()).new") == 0)
    try file.write([2])
    #expect(try PrivateFile(victim, maximumSize: 10).read() == [1])
    #expect(try file.read() == [2])
  }

  @Test func `a database's file is made for its owner alone`() throws {
    try file.prepare()
    #expect(mode(of: path) == 0o600)
    try file.write([1])
    try file.prepare()
    #expect(try file.read() == [1])
  }

  // MARK: - Changes

  private func append(_ byte: UInt8, to file: PrivateFile) throws(PrivateFileError) {
    try file.update({ $0 }) { (former) throws(PrivateFileError) in (former ?? []) + [byte] }
  }

  @Test func `of changes by many at the same time none is lost`() async throws {
    let file = file
    try await withThrowingTaskGroup { group in
      for byte in 0..<20 as Range<UInt8> { group.addTask { try append(byte, to: file) } }
      try await group.waitForAll()
    }
    #expect(try file.read()?.sorted() == Array(0..<20))
    #expect(try folder.contents().sorted() == ["state", "state.lock"])
    #expect(mode(of: path + ".lock") == 0o600)
  }

  @Test func `a change by another program is waited for`() async throws {
    let file = file
    try append(1, to: file)
    let script = "former=$(cat \"$0\"); echo ready; read line; printf '%stwo' \"$former\" >\"$0\""
    let other = try ChildProcess("/usr/bin/flock", [path + ".lock", "/bin/sh", "-c", script, path])
    #expect(other.output.readData(ofLength: 6) == Data("ready\n".utf8))
    let change = Task.detached { try append(9, to: file) }
    other.input.write(Data("go\n".utf8))
    #expect(other.exitCode() == 0)
    try await change.value
    #expect(try file.read() == [1] + Array("two".utf8) + [9])
  }

  @Test func `a lock that is never released is an error, and so is one that is no file`() throws {
    let holder = linux_open(path + ".lock", O_RDWR | O_CREAT, 0o600)
    defer { close(holder) }
    #expect(flock(holder, LOCK_EX) == 0)
    let error = #expect(throws: PrivateFileError.self) {
      try file.update(within: .milliseconds(20), { $0 }) { (_) throws(PrivateFileError) in [1] }
    }
    #expect(error?.code == .unwritable && error?.message.contains("another program holds the lock") == true)
    #expect(try file.read() == nil)

    let linked = PrivateFile(folder.path + "/linked", maximumSize: 10)
    #expect(symlink(folder.path + "/victim", linked.path + ".lock") == 0)
    #expect(throws: PrivateFileError.self) { try linked.update({ $0 }) { (_) throws(PrivateFileError) in [1] } }
    #expect(try !folder.contents().contains("victim"))
  }

  @Test func `a change that is none leaves the file, and one that fails too`() throws {
    try file.write([1])
    try file.update({ $0 }) { (_) throws(PrivateFileError) in nil }
    #expect(
      code {
        try file.update({ $0 }) { (_) throws(PrivateFileError) in [UInt8](repeating: 0, count: 100_001) }
      } == .tooLarge)
    #expect(try file.read() == [1])
  }
}
