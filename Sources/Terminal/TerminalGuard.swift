import Glibc
import Synchronization

/// Gives the terminal back as it was found, whatever happens to the process short of SIGKILL.
///
/// While it is armed, the end of the process by `exit`, a trap or another fatal signal restores the terminal first. What is
/// done then is async-signal-safe (signal-safety(7)): `write`, `tcsetattr`, `sigaction` and `raise`, on memory that was
/// reserved before.
package enum TerminalGuard {
  /// What a screen of ours is entered with: DEC's and xterm's private modes for the alternate screen, no wrapping at the end of
  /// a line, and marked pastes.
  static let entering = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h"
  /// What undoes it, and shows the cursor in its plain colour.
  private static let leaving = "\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// Signals that end a process because of what it did itself, and SIGQUIT (Ctrl-\), which asks for a core dump.
  private static let fatal = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGSYS, SIGTRAP, SIGXCPU, SIGXFSZ]
  /// Signals that are asked to end it; a program that says goodbye handles them itself, and is left to.
  private static let asking = [SIGHUP, SIGINT, SIGTERM]

  /// Remembers how the terminal was, and watches over it from now on.
  static func arm(_ attributes: termios, descriptor: Int32) {
    _ = prepared
    memory.attributes.pointee = attributes
    memory.descriptor.pointee = descriptor
    memory.isArmed.store(true, ordering: .sequentiallyConsistent)
  }

  /// Whether the terminal has not been given back yet.
  static var isArmed: Bool { memory.isArmed.load(ordering: .sequentiallyConsistent) }

  /// Gives the terminal back; does nothing if that was done already.
  package static func restore() {
    guard memory.isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
    let interrupted = errno
    var rest = UnsafeRawBufferPointer(memory.leaving)
    while !rest.isEmpty {
      let count = write(memory.descriptor.pointee, rest.baseAddress, rest.count)
      guard count > 0 else { break }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
    tcsetattr(memory.descriptor.pointee, TCSANOW, memory.attributes)
    errno = interrupted
  }

  /// What a signal handler may use: it never moves and is never freed.
  private final class Memory: @unchecked Sendable {  // written while the guard is not armed only
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
      // A fault happens again as soon as this handler returns, and then does what it would have done without us. What was
      // sent by kill, raise or abort is sent once more, and ends the process.
      if let info, info.pointee.si_code > 0 {
        sigaction(number, TerminalGuard.memory.formerActions + Int(number), nil)
      } else {
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    for number in fatal + asking {
      var former = sigaction()
      sigaction(number, nil, &former)
      if asking.contains(number), !isDefault(former) { continue }
      memory.formerActions[Int(number)] = former
      sigaction(number, &action, nil)
    }
  }()

  private static func isDefault(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
  }
}
