import CLinux
import EventLoop
import Glibc

/// The thread that waits for keys, and for the signals that concern a screen.
final class TerminalListener: Sendable {
  /// How long the rest of a key's bytes may take.
  private static let patience: Int32 = 50
  private static let signals = [SIGWINCH, SIGTSTP, SIGCONT]

  private let end: Int32
  private let hasEnded = Watched(false)

  init(_ session: TerminalSession) {
    end = eventfd(0, Int32(EFD_CLOEXEC))
    precondition(end >= 0, "no eventfd: \(String(cString: strerror(errno)))")
    _ = Self.preparedPipe
    for number in Self.signals { Self.handle(number) }
    startThread { [self] in
      listen(for: session)
      hasEnded.change { $0 = true }
    }
  }

  deinit { close(end) }

  /// Returns when the thread has ended: from then on what is typed is for the next program.
  func stop() async {
    eventfd_write(end, 1)
    // Also when the task is cancelled: the thread ends at once.
    let hasEnded = hasEnded
    await Task { _ = await hasEnded.take { $0 ? true : nil } }.value
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  // MARK: - The thread

  private func listen(for session: TerminalSession) {
    // Threads of the concurrency pool block signals, and this one may be a child of theirs.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in Self.signals { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)

    var decoder = KeyDecoder()
    while true {
      var requests = [
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signalPipe.read, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&requests, 3, decoder.isUndecided ? Self.patience : -1)
      if count == 0 { session.heard(decoder.timeOut()) }
      guard count > 0 else { continue }
      guard requests[2].revents == 0 else { return }
      if requests[1].revents != 0 { hear(signal: Self.byte(), session) }
      guard requests[0].revents != 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 1_024)
      let length = read(STDIN_FILENO, &buffer, buffer.count)
      if length > 0 {
        session.heard(decoder.take(buffer.prefix(length)))
      } else if length == 0 || (errno != EAGAIN && errno != EINTR) {
        return session.heardEnd()
      }
    }
  }

  private func hear(signal number: Int32, _ session: TerminalSession) {
    switch number {
    case SIGWINCH: session.heardResize()
    case SIGCONT: session.heardContinuation()
    case SIGTSTP:
      session.stop {
        signal(SIGTSTP, SIG_DFL)
        // To this thread, so that it has been stopped when this returns.
        raise(SIGTSTP)
        Self.handle(SIGTSTP)
      }
    default: return
    }
  }

  // MARK: - Signals

  private static func handle(_ number: Int32) {
    var action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { number in
      // Only what POSIX calls async-signal-safe may happen here.
      let interrupted = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(signalPipe.write, &byte, 1)
      errno = interrupted
    }
    sigaction(number, &action, nil)
  }

  private static func byte() -> Int32 {
    var byte: UInt8 = 0
    return read(signalPipe.read, &byte, 1) == 1 ? Int32(byte) : 0
  }

  private static let preparedPipe: Void = {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe for signals: \(String(cString: strerror(errno)))")
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    signalPipe = (ends[0], ends[1])
  }()
}

/// Where the handler writes; set once, before there is a handler.
private nonisolated(unsafe) var signalPipe: (read: Int32, write: Int32) = (-1, -1)
