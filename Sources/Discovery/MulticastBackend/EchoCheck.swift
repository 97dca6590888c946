import _BonjourishEventLoop

/// Finds out whether multicast passes on one link. The kernel hands what is sent to the group back to the sender, unless sending
/// fails or a firewall drops it; then nothing that others send arrives either.
///
/// A value without I/O. It costs nothing while the echo comes: only when it is missing, datagrams that stay on this machine are
/// sent (``MulticastSocket/test(on:isLoopback:with:)``), and the link is faulty if none comes back. They are then repeated until one
/// does. Where nothing is sent, one such datagram is, twice a minute.
struct EchoCheck {
  enum Fault: Hashable {
    case cannotSend(SystemError)
    /// Nothing is received.
    case notHeard
  }

  private enum State {
    case working
    /// Something was sent that has not come back.
    case waiting(until: Duration)
    /// Test datagrams are being sent.
    case testing(count: Int, until: Duration)
    case faulty(Fault, until: Duration)
  }

  /// The time in which an echo comes, even on a busy machine.
  static let timeout: Duration = .milliseconds(250)
  /// The number of test datagrams. So many are not lost by chance: every second may be.
  static let tests = 16
  static let testInterval: Duration = .milliseconds(25)
  /// The interval at which a link is tested while nothing else is sent there.
  static let idleInterval: Duration = .seconds(30)
  /// The interval of the test datagrams on a faulty link.
  static let repetition: Duration = .seconds(2)

  private var state = State.working
  /// Whether something has come back, and the link has not been faulty since.
  private(set) var isProven = false
  /// The failure of the last attempt to send.
  private var failure: SystemError?

  var fault: Fault? {
    if case .faulty(let fault, _) = state { fault } else { nil }
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  var nextDeadline: Duration? {
    switch state {
    case .working: nil
    case .waiting(let deadline), .testing(_, let deadline), .faulty(_, let deadline): deadline
    }
  }

  /// Notes that something was sent to the group, or could not be sent.
  mutating func sent(_ failure: SystemError?, at now: Duration) {
    self.failure = failure
    if case .working = state { state = .waiting(until: now + Self.timeout) }
  }

  /// Notes that something was received that was sent to the group. Where it can be sent too, the link works.
  mutating func heard() {
    guard failure == nil else { return }
    state = .working
    isProven = true
  }

  /// Handles a deadline that has passed. What was received by then must have been noted.
  ///
  /// - Returns: Whether to send a test datagram, and to note it.
  mutating func advance(to now: Duration) -> Bool {
    guard let nextDeadline, nextDeadline <= now else { return false }
    switch state {
    case .working:
      return false
    case .waiting:
      state = .testing(count: 1, until: now + Self.testInterval)
    case .testing(Self.tests, _):
      state = .faulty(failure.map { .cannotSend($0) } ?? .notHeard, until: now + Self.repetition)
      isProven = false
      return false
    case .testing(let count, _):
      state = .testing(count: count + 1, until: now + Self.testInterval)
    case .faulty(let fault, _):
      state = .faulty(fault, until: now + Self.repetition)
    }
    return true
  }
}
