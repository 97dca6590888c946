import CBonjourishLinux
import Synchronization

/// Restores the terminal before the process ends for any reason except SIGKILL.
///
/// While the guard is armed, `exit`, a trap and every other fatal signal restore the terminal first. A signal handler does
/// that, so it only calls what is async-signal-safe (signal-safety(7)): `write`, `tcsetattr`, `sigaction` and `raise`, on
/// memory that was allocated before. `systemCall` is not used here, because it allocates when a call fails.
package enum TerminalGuard {
  /// Enters the alternate screen, turns off wrapping at the end of a line, and has pastes marked: private modes of DEC and
  /// xterm.
  static let entering = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h"
  /// Has presses of the mouse reported, with any coordinates (xterm's modes 1000 and 1006).
  static let reportingMouse = "\u{1B}[?1000h\u{1B}[?1006h"
  /// Undoes ``reportingMouse``.
  static let ignoringMouse = "\u{1B}[?1006l\u{1B}[?1000l"
  /// Undoes ``entering`` and ``reportingMouse``, and shows the cursor in its plain colour.
  private static let leaving = "\(ignoringMouse)\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// Signals that a process causes itself, and SIGQUIT (Ctrl-\), which asks for a core dump.
  private static let fatal = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGSYS, SIGTRAP, SIGXCPU, SIGXFSZ]
  /// Signals that ask a process to end. A program that handles them restores the terminal itself.
  private static let requests = [SIGHUP, SIGINT, SIGTERM]

  /// Arms the guard.
  ///
  /// - Parameters:
  ///   - attributes: The settings to restore.
  ///   - descriptor: The terminal.
  static func arm(_ attributes: termios, descriptor: Int32) {
    _ = prepared
    memory.attributes.pointee = attributes
    memory.descriptor.pointee = descriptor
    memory.isArmed.store(true, ordering: .sequentiallyConsistent)
  }

  /// Whether the terminal still has to be restored.
  static var isArmed: Bool { memory.isArmed.load(ordering: .sequentiallyConsistent) }

  /// Restores the terminal; does nothing if that was done already. Async-signal-safe.
  package static func restore() {
    guard memory.isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
    let errno = linux_errno()
    var rest = UnsafeRawBufferPointer(memory.leaving)
    while !rest.isEmpty {
      let count = write(memory.descriptor.pointee, rest.baseAddress, rest.count)
      guard count > 0 else { break }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
    tcsetattr(memory.descriptor.pointee, TCSANOW, memory.attributes)
    linux_set_errno(errno)
  }

  /// Memory for the signal handler: it never moves and is never freed.
  private final class Memory: @unchecked Sendable {  // only written while the guard is not armed
    let isArmed = Atomic(false)
    let attributes = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    let descriptor = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    let leaving: UnsafeMutableBufferPointer<UInt8>
    let formerActions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    init() {
      attributes.initialize(to: termios())
      descriptor.initialize(to: STDOUT_FILENO)
      leaving = .allocate(capacity: TerminalGuard.leaving.utf8.count)
      _ = leaving.initialize(from: TerminalGuard.leaving.utf8)
      formerActions.initialize(repeating: sigaction(), count: 65)
    }
  }

  private static let memory = Memory()

  /// Installs the handlers, once.
  private static let prepared: Void = {
    atexit { TerminalGuard.restore() }
    var action = sigaction()
    action.sa_flags = SA_ONSTACK | SA_SIGINFO
    action.__sigaction_handler.sa_sigaction = { number, info, _ in
      TerminalGuard.restore()
      // A fault happens again as soon as this handler returns; the former action then handles it. A signal from kill, raise or
      // abort does not: it is raised again, and ends the process.
      if let info, info.pointee.si_code > 0 {
        sigaction(number, TerminalGuard.memory.formerActions + Int(number), nil)
      } else {
        linux_reset_signal(number)
        raise(number)
      }
    }
    for number in fatal + requests {
      var former = sigaction()
      sigaction(number, nil, &former)
      if requests.contains(number), !isDefault(former) { continue }
      memory.formerActions[Int(number)] = former
      sigaction(number, &action, nil)
    }
  }()

  private static func isDefault(_ action: sigaction) -> Bool {
    withUnsafePointer(to: action) { linux_is_default_action($0) != 0 }
  }
}
