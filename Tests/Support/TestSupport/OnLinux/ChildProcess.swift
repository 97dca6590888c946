package import CBonjourishLinux
import CSpawn
package import Foundation

/// A process that was started, and the pipes to it.
///
/// It replaces Foundation's `Process`, which reads beyond a directory entry when it starts something and crashes at times
/// (swift-corelibs-foundation, pull request 5472).
package final class ChildProcess: Sendable {
  package let identifier: pid_t
  /// Its standard input.
  package let input: FileHandle
  /// Its standard output.
  package let output: FileHandle
  /// Its standard error.
  package let errors: FileHandle
  private let ending = Ending()

  /// Starts a program in a process group of its own. Signals are neither blocked nor ignored there, and only the standard descriptors
  /// are open.
  ///
  /// - Parameters:
  ///   - environment: What it finds there beside what this process has.
  ///   - onEnd: Called on a thread of its own with what `exitCode()` returns.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    onEnd: @escaping @Sendable (Int32) -> Void = { _ in }
  ) throws {
    let pipes = try (0...2).map { _ in try DescriptorPipe() }
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, pipe) in zip(Int32(0)..., pipes) {
      posix_spawn_file_actions_adddup2(&actions, number == 0 ? pipe.reading : pipe.writing, number)
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let words = Self.cStrings([path] + arguments)
    let settings = Self.cStrings(variables.map { "\($0)=\($1)" })
    defer { for string in words + settings { free(string) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, path, &actions, &attributes, words, settings)
    for (number, pipe) in zip(0..., pipes) { close(number == 0 ? pipe.reading : pipe.writing) }
    let ours = zip(0..., pipes).map { FileHandle(fileDescriptor: $0 == 0 ? $1.writing : $1.reading, closeOnDealloc: true) }
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
    identifier = process
    (input, output, errors) = (ours[0], ours[1], ours[2])
    Thread.detachNewThread { [ending, process] in
      let code = Self.waited(for: process)
      ending.set(code)
      onEnd(code)
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: Its exit code, or 128 and the signal's number after a signal.
  package func exitCode() -> Int32 { ending.wait() }

  /// As `exitCode()`; nil if it has not ended by then.
  package func exitCode(within seconds: TimeInterval) -> Int32? { ending.wait(for: seconds) }

  package var hasEnded: Bool { ending.code != nil }

  /// Sends a signal. Returns after SIGSTOP when all threads of the process have stopped.
  package func signal(_ signal: Int32) {
    guard !hasEnded, kill(identifier, signal) == 0, signal == SIGSTOP else { return }
    var status = siginfo_t()
    while waitid(P_PID, id_t(identifier), &status, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Starts a program with nothing to read, and waits for its end.
  package static func run(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws -> (
    code: Int32, output: [UInt8], errors: [UInt8]
  ) {
    let process = try ChildProcess(path, arguments, environment: environment)
    try process.input.close()
    let errors = ReadToEnd(process.errors)
    let output = process.output.availableToEnd()
    return (process.exitCode(), output, errors.bytes())
  }

  private static func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
    strings.map { strdup($0) } + [nil]
  }

  private static func waited(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, linux_errno() == EINTR {}
    // WIFSIGNALED, WTERMSIG and WEXITSTATUS are macros.
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}

/// Both ends of a pipe, closed in what is started unless they are handed on.
private struct DescriptorPipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw POSIXError(.EMFILE) }
    (reading, writing) = (ends[0], ends[1])
  }
}

/// Reads all of a pipe on a thread of its own.
private final class ReadToEnd: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private nonisolated(unsafe) var read: [UInt8] = []  // written before `done` is signalled, and read after

  init(_ handle: FileHandle) {
    Thread.detachNewThread {
      self.read = handle.availableToEnd()
      self.done.signal()
    }
  }

  func bytes() -> [UInt8] {
    done.wait()
    return read
  }
}

/// How a process ended, once it has.
private final class Ending: Sendable {
  private let condition = NSCondition()
  private nonisolated(unsafe) var value: Int32?  // touched with the condition locked only

  var code: Int32? { condition.withLock { value } }

  func set(_ code: Int32) {
    condition.withLock { value = code }
    condition.broadcast()
  }

  func wait() -> Int32 {
    condition.withLock {
      while true {
        if let value { return value }
        condition.wait()
      }
    }
  }

  func wait(for seconds: TimeInterval) -> Int32? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    return condition.withLock {
      while value == nil, condition.wait(until: deadline) {}
      return value
    }
  }
}
