import CBonjourishLinux
import _BonjourishEventLoop
import _BonjourishExplorer

/// Starts the programs of ``Opening``, and no other: directly, with words as arguments, never by a shell.
enum ChildProgram {
  /// Runs a program to its end.
  ///
  /// - Returns: nil if it ended well, else a sentence about what went wrong.
  static func run(_ opening: Opening) async -> String? {
    let name = opening.program.rawValue
    if opening.program == .browser, !hasDisplay {
      return "there is no display to open \(opening.arguments.joined()) on; copy it with y"
    }
    let process: pid_t
    do throws(SystemError) {
      process = try start(opening)
    } catch {
      return error.errno == ENOENT ? "\(name) is not installed; the command is: \(opening.line)" : "\(name): \(error.reason)"
    }
    guard let code = await ending(of: process, endsWithTask: opening.needsTerminal) else { return nil }
    // A program that a signal has ended was ended by somebody who wanted that.
    return code <= 0 ? nil : "\(name) ended with exit code \(code): \(opening.line)"
  }

  /// Whether there is something that a browser can be shown on.
  private static var hasDisplay: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in getenv(name).map { $0.pointee != 0 } ?? false }
  }

  /// Starts it. One that needs the terminal has its descriptors, and is in this process's group, which is in the foreground. Any other
  /// has none of them, and is in a group of its own, so that neither Ctrl-C nor the end of the terminal ends it.
  private static func start(_ opening: Opening) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if !opening.needsTerminal {
      flags |= POSIX_SPAWN_SETPGROUP
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let words: [UnsafeMutablePointer<CChar>?] = ([opening.program.rawValue] + opening.arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, opening.program.rawValue, &actions, &attributes, words, linux_environment())
    guard failure == 0 else { throw SystemError("posix_spawnp", errno: failure) }
    return process
  }

  /// Waits for the end, on a thread of its own.
  ///
  /// - Parameter endsWithTask: Whether the program is ended when the task is cancelled. Otherwise it is left alone then.
  /// - Returns: The exit code, or the negative number of the signal; nil if the task was cancelled before.
  private static func ending(of process: pid_t, endsWithTask: Bool) async -> CInt? {
    let isRunning = Locked(true)
    let code = Observed<CInt?>(nil)
    startThread {
      var information = siginfo_t()
      _ = try? systemCall("waitid") { waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) }
      var status: CInt = 0
      // From here on another process may have its number.
      isRunning.withLock { isRunning in
        isRunning = false
        _ = try? systemCall("waitpid") { waitpid(process, &status, 0) }
      }
      let result = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
      code.change { $0 = result }
    }
    guard endsWithTask else { return await code.take { $0 } }
    return await withTaskCancellationHandler {
      await Task { await code.take { $0 } }.value
    } onCancel: {
      isRunning.withLock { isRunning in if isRunning { kill(process, SIGTERM) } }
    }
  }
}
