import Foundation
import TestSupport
import Testing

/// The program itself, on the loopback interface.
@Suite(.timeLimit(.minutes(2))) struct ProgramTests {
  private struct Ending {
    let code: Int32
    let output: String
    let errors: String
  }

  /// Runs a program until it ends.
  private func run(_ program: String, _ arguments: [String]) async throws -> Ending {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let ended = try ChildProcess.run(program, arguments)
            return Ending(
              code: ended.code, output: String(decoding: ended.output, as: UTF8.self),
              errors: String(decoding: ended.errors, as: UTF8.self))
          })
      }
    }
  }

  /// The tests are run by an executable beside the program.
  private var program: String { RunningProgram.path(of: "transport-bench") }

  /// A client in Python that shares no code with the server, and tries everything.
  @Test(arguments: ["frames", "batches"])
  func `the server keeps to its protocol`(_ mode: String) async throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let script = tests.appending(path: "Transport/check.py").path
    let ending = try await run("/usr/bin/python3", [script, program, mode])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output == "kept\n")
  }

  @Test func `the client measures a server`() async throws {
    let server = try RunningProgram("transport-bench", ["serve", "--port", "0", "--interface", "lo", "--loops", "2"])
    let line = try #require(await server.line())
    let port = try #require(line.split { $0 == " " || $0 == "\n" }.last.map(String.init))
    for (measure, figure) in [
      ("one-way", "messagesPerSecond"), ("ping-pong", "p50Microseconds"), ("fan-out", "idleBytesPerConnection"),
      ("accept", "connectionsPerSecond"),
    ] {
      let ending = try await run(program, ["client", measure, "--port", port, "--count", "100", "--clients", "20", "--json"])
      #expect(ending.code == 0, "\(ending.errors)")
      let figures = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any]
      #expect(figures?[figure] as? Double != nil, "\(ending.output)")
    }
  }

  @Test(arguments: [
    (["serve"], 64, "--port is missing"), (["client", "two-way", "--port", "1"], 64, "must be one-way"),
    (["serve", "--port", "1", "--mode", "slow"], 64, "frames or batches"),
    (["client", "--port", "1"], 69, "refused"),
  ])
  func `what cannot be done is told in one line`(_ arguments: [String], _ code: Int32, _ hint: String) async throws {
    let ending = try await run(program, arguments)
    #expect(ending.code == code)
    #expect(ending.output == "")
    #expect(ending.errors.contains(hint), "\(ending.errors)")
    #expect(ending.errors.split(separator: "\n").count == 1)
  }
}
