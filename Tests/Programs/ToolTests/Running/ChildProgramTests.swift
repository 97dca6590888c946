import Bonjourish
import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishExplorer

@testable import bonjourish_cli

/// The programs that the explorer starts. Each test is a process of its own, which has them from a folder.
@Suite(.timeLimit(.minutes(1)))
struct ChildProgramTests {
  private static func opening(_ type: String) -> Opening {
    guard let type = try? ServiceType(type), let address = IPAddress("10.0.0.1"),
      let opening = try? Opening(
        ServiceInstance("a", type: type), Endpoint(host: "a.local", port: 80, txt: TXTRecord(), addresses: [address]))
    else { exit(100) }
    return opening
  }

  /// Makes a folder with a program, where alone programs are looked for.
  private static func install(_ name: String, _ script: String) -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)").path
    guard (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil,
      FileManager.default.createFile(
        atPath: "\(folder)/\(name)", contents: Data("#!/bin/sh\n\(script)\n".utf8), attributes: [.posixPermissions: 0o755])
    else { exit(101) }
    setenv("PATH", folder, 1)
    return folder
  }

  @Test func `a program gets the words as they are, and what went wrong is told`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let folder = Self.install("ssh", #"for word; do echo "$word"; done >"${0%/*}/words"; exit "${CODE:-0}""#)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      guard await ChildProgram.run(Self.opening("_ssh._tcp")) == nil else { exit(1) }
      guard (try? String(contentsOfFile: "\(folder)/words", encoding: .utf8)) == "-p\n80\n--\n10.0.0.1\n" else { exit(2) }
      setenv("CODE", "255", 1)
      guard await ChildProgram.run(Self.opening("_ssh._tcp")) == "ssh ended with exit code 255: ssh -p 80 -- 10.0.0.1" else {
        exit(3)
      }
      let missing = await ChildProgram.run(Self.opening("_sftp-ssh._tcp"))
      guard missing == "sftp is not installed; the command is: sftp -P 80 -- 10.0.0.1" else { exit(4) }
      exit(7)
    }
  }

  @Test func `a browser needs a display`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let folder = Self.install("xdg-open", #"echo "$@" >"${0%/*}/words""#)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      unsetenv("DISPLAY")
      unsetenv("WAYLAND_DISPLAY")
      guard await ChildProgram.run(Self.opening("_http._tcp"))?.hasPrefix("there is no display") == true else { exit(1) }
      setenv("WAYLAND_DISPLAY", "wayland-0", 1)
      guard await ChildProgram.run(Self.opening("_http._tcp")) == nil else { exit(2) }
      guard (try? String(contentsOfFile: "\(folder)/words", encoding: .utf8)) == "http://10.0.0.1:80/\n" else { exit(3) }
      exit(7)
    }
  }

  @Test func `a program that has the terminal ends with the task, and a browser goes on`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let script = #"echo $$ >"${0%/*}/number.new"; /bin/mv "${0%/*}/number.new" "${0%/*}/number"; exec /bin/sleep 1000"#
      for (name, type) in [("ssh", "_ssh._tcp"), ("xdg-open", "_http._tcp")] {
        let folder = Self.install(name, script)
        setenv("DISPLAY", ":0", 1)
        let task = Task { await ChildProgram.run(Self.opening(type)) }
        var number: pid_t?
        while number == nil {
          await Task.yield()
          number = (try? String(contentsOfFile: "\(folder)/number", encoding: .utf8)).flatMap { pid_t($0.filter(\.isNumber)) }
        }
        task.cancel()
        guard await task.value == nil, let number else { exit(1) }
        // It is reaped before the task ends.
        let isRunning = kill(number, 0) == 0
        if isRunning { kill(number, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
        guard isRunning == (name == "xdg-open") else { exit(2) }
      }
      exit(7)
    }
  }
}
