import Foundation
import FramedTransport
import Testing

/// A real process that is handed sockets, by a launcher that stands in for the service manager.
@Suite(.timeLimit(.minutes(1))) struct ActivationTests {
  /// A program that runs, with its lines of output.
  ///
  /// Sendable: one task uses it, by one call after the other.
  private final class Activated: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private var rest: [UInt8] = []

    init(_ kinds: String, count: String, names: String, process number: String = "mine") throws {
      let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      // The tests are run by an executable beside the program.
      let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let program = URL(filePath: runner).deletingLastPathComponent().appending(path: "activated-echo")
      process.executableURL = URL(filePath: "/usr/bin/python3")
      let launcher = tests.appending(path: "Activation/launch.py")
      process.arguments = [launcher.path, kinds, count, names, number, program.path]
      process.standardOutput = output
      try process.run()
    }

    deinit {
      if process.isRunning { process.terminate() }
      process.waitUntilExit()
    }

    /// Runs what blocks on a thread of its own, for Swift's few threads are those of all tests.
    private func waiting<Result: Sendable>(for body: @escaping @Sendable () -> Result) async -> Result {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
      }
    }

    /// The next line, nil at the end.
    func line() async -> String? { await waiting { self.nextLine() } }

    private func nextLine() -> String? {
      while true {
        if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          defer { rest.removeSubrange(...end) }
          return String(decoding: rest[..<end], as: UTF8.self)
        }
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { return nil }
        rest += data
      }
    }

    func lines() async -> [String] {
      var lines: [String] = []
      while let line = await line() { lines.append(line) }
      return lines
    }

    /// The ports that the launcher says first.
    func ports() async throws -> [UInt16] {
      let words = try #require(await line()).split(separator: " ")
      #expect(words.first == "ports")
      return words.dropFirst().compactMap { UInt16($0) }
    }

    func exitCode() async -> Int32 {
      await waiting {
        self.process.waitUntilExit()
        return self.process.terminationStatus
      }
    }
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
    let path = NSTemporaryDirectory() + "bonjourish-activation-\(getpid())"
    let program = try Activated("tcp,unix:\(path),dual", count: "3", names: "first:second:third")
    defer { unlink(path) }
    let ports = try await program.ports()
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
    #expect(await program.lines() == [])
    #expect(await program.exitCode() == 0)
    // The file is the manager's.
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: ["1", "999999"]) func `what is meant for another process is left alone`(process: String) async throws {
    let program = try Activated("tcp", count: "1", names: "-", process: process)
    _ = try await program.ports()
    #expect(await program.lines() == ["environment removed", "ready 0"])
    #expect(await program.exitCode() == 0)
  }

  @Test(arguments: ["udp", "connection"]) func `a socket that does not listen for streams is refused`(kind: String) async throws
  {
    let program = try Activated("tcp,\(kind)", count: "2", names: "one:two")
    _ = try await program.ports()
    let lines = await program.lines()
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("error unusableSocket ") && lines[0].contains("descriptor 4 (\"two\")"))
    #expect(await program.exitCode() == 1)
  }

  @Test(arguments: [("9", "-"), ("-1", "-"), ("x", "-"), ("99999999999", "-"), ("1", "a:b")])
  func `an environment that cannot be true is refused`(count: String, names: String) async throws {
    let program = try Activated("tcp", count: count, names: names)
    _ = try await program.ports()
    let lines = await program.lines()
    #expect(lines.count == 1 && lines[0].hasPrefix("error unusableSocket "))
    #expect(await program.exitCode() == 1)
  }
}
