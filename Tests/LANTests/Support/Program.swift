import CBonjourishLinux
import Foundation
import TestSupport

/// A program that runs in a lab. What it writes is collected as it comes.
final class Program: Sendable {
  /// How it was called, and where.
  let title: String

  private let output = Log<String>()
  private let errors = Log<String>()
  private let endings = Log<Int32>()
  private let process: ChildProcess

  /// Runs `Tests/lan` with these arguments; the program itself is the grandchild, see `lan --join`.
  convenience init(title: String, lan arguments: [String]) throws {
    // The programs of this package are beside the tests.
    try self.init(
      title: title, running: "/usr/bin/env", ["LAN_PROGRAMS=\(LAN.program("."))"] + [LAN.script.path] + arguments)
  }

  /// Runs a program that makes LANs of its own.
  init(title: String, running path: String, _ arguments: [String]) throws {
    self.title = title
    process = try ChildProcess(path, arguments) { [endings] code in
      endings.append(code)
      endings.complete()
    }
    Self.collect(process.output, into: output)
    Self.collect(process.errors, into: errors)
  }

  /// Reads on a thread of its own, which may block.
  private static func collect(_ handle: FileHandle, into log: Log<String>) {
    Thread.detachNewThread {
      var rest: [UInt8] = []
      while case let data = handle.available(), !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          log.append(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      if !rest.isEmpty { log.append(String(decoding: rest, as: UTF8.self)) }
      log.complete()
    }
  }
}

// MARK: - What it says

extension Program {
  /// How long is waited for what comes at once on a machine that does nothing else.
  static let limit: Duration = .seconds(45)

  /// All lines of standard output up to now.
  var outputLines: [String] { output.elements }

  /// All lines of standard error up to now.
  var errorLines: [String] { errors.elements }

  /// Waits for a line of standard output and takes it: the next call looks among the others, those before it included.
  @discardableResult
  func line(within limit: Duration = Program.limit, where test: (String) -> Bool) async throws -> String {
    try await take(from: output, within: limit, "a line of output that was waited for") { test($0) ? $0 : nil }
  }

  /// Waits for a line of standard error and takes it.
  @discardableResult
  func errorLine(within limit: Duration = Program.limit, where test: (String) -> Bool) async throws -> String {
    try await take(from: errors, within: limit, "a line on standard error that was waited for") { test($0) ? $0 : nil }
  }

  /// Waits for a line of standard output that is JSON and passes the test, and takes it.
  @discardableResult
  func json(within limit: Duration = Program.limit, where test: (JSON) -> Bool) async throws -> JSON {
    try await take(from: output, within: limit, "a line of JSON that was waited for") { line in
      JSON(line: line).flatMap { test($0) ? $0 : nil }
    }
  }

  /// Waits for a line of JSON with this "event" and takes it.
  @discardableResult
  func event(_ name: String, within limit: Duration = Program.limit, where test: (JSON) -> Bool = { _ in true }) async throws
    -> JSON
  {
    try await take(from: output, within: limit, "the event '\(name)' that was waited for") { line in
      JSON(line: line).flatMap { $0["event"]?.string == name && test($0) ? $0 : nil }
    }
  }

  private func take<Value>(
    from log: Log<String>, within limit: Duration, _ what: String, _ test: (String) -> Value?
  ) async throws -> Value {
    if let value = await log.take(by: .now + limit, test) { return value }
    throw LabError("\(title): \(what) did not come within \(limit)")
  }

  /// The end of what it wrote, for the report of a failure.
  var transcript: String {
    func tail(_ name: String, _ lines: [String]) -> String {
      let skipped = lines.count > 40 ? ["… \(lines.count - 40) lines …"] : []
      return (skipped + lines.suffix(40)).map { "  \(name) \($0)" }.joined(separator: "\n")
    }
    return ([title] + [tail("|", outputLines), tail("!", errorLines)].filter { !$0.isEmpty }).joined(separator: "\n")
  }
}

// MARK: - What is said to it

extension Program {
  /// Writes a line to its standard input.
  func send(_ line: String) throws {
    try process.input.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Ends its standard input.
  func closeInput() throws {
    try process.input.close()
  }

  /// Sends a signal to the program itself, which must have begun.
  func signal(_ signal: Int32) throws {
    guard let wrapper = Self.child(of: process.identifier), let program = Self.child(of: wrapper),
      CBonjourishLinux.kill(program, signal) == 0
    else {
      throw LabError("\(title): there is no process to send signal \(signal) to")
    }
    // A wrapper stops with its program, and without it nobody would hear of the program's end (nsenter(1)).
    if signal == SIGCONT { _ = CBonjourishLinux.kill(wrapper, signal) }
  }

  /// The arguments of the program itself, as all users of the machine see them.
  func argumentList() throws -> [String] {
    guard let wrapper = Self.child(of: process.identifier), let program = Self.child(of: wrapper) else {
      throw LabError("\(title): there is no process")
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(program)/cmdline"))
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The names of its threads.
  var threads: [String] {
    entries("task").compactMap { try? String(contentsOfFile: $0 + "/comm", encoding: .utf8).dropLast() }.map(String.init)
  }

  /// The number of its descriptors.
  var descriptorCount: Int { entries("fd").count }

  /// How long it has run, without the time that its threads were ready and waited for a processor, which a busy machine takes (proc(5),
  /// `stat` and `schedstat`); `nil` when it has ended.
  var ownTime: Duration? {
    guard let program = Self.child(of: process.identifier).flatMap(Self.child),
      let stat = try? String(contentsOfFile: "/proc/\(program)/stat", encoding: .utf8),
      // The 22nd field; the second, the name, may have anything in it.
      let ticks = stat.split(separator: ")").last?.split(separator: " ").dropFirst(19).first.flatMap({ Double($0) })
    else { return nil }
    let waits = entries("task").compactMap { try? String(contentsOfFile: $0 + "/schedstat", encoding: .utf8) }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Double($0) } }
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    let age = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    return .seconds(age - waits.reduce(0, +) / 1e9)
  }

  /// The paths in a folder that the system has of the program; none when it has not begun or has ended.
  private func entries(_ folder: String) -> [String] {
    guard let program = Self.child(of: process.identifier).flatMap(Self.child) else { return [] }
    let path = "/proc/\(program)/\(folder)"
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).map { path + "/" + $0 }
  }

  private static func child(of process: Int32) -> Int32? {
    let children = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    return children?.split(separator: " ").first.flatMap { Int32($0) }
  }

  /// Waits for its end, and for all that it wrote; 128 and the signal's number after a signal.
  func exitCode(within limit: Duration = Program.limit) async throws -> Int32 {
    guard let code = await endings.first(by: .now + limit) else {
      throw LabError("\(title): did not end within \(limit)")
    }
    // The pipes are read by threads of their own. What it has left running may keep them open for ever.
    let deadline = ContinuousClock.now + .seconds(5)
    for log in [output, errors] { await log.completion(by: deadline) }
    return code
  }

  /// Ends `Tests/lan` at once, and with it what it runs.
  func kill() async {
    process.signal(SIGKILL)
    _ = await endings.first(by: .now + .seconds(10))
  }
}

/// Why a test on a lab cannot go on.
struct LabError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
