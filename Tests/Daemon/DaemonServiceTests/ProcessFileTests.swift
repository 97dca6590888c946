import CBonjourishLinux
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

  @Test func `the file has the number of the process, and goes`() throws {
    let file = try ProcessFile(path)
    #expect(try BoundedFile.read(path).map { String(decoding: $0, as: UTF8.self) } == "\(getpid())\n")
    file.remove()
    #expect(try folder.contents().isEmpty)
  }

  @Test(arguments: ["", "x\n", "0\n", "1\n", "-5\n", "99999999999\n", "4194305\n"])
  func `a file without a process names no daemon`(text: String) throws {
    try write(text)
    #expect(ProcessFile.running(path) == nil)
    try ProcessFile(path).remove()
  }

  @Test func `a process of another name is no daemon`() throws {
    let child = try ChildProcess("/bin/sleep", ["600"])
    defer { kill(child.identifier, SIGKILL) }
    try write("\(child.identifier)\n")
    #expect(ProcessFile.running(path) == nil)
    // Until the program has been loaded, the process has the name of this one.
    while ProcessFile.running(path, names: ["sleep"]) != child.identifier { usleep(1_000) }
    let failure = #expect(throws: ServiceProcess.Failure.self) { try ProcessFile(path, names: ["sleep"]) }
    #expect(failure?.description.hasPrefix("the daemon runs already, as process \(child.identifier)") == true)
  }

  @Test func `a daemon is ended, and waited for`() throws {
    let child = try ChildProcess("/bin/sleep", ["600"])
    try write("\(child.identifier)\n")
    while ProcessFile.running(path, names: ["sleep"]) == nil { usleep(1_000) }
    try ProcessFile.send(SIGTERM, waiting: .seconds(60), path, names: ["sleep"])
    #expect(child.exitCode() == 128 + SIGTERM)
    let failure = #expect(throws: ServiceProcess.Failure.self) { try ProcessFile.send(SIGTERM, path, names: ["sleep"]) }
    #expect(failure?.description.hasPrefix("no daemon runs") == true)
  }

  @Test func `a daemon that does not end is told`() throws {
    let child = try ChildProcess("/bin/sleep", ["600"])
    defer { kill(child.identifier, SIGKILL) }
    try write("\(child.identifier)\n")
    while ProcessFile.running(path, names: ["sleep"]) == nil { usleep(1_000) }
    let failure = #expect(throws: ServiceProcess.Failure.self) {
      try ProcessFile.send(SIGCONT, waiting: .milliseconds(1), path, names: ["sleep"])
    }
    #expect(failure?.description == "process \(child.identifier) has not ended yet")
  }

  @Test func `a killed daemon whose parent has not noticed is none`() throws {
    // The shell is replaced by a program that never waits for its child.
    let parent = try ChildProcess("/bin/sh", ["-c", "sleep 600 & echo $! >\"$0\"; exec sleep 601", path])
    defer { kill(parent.identifier, SIGKILL) }
    var child: Int32?
    while child == nil { child = ProcessFile.running(path, names: ["sleep"]) }
    while ProcessFile.running(path, names: ["sh"]) != nil { usleep(1_000) }
    kill(child!, SIGKILL)
    while ProcessFile.running(path, names: ["sleep"]) != nil { usleep(1_000) }
    #expect(kill(child!, 0) == 0)
  }
}
