import Foundation
import FramedTransport
import TestSupport
import Testing

/// A real process that is handed sockets, by a launcher that stands in for the service manager.
@Suite(.timeLimit(.minutes(1))) struct ActivationTests {
  /// Starts the program with sockets of some kinds, and tells the ports of those that have one.
  private func start(_ kinds: String, count: String, names: String, process: String = "mine") async throws -> (
    program: RunningProgram, ports: [UInt16]
  ) {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let launcher = tests.appending(path: "Activation/launch.py").path
    let program = try RunningProgram(
      "/usr/bin/python3", [launcher, kinds, count, names, process, RunningProgram.path(of: "activated-echo")])
    let words = try #require(await program.line()).split(separator: " ")
    #expect(words.first == "ports")
    return (program, words.dropFirst().compactMap { UInt16($0) })
  }

  private func ask(_ question: String, at address: SocketAddress) async throws -> String? {
    let connection = try await Connection.connect(to: [address])
    try await connection.send(Array(question.utf8))
    var frames = connection.frames.makeAsyncIterator()
    let answer = try await frames.next().map { String(decoding: $0, as: UTF8.self) }
    await connection.close()
    return answer
  }

  @Test func `sockets are taken over, by name and in order, and serve`() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/socket"
    let (program, ports) = try await start("tcp,unix:\(path),dual", count: "3", names: "first:second:third")
    #expect(await program.line() == "environment removed")
    #expect(await program.line() == "listener second unix:\(path)")
    #expect(await program.line() == "listener first 127.0.0.1:\(ports[0])")
    #expect(await program.line() == "listener third [::]:\(ports[2])")
    for descriptor in 3...5 { #expect(await program.line() == "descriptor \(descriptor) closes returns") }
    // Each can be had once.
    #expect(await program.line() == "ready 0")
    #expect(try await ask("tcp", at: #require(SocketAddress(numericHost: "127.0.0.1", port: ports[0]))) == "tcp")
    #expect(try await ask("unix", at: SocketAddress(unixPath: path)) == "unix")
    #expect(try await ask("both", at: #require(SocketAddress(numericHost: "127.0.0.1", port: ports[2]))) == "both")
    #expect(try await ask("quit", at: #require(SocketAddress(numericHost: "::1", port: ports[2]))) == "quit")
    #expect(await program.restOfOutput() == [])
    #expect(await program.exitCode() == 0)
    // The file is the manager's.
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: ["1", "999999"]) func `what is meant for another process is left alone`(process: String) async throws {
    let program = try await start("tcp", count: "1", names: "-", process: process).program
    #expect(await program.restOfOutput() == ["environment removed", "ready 0"])
    #expect(await program.exitCode() == 0)
  }

  @Test(arguments: ["udp", "connection"]) func `a socket that does not listen for streams is refused`(kind: String) async throws
  {
    let program = try await start("tcp,\(kind)", count: "2", names: "one:two").program
    let lines = await program.restOfOutput()
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("error unusableSocket ") && lines[0].contains("descriptor 4 (\"two\")"))
    #expect(await program.exitCode() == 1)
  }

  @Test(arguments: [("9", "-"), ("-1", "-"), ("x", "-"), ("99999999999", "-"), ("1", "a:b")])
  func `an environment that cannot be true is refused`(count: String, names: String) async throws {
    let program = try await start("tcp", count: count, names: names).program
    let lines = await program.restOfOutput()
    #expect(lines.count == 1 && lines[0].hasPrefix("error unusableSocket "))
    #expect(await program.exitCode() == 1)
  }
}
