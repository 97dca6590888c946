#if Avahi
import CLinux
import EventLoop

/// The line to the system bus, as another thread than the one that makes the calls may see it.
///
/// Calls of libavahi-client block for as long as libdbus waits, which is 25 s. Cutting the line ends such a call at once: the
/// client then reports that the connection has failed.
final class BusLine: Sendable {
  private struct State {
    /// A duplicate of the bus's descriptor, which nobody else closes; nil while there is no connection.
    var descriptor: CInt?
    /// Grows with each call.
    var progress: UInt64 = 0
    var awaitsAnswer = false
    var wasCut = false
  }

  private let state = Locked(State())

  deinit { closed() }

  // MARK: - The thread of the calls

  func opened(_ descriptor: CInt) {
    state.withLock { state in
      guard state.descriptor == nil else { return }
      let copy = linux_fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      state.descriptor = copy < 0 ? nil : copy
    }
  }

  func closed() {
    state.withLock { state in
      if let descriptor = state.descriptor { close(descriptor) }
      state.descriptor = nil
    }
  }

  /// Notes that a call is about to be made. Many calls one after the other are not a call that hangs.
  func goOn() { state.withLock { $0.progress += 1 } }

  func answered() { state.withLock { $0.awaitsAnswer = false } }

  /// Whether the line was cut since the last call.
  func takeCut() -> Bool {
    state.withLock { state in
      defer { state.wasCut = false }
      return state.wasCut
    }
  }

  // MARK: - The other thread

  /// The number of calls that have been begun.
  var progress: UInt64 { state.withLock { $0.progress } }

  /// Notes that an answer is expected from now on; returns false if an earlier one still is.
  func expectAnswer() -> Bool {
    state.withLock { state in
      defer { state.awaitsAnswer = true }
      return !state.awaitsAnswer
    }
  }

  /// Ends the call that blocks, and the connection.
  func cut() {
    state.withLock { state in
      guard let descriptor = state.descriptor else { return }
      state.wasCut = true
      shutdown(descriptor, CInt(SHUT_RDWR))
    }
  }
}
#endif
