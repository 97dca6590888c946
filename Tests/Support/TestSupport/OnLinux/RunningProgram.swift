import CBonjourishLinux
import Foundation

/// A program of this package that runs, built together with the tests, and what it says line by line.
///
/// A line that does not come within 30 seconds is as good as the end: the program is ended then.
package final class RunningProgram: Sendable {
  private let process: ChildProcess
  private let output: LineSource
  private let errors: LineSource

  /// Starts a program with nothing to read but what `send` writes.
  ///
  /// - Parameters:
  ///   - name: That of a program beside the tests, or the path of one.
  ///   - environment: What it finds there beside what the tests have.
  package init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    process = try ChildProcess(name.contains("/") ? name : Self.path(of: name), arguments, environment: environment)
    output = LineSource(process.output)
    errors = LineSource(process.errors)
  }

  deinit {
    process.signal(SIGKILL)
  }

  /// Where a program of this package is: the tests are run by an executable beside the programs.
  package static func path(of name: String) -> String {
    let runner = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(filePath: runner).deletingLastPathComponent().appending(path: name).path
  }

  /// The next line of output, or the next with a text in it, those before it being passed over. Nil when there is none.
  package func line(with text: String? = nil) async -> String? {
    while let line = await output.next() {
      guard let text, !line.contains(text) else { return line }
    }
    process.signal(SIGKILL)
    return nil
  }

  /// All lines of output that have not been taken, when it has ended.
  package func restOfOutput() async -> [String] { await output.rest() }

  /// All lines of standard error that have not been taken, when it has ended.
  package func restOfErrors() async -> [String] { await errors.rest() }

  /// The next line of standard error with a text in it.
  package func errorLine(with text: String) async -> String? {
    while let line = await errors.next() {
      if line.contains(text) { return line }
    }
    return nil
  }

  /// Writes a line to its standard input.
  package func send(_ line: String) throws { try process.input.write(contentsOf: Data("\(line)\n".utf8)) }

  package func signal(_ signal: Int32) { process.signal(signal) }

  /// How it ended; 128 and the signal's number after a signal.
  package func exitCode() async -> Int32? {
    await onThread { [process] in
      if let code = process.exitCode(within: 30) { return code }
      process.signal(SIGKILL)
      return nil
    }
  }
}

/// Runs what blocks on a thread of its own, for Swift's few threads are those of all tests.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

/// The lines that come out of a pipe.
private final class LineSource: Sendable {
  private let handle: FileHandle
  private let lock = NSLock()
  private nonisolated(unsafe) var bytes: [UInt8] = []  // touched with the lock held only

  init(_ handle: FileHandle) { self.handle = handle }

  /// The next line; nil at the end, and when none comes.
  func next() async -> String? { await onThread { self.lock.withLock { self.read() } } }

  func rest() async -> [String] {
    var lines: [String] = []
    while let line = await next() { lines.append(line) }
    return lines
  }

  private func read() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      var request = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      var result: Int32
      repeat { result = poll(&request, 1, 30_000) } while result < 0 && linux_errno() == EINTR
      guard result > 0 else { return nil }
      let data = handle.available()
      if data.isEmpty { return nil }
      bytes += data
    }
  }
}
