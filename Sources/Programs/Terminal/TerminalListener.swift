import CBonjourishLinux
import _BonjourishEventLoop
import _BonjourishSignals

/// Waits for keys, on its own thread, and for the signals that concern a screen.
final class TerminalListener: Sendable {
  /// The time limit for the rest of a key's bytes, in milliseconds.
  private static let keyTimeout: Int32 = 50

  private let stopMark = StopMark()
  private let hasEnded = Observed(false)
  private let signals: SignalWatch

  init(_ session: TerminalSession) {
    signals = SignalWatch(for: [SIGWINCH, SIGTSTP, SIGCONT]) { number, _ in
      switch number {
      case SIGWINCH: session.heardResize()
      case SIGCONT: session.heardContinuation()
      default: session.stop { SignalWatch.performDefault(of: number) }
      }
    }
    startThread { [self] in
      listen(for: session)
      hasEnded.change { $0 = true }
    }
  }

  /// Returns when the thread has ended: later keys are for the next program.
  func stop() async {
    stopMark.set()
    // Waits in a separate task, because this task may be cancelled.
    let hasEnded = hasEnded
    await Task { _ = await hasEnded.take { $0 ? true : nil } }.value
    signals.stop()
  }

  // MARK: - The thread

  private func listen(for session: TerminalSession) {
    var decoder = KeyDecoder()
    while true {
      var requests = [
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stopMark.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let count = try? systemCall("poll") { poll(&requests, 2, decoder.isUndecided ? Self.keyTimeout : -1) }
      if count == 0 { session.heard(decoder.timeOut()) }
      guard let count, count > 0 else { continue }
      guard requests[1].revents == 0 else { return }
      guard requests[0].revents != 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 1_024)
      do throws(SystemError) {
        let length = try systemCall("read") { read(STDIN_FILENO, &buffer, buffer.count) }
        guard length > 0 else { return session.heardEnd() }
        session.heard(decoder.take(buffer.prefix(length)))
      } catch {
        guard error.errno == EAGAIN else { return session.heardEnd() }
      }
    }
  }
}
