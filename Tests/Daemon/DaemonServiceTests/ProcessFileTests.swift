import CBonjourishLinux
import Foundation
import TestSupport
import Testing

@testable import _BonjourishDaemonService

struct ProcessFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/pid" }

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String) throws {
    let descriptor = linux_open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    #expect(CBonjourishLinux.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  /// A program that does nothing until it is ended. It has been loaded: until then a process has the name of this one.
  private func start(_ path: String = "/bin/cat", _ arguments: String...) throws -> ChildProcess {
    let child = try ChildProcess(path, arguments)
    try child.input.write(contentsOf: Data("x".utf8))
    #expect(child.output.available() == Array("x".utf8))
    return child
  }

  @Test func `the file has the number of the process, and goes`() throws {
    let file = try ProcessFile(path)
    #expect(try BoundedFile.read(path).map { String(decoding: $0, as: UTF8.self) } == "\(getpid())\n")
    file.remove()
    #expect(try folder.contents().isEmpty)
  }

  @Test func `without a folder there is no file, and everybody may read one`() throws {
    let failure = #expect(throws: ServiceProcess.Failure.self) { _ = try ProcessFile(folder.path + "/none/pid") }
    #expect(failure?.description.hasSuffix("; does its folder belong to the daemon's user?") == true)
    let mask = umask(0o077)
    defer { umask(mask) }
    _ = try ProcessFile(path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o644)
    #expect(ServiceProcess.openFiles == sysconf(CInt(_SC_OPEN_MAX)))
  }

  @Test func `a file that another daemon has written since stays`() throws {
    let file = try ProcessFile(path)
    try write("4194305\n")
    file.remove()
    #expect(try folder.contents() == ["pid"])
  }

  @Test(arguments: ["", "x\n", "0\n", "1\n", "-5\n", "99999999999\n", "4194305\n"])
  func `a file without a process names no daemon`(text: String) throws {
    try write(text)
    #expect(ProcessFile.running(path) == nil)
    try ProcessFile(path).remove()
  }

  @Test func `a process of another name is no daemon`() throws {
    let child = try start()
    defer { kill(child.identifier, SIGKILL) }
    try write("\(child.identifier)\n")
    #expect(ProcessFile.running(path) == nil)
    #expect(ProcessFile.running(path, names: ["cat"]) == child.identifier)
    let failure = #expect(throws: ServiceProcess.Failure.self) { try ProcessFile(path, names: ["cat"]) }
    #expect(failure?.description.hasPrefix("the daemon runs already, as process \(child.identifier)") == true)
    // What has more in it than a number is no PID file.
    try write("\(child.identifier)\n" + String(repeating: "x", count: 32))
    #expect(ProcessFile.running(path, names: ["cat"]) == nil)
  }

  @Test func `a process that is hidden is the daemon if somebody has the lock`() throws {
    let child = try start()
    defer { kill(child.identifier, SIGKILL) }
    try write("\(child.identifier)\n")
    // Here this process is shown, and the child is not.
    let processes = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: "\(processes.path)/\(getpid())", withIntermediateDirectories: false)
    try "\(getpid()) (tests) R 1".write(
      toFile: "\(processes.path)/\(getpid())/stat", atomically: false, encoding: .utf8)
    func running() -> Int32? { ProcessFile.running(path, names: ["cat"], processes: processes.path) }
    #expect(running() == nil)
    let lock = try ProcessLock(folder.path + "/lock")
    withExtendedLifetime(lock) { #expect(running() == child.identifier) }
    // To look made no file, and did not take the lock.
    #expect(try folder.contents().sorted() == ["lock", "pid"])
  }

  @Test func `without processes to see, the number is enough`() throws {
    let child = try start()
    defer { kill(child.identifier, SIGKILL) }
    try write("\(child.identifier)\n")
    #expect(ProcessFile.running(path, names: ["cat"], processes: folder.path) == child.identifier)
  }

  @Test func `a daemon is ended, and waited for`() throws {
    let child = try start()
    try write("\(child.identifier)\n")
    try ProcessFile.send(SIGTERM, waiting: .seconds(60), path, names: ["cat"])
    #expect(child.exitCode() == 128 + SIGTERM)
    let failure = #expect(throws: ServiceProcess.Failure.self) { try ProcessFile.send(SIGTERM, path, names: ["cat"]) }
    #expect(failure?.description.hasPrefix("no daemon runs") == true)
  }

  @Test func `a daemon that does not end is told`() throws {
    let child = try start()
    defer { kill(child.identifier, SIGKILL) }
    try write("\(child.identifier)\n")
    let failure = #expect(throws: ServiceProcess.Failure.self) {
      try ProcessFile.send(SIGCONT, waiting: .milliseconds(1), path, names: ["cat"])
    }
    #expect(failure?.description == "process \(child.identifier) has not ended yet")
  }

  @Test func `a killed daemon whose parent has not noticed is none`() throws {
    // The shell is replaced by a program that never waits for its child.
    let parent = try start("/bin/sh", "-c", "sleep 600 & echo $! >\"$0\"; exec cat", path)
    defer { kill(parent.identifier, SIGKILL) }
    let names: Set<String> = ["sh", "sleep"]
    let child = try #require(ProcessFile.running(path, names: names))
    let end = linux_open_process(child)
    defer { close(end) }
    kill(child, SIGKILL)
    var request = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, -1) < 0, linux_errno() == EINTR {}
    #expect(ProcessFile.running(path, names: names) == nil)
    #expect(kill(child, 0) == 0)
  }
}
