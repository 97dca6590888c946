import CBonjourishLinux
import _BonjourishEventLoop

/// Handles signals until it is stopped. No other type of the toolkit installs signal handlers.
///
/// A handler may do very little (signal-safety(7)), so it only writes the signal's number into a pipe. A separate thread reads
/// the pipe. It notices signals even when all other threads are busy or block signals, as those of the concurrency pool do.
package final class SignalWatch: Sendable {
  private struct State {
    var watches: [ObjectIdentifier: SignalWatch] = [:]
    /// The action of each signal before its first watch.
    var formerActions: [CInt: sigaction] = [:]
  }

  private static let state = Locked(State())
  private static let thread = SharedEventLoop(name: "signals")

  private let numbers: Set<CInt>
  private let received: @Sendable (CInt, _ isFirst: Bool) -> Void
  private let firstNumber = Locked<CInt?>(nil)

  /// The first signal that arrived; nil if none has.
  package var first: CInt? { firstNumber.withLock { $0 } }

  /// Starts to handle signals.
  ///
  /// - Parameters:
  ///   - numbers: The signals.
  ///   - received: Called for each signal, in order, on the thread for signals. `isFirst` is true for the first call only.
  package init(for numbers: Set<CInt>, _ received: @escaping @Sendable (CInt, _ isFirst: Bool) -> Void) {
    self.numbers = numbers
    self.received = received
    _ = Self.isReading
    Self.state.withLock { state in
      state.watches[ObjectIdentifier(self)] = self
      for number in numbers where state.formerActions[number] == nil { state.formerActions[number] = Self.handle(number) }
    }
  }

  /// Restores the former action of each signal that no other watch handles.
  package func stop() {
    Self.state.withLock { state in
      guard state.watches.removeValue(forKey: ObjectIdentifier(self)) != nil else { return }
      let stillWatched = state.watches.values.reduce(into: Set<CInt>()) { $0.formUnion($1.numbers) }
      for number in numbers.subtracting(stillWatched) {
        guard var action = state.formerActions.removeValue(forKey: number) else { continue }
        sigaction(number, &action, nil)
      }
    }
  }

  /// Whether the process ignores a signal.
  package static func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return linux_is_ignoring_action(&action) != 0
  }

  /// Ends the process by a signal, as if it had no handler.
  package static func endProcess(by number: CInt) {
    linux_reset_signal(number)
    kill(getpid(), number)
  }

  /// Performs the default action of a watched signal, such as stopping the process, and returns when the process continues.
  package static func performDefault(of number: CInt) {
    linux_reset_signal(number)
    // Sent to this thread, so that raise returns only after the process has been stopped and continued.
    raise(number)
    // The watch may have been stopped meanwhile. A handler without a watch would send each signal to the process again, forever.
    state.withLock { state in
      if state.formerActions[number] != nil { _ = handle(number) }
    }
  }

  // MARK: - From the handler to the watches

  /// Installs the handler for a signal, and returns the former action.
  private static func handle(_ number: CInt) -> sigaction {
    var action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { number in
      // Only async-signal-safe functions (POSIX) may be called here.
      let interrupted = linux_errno()
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(signalPipe, &byte, 1)
      linux_set_errno(interrupted)
    }
    var former = sigaction()
    sigaction(number, &action, &former)
    return former
  }

  /// Creates the pipe, and starts to read it.
  private static let isReading: Void = {
    do throws(SystemError) {
      var ends: [CInt] = [-1, -1]
      try systemCall("pipe") { pipe(&ends) }
      for end in ends {
        try systemCall("fcntl") { linux_fcntl(end, F_SETFD, FD_CLOEXEC) }
        try systemCall("fcntl") { linux_fcntl(end, F_SETFL, O_NONBLOCK) }
      }
      signalPipe = ends[1]
      let loop = try thread.get()
      loop.execute { [readEnd = ends[0]] in
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_UNBLOCK, &all, nil)
        do throws(SystemError) {
          _ = try loop.watch(readEnd, for: .readable) { _ in read(from: readEnd) }
        } catch {
          preconditionFailure("signals cannot be watched: \(error)")
        }
      }
    } catch {
      preconditionFailure("signals cannot be watched: \(error); close some files or programs")
    }
  }()

  private static func read(from descriptor: CInt) {
    var number: UInt8 = 0
    while (try? systemCall("read", { CBonjourishLinux.read(descriptor, &number, 1) })) == 1 { dispatch(CInt(number)) }
  }

  private static func dispatch(_ number: CInt) {
    let (watches, isWatched) = state.withLock { state in
      (state.watches.values.filter { $0.numbers.contains(number) }, state.formerActions[number] != nil)
    }
    // The signal arrived just before the last watch stopped. It gets its former action, as if it had arrived just after.
    guard isWatched else {
      kill(getpid(), number)
      return
    }
    // All watches are marked before any is called, because a called watch may end the scope of another.
    let marked = watches.map { watch in
      let isFirst = watch.firstNumber.withLock { firstNumber in
        defer { firstNumber = firstNumber ?? number }
        return firstNumber == nil
      }
      return (watch, isFirst)
    }
    for (watch, isFirst) in marked { watch.received(number, isFirst) }
  }
}

/// The end of the pipe that the handler writes to. It is set once, before a handler is installed.
private nonisolated(unsafe) var signalPipe: CInt = -1
