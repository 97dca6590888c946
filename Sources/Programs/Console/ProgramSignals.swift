import CBonjourishLinux
import _BonjourishEventLoop
import _BonjourishSignals
import _BonjourishTerminal

/// Requests to end this process, and requests of its administrator.
///
/// After `prepare`, SIGINT, SIGTERM and SIGHUP do not kill the process. They wake the task that waits for `termination`, so
/// that the program can send its goodbyes. A second SIGINT ends the process at once, with exit code 130. SIGPIPE is ignored.
enum ProgramSignals {
  private struct State {
    /// The first request to end.
    var termination: Termination?
    var interruptCount = 0
  }

  private static let state = Observed(State())

  /// Takes over the signals; further calls do nothing.
  static func prepare() { _ = prepared }

  private static let prepared: Void = {
    linux_ignore_signal(SIGPIPE)
    let requests: [CInt: Termination] = [SIGINT: .interrupt, SIGTERM: .terminate, SIGHUP: .hangUp]
    // SIGHUP stays ignored if the parent process, such as nohup, ignored it.
    let numbers = requests.keys.filter { $0 != SIGHUP || !SignalWatch.isIgnored($0) }
    _ = SignalWatch(for: Set(numbers)) { number, _ in
      if let termination = requests[number] { post(termination) }
    }
  }()

  // MARK: - Ending

  /// Asks the process to end, as a signal does.
  static func post(_ termination: Termination) {
    if termination == .interrupt, interruptHandler.withLock({ $0 })?() == true { return }
    let mustExit = state.change { state in
      if termination == .interrupt { state.interruptCount += 1 }
      state.termination = state.termination ?? termination
      return state.interruptCount > 1
    }
    Output.endOfProgram.set()
    guard mustExit else { return }
    TerminalGuard.restore()
    _exit(ExitCode.interrupted.rawValue)
  }

  /// Decides about SIGINT before anything else does: see ``Program/offeringInterrupts(to:while:)``.
  static let interruptHandler = Locked<(@Sendable () -> Bool)?>(nil)

  /// Waits until the process is asked to end; returns nil if the task is cancelled first. One task may wait at a time.
  static func termination() async -> Termination? {
    prepare()
    return await state.take { $0.termination }
  }

  /// How a body ended.
  enum Ending<Result: Sendable>: Sendable {
    case finished(Result)
    case terminated(Termination)
  }

  /// Runs a body, cancels it when the process is asked to end, and waits until it returns.
  ///
  /// Drops the result or error of a cancelled body; throws an earlier error.
  static func cancelling<Result: Sendable>(
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

  // MARK: - Administration

  private static let administrator = Locked<AsyncStream<AdministratorSignal>.Continuation?>(nil)

  /// See ``AdministratorSignal/all``.
  static func administration() -> AsyncStream<AdministratorSignal> {
    prepare()
    let (signals, continuation) = AsyncStream.makeStream(of: AdministratorSignal.self, bufferingPolicy: .bufferingNewest(16))
    administrator.withLock { $0 = continuation }
    _ = administratorWatch
    return signals
  }

  private static let administratorWatch = SignalWatch(for: [SIGUSR1, SIGUSR2]) { number, _ in
    _ = administrator.withLock { $0?.yield(number == SIGUSR1 ? .statistics : .drain) }
  }
}
