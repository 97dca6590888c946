import Foundation
import Testing

/// `twentyfour-host` in a process of its own, with what it writes.
///
/// Sendable: one task uses it, by one call after the other.
final class HostProgram: @unchecked Sendable {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private var rest: [FileHandle: [UInt8]] = [:]

  /// Starts the program, or another one with it as the last of its arguments and those given behind it.
  init(_ arguments: [String], environment: [String: String] = [:], through launcher: [String] = []) throws {
    let command = launcher + [try Self.path("twentyfour-host")] + arguments
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try Self.run(process)
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// The path of a program that was built with the tests: these are run by an executable beside it.
  static func path(_ program: String) throws -> String {
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: runner).deletingLastPathComponent().appending(path: program).path
  }

  /// Threads of the concurrency pool block signals, and what they start would inherit that.
  private static func run(_ process: Process) throws {
    var nothing = sigset_t()
    var blocked = sigset_t()
    sigemptyset(&nothing)
    pthread_sigmask(SIG_SETMASK, &nothing, &blocked)
    defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
    try process.run()
  }

  /// Where its standard error leads, as `JOURNAL_STREAM` would name it to a service; to be asked of a pipe made before.
  static func stream(of handle: FileHandle) -> String {
    var status = stat()
    fstat(handle.fileDescriptor, &status)
    return "\(status.st_dev):\(status.st_ino)"
  }

  var processID: Int32 { process.processIdentifier }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// The next line of standard output, nil at the end.
  func line() async -> String? { await waiting { self.nextLine(self.output.fileHandleForReading) } }

  /// The next line of standard error that has a text in it.
  func errorLine(with text: String) async -> String? {
    while let line = await waiting(for: { self.nextLine(self.errors.fileHandleForReading) }) {
      if line.contains(text) { return line }
    }
    return nil
  }

  /// The port that the first line of `--json` tells.
  func port() async throws -> UInt16 {
    struct Opened: Decodable {
      let event: String
      let port: UInt16
    }
    let opened = try JSONDecoder().decode(Opened.self, from: Data(try #require(await line()).utf8))
    #expect(opened.event == "open")
    return opened.port
  }

  /// All that is left of standard output.
  func rest() async -> [String] {
    var lines: [String] = []
    while let line = await line() { lines.append(line) }
    return lines
  }

  /// The exit code, or 128 and the number of the signal that ended it.
  func exitCode() async -> Int32 {
    await waiting {
      self.process.waitUntilExit()
      return self.process.terminationStatus + (self.process.terminationReason == .uncaughtSignal ? 128 : 0)
    }
  }

  /// Runs what blocks on a thread of its own, for Swift's few threads are those of all tests.
  private func waiting<Result: Sendable>(for body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  private func nextLine(_ handle: FileHandle) -> String? {
    while true {
      if let end = rest[handle]?.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest[handle]?.removeSubrange(...end) }
        return rest[handle].map { String(decoding: $0[..<end], as: UTF8.self) }
      }
      let data = handle.availableData
      if data.isEmpty { return nil }
      rest[handle, default: []] += data
    }
  }
}

extension HostProgram {
  /// Runs the program to its end.
  static func run(_ arguments: [String]) async throws -> (lines: [String], code: Int32) {
    let program = try HostProgram(arguments)
    let lines = await program.rest()
    return (lines, await program.exitCode())
  }
}
