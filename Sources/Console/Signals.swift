import Glibc
import Terminal

/// Requests to end this process, and the one place that waits for them.
///
/// From `prepare` on SIGINT, SIGTERM and SIGHUP no longer kill the process but wake who waits for `termination`, so that it can
/// say goodbye. A second SIGINT ends the process at once, with exit code 130. SIGPIPE is ignored.
package enum Signals {
  private static let handled: [Int32: Termination] = [SIGINT: .interrupt, SIGTERM: .terminate, SIGHUP: .hangUp]
  private static let noticed: [Int32: Notice] = [SIGUSR1: .statistics, SIGUSR2: .drain]
  private static let noticeboard = Monitor<AsyncStream<Notice>.Continuation?>(nil)

  /// Takes the signals over; further calls do nothing.
  package static func prepare() { _ = prepared }

  private static let prepared: Void = {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe for signals: \(String(cString: strerror(errno)))")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let readEnd = ends[0]
    signalPipe = ends[1]
    _ = fcntl(signalPipe, F_SETFL, O_NONBLOCK)
    // A thread of its own notices signals even when all others are busy or, as those of the concurrency pool do, block them.
    startThread {
      var signals = sigset_t()
      sigemptyset(&signals)
      for number in Array(handled.keys) + Array(noticed.keys) { sigaddset(&signals, number) }
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      var number: UInt8 = 0
      while true {
        guard read(readEnd, &number, 1) == 1 else { continue }
        if let termination = handled[Int32(number)] { Mailbox.shared.post(termination) }
        if let notice = noticed[Int32(number)] { _ = noticeboard.withLock { $0?.yield(notice) } }
      }
    }

    signal(SIGPIPE, SIG_IGN)
    for number in handled.keys {
      // What the parent process had ignored, as nohup does, stays ignored.
      var present = sigaction()
      sigaction(number, nil, &present)
      if number == SIGHUP, isIgnored(present) { continue }
      handle(number)
    }
  }()

  /// Lets a signal be told to the thread that waits for them.
  private static func handle(_ number: Int32) {
    var action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { number in
      // Only what POSIX calls async-signal-safe may happen here.
      let interrupted = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(signalPipe, &byte, 1)
      errno = interrupted
    }
    sigaction(number, &action, nil)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// What an administrator asks for with SIGUSR1 and SIGUSR2, which end a program that does not ask for them.
  ///
  /// Of those who ask, the last is told.
  package static func notices() -> AsyncStream<Notice> {
    prepare()
    let (stream, continuation) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(16))
    noticeboard.withLock { $0 = continuation }
    for number in noticed.keys { handle(number) }
    return stream
  }

  /// Waits until the process is asked to end; returns nil if the waiting task is cancelled first.
  package static func termination() async -> Termination? {
    prepare()
    return await Mailbox.shared.next()
  }

  /// Asks the process to end, as a signal does.
  static func post(_ termination: Termination) {
    Mailbox.shared.post(termination)
  }

  /// How a body ended.
  package enum Ending<Result: Sendable>: Sendable {
    case finished(Result)
    case terminated(Termination)
  }

  /// Runs a body, cancels it when the process is asked to end, and waits for its orderly end either way.
  ///
  /// What a cancelled body throws or returns is of no interest any more; what it throws before that is thrown on.
  package static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Ending<Result> {
    prepare()
    return try await withThrowingTaskGroup(of: Ending<Result>.self) { group in
      group.addTask { .finished(try await body()) }
      group.addTask {
        guard let termination = await termination() else { throw CancellationError() }
        return .terminated(termination)
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }
}

/// Where the handler writes; set once, before there is a handler.
private nonisolated(unsafe) var signalPipe: Int32 = -1

/// The request to end, once there is one, and those who wait for it.
private final class Mailbox: Sendable {
  static let shared = Mailbox()

  private struct State {
    var request: Termination?
    var interrupts = 0
    var waiting: [Int: CheckedContinuation<Termination?, Never>] = [:]
    var tickets = 0
  }

  private let state = Monitor(State())

  func post(_ termination: Termination) {
    let woken = state.withLock { state in
      if termination == .interrupt { state.interrupts += 1 }
      if state.interrupts > 1 {
        TerminalGuard.restore()
        _exit(128 + SIGINT)
      }
      state.request = state.request ?? termination
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in woken { continuation.resume(returning: termination) }
  }

  func next() async -> Termination? {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Termination?? = state.withLock { state in
          if state.request != nil || Task.isCancelled { return state.request }
          state.waiting[ticket] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: nil)
    }
  }
}
