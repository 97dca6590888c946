import CBonjourishLinux
import Foundation
import TestSupport
import Testing

/// The sample of the article about stopping cleanly: it writes lines while a thread waits for one.
@Suite(.timeLimit(.minutes(1))) struct StoppingCleanlyTests {
  @Test func `the article has the program that is tried here`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    func text(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }
    let program = try text("Tests/Base/Stopping/main.swift").split(separator: "\n", maxSplits: 1)[1]
    #expect(try text("Sources/Discovery/Bonjourish/Bonjourish.docc/StoppingCleanly.md").contains("```swift\n\(program)```"))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `in a pipe, a line is seen at once, and a signal ends the program`(signal: Int32) async throws {
    let program = try RunningProgram("stop-cleanly", [])
    #expect(await program.line() == "ready")
    try program.send("tea")
    #expect(await program.line() == "read: tea")
    program.signal(signal)
    #expect(await program.line()?.hasPrefix("ended: terminated") == true)
    #expect(await program.exitCode() == 0)
  }

  @Test func `on a terminal, a line is seen at once, and Ctrl-C ends the program`() async throws {
    let path = RunningProgram.path(of: "stop-cleanly")
    let program = try RunningProgram("/usr/bin/script", ["-qec", "\(path); echo code $?", "/dev/null"])
    #expect(await program.line(with: "ready") != nil)
    try program.send("tea")
    #expect(await program.line(with: "read: tea") != nil)
    try program.send("\u{03}")
    #expect(await program.line(with: "ended: terminated") != nil)
    #expect(await program.line(with: "code 0") != nil)
  }
}
