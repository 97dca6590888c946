#if Avahi
import CBonjourishLinux
import _BonjourishEventLoop

/// The line to the system bus, as another thread than the one that makes the calls may see it. It may be of several connections.
///
/// Calls of libavahi-client block for as long as libdbus waits, which is 25 s. Cutting the line ends such a call at once: the
/// client then reports that the connection has failed.
final class BusLine: Sendable {
  /// A duplicate of the descriptor of a connection: nobody else closes it.
  private final class Copy: Sendable {
    let descriptor: OwnedDescriptor

    init(_ number: CInt) { descriptor = OwnedDescriptor(number) }
  }

  private struct State {
    /// By the descriptors of the connections.
    var copies: [CInt: Copy] = [:]
    /// Grows with each call.
    var progress: UInt64 = 0
    var awaitsAnswer = false
    /// The progress at which a call was made that is not waited for, or was in vain.
    var vainProgress: UInt64?
    var wasCut = false
    /// The number of publications that the daemon has of us.
    var publications = 0
    /// The number of records that the daemon has told us of and that our lookups keep.
    var answers = 0
    var cuts = 0
  }

  private let state = Locked(State())

  // MARK: - The thread of the calls

  func opened(_ descriptor: CInt) {
    state.withLock { state in
      guard state.copies[descriptor] == nil else { return }
      let copy = linux_fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      state.copies[descriptor] = copy < 0 ? nil : Copy(copy)
    }
  }

  func closed(_ descriptor: CInt) { state.withLock { $0.copies[descriptor] = nil } }

  /// Notes that a call is about to be made. Many calls one after the other are not a call that hangs.
  func goOn() { state.withLock { $0.progress += 1 } }

  /// Notes how many publications the daemon has of us.
  func carry(publications count: Int) { state.withLock { $0.publications = count } }

  /// Notes that the daemon has more or fewer answers to our lookups.
  func carry(answers change: Int) { if change != 0 { state.withLock { $0.answers += change } } }

  func answered() { state.withLock { $0.awaitsAnswer = false } }

  /// Whether the line was cut since the last call.
  func takeCut() -> Bool {
    state.withLock { state in
      defer { state.wasCut = false }
      return state.wasCut
    }
  }

  /// The number of times that the line was cut.
  var cuts: Int { state.withLock { $0.cuts } }

  // MARK: - The other thread

  /// How often the watchdog may find the same call unanswered.
  ///
  /// One question can keep the daemon busy for seconds when it has many answers to it. So can the answers of others: it compares
  /// each with all that it has of the same name and type, as with all services of a type. Anybody can announce those, so that they
  /// make it wait for half a minute at most.
  var maximumMisses: Int { state.withLock { 1 + $0.publications / 200 + min($0.answers / 500, 12) } }

  /// The number of calls that have been begun.
  var progress: UInt64 { state.withLock { $0.progress } }

  /// Whether the call that was begun at this progress is not to be waited for, because it does not return.
  func isVain(at progress: UInt64) -> Bool { state.withLock { $0.vainProgress == progress } }

  func noteVain(at progress: UInt64?) { state.withLock { $0.vainProgress = progress } }

  /// Notes that an answer is expected from now on; returns false if an earlier one still is.
  func expectAnswer() -> Bool {
    state.withLock { state in
      defer { state.awaitsAnswer = true }
      return !state.awaitsAnswer
    }
  }

  /// Ends the call that blocks, and the connections.
  func cut() {
    state.withLock { state in
      if !state.copies.isEmpty { state.cuts += 1 }
      for copy in state.copies.values {
        state.wasCut = true
        shutdown(copy.descriptor.number, CInt(SHUT_RDWR))
      }
    }
  }
}
#endif
