import EventLoop

/// The bytes that a listener's connections on one loop have received and sent.
///
/// Counted by that loop alone, so that its lock is hardly ever contended; and once for a system call, not for a frame.
final class Tally: Sendable {
  private let bytes = Locked<(received: UInt64, sent: UInt64)>((0, 0))

  func received(_ count: Int) {
    bytes.withLock { $0.received += UInt64(count) }
  }

  func sent(_ count: Int) {
    bytes.withLock { $0.sent += UInt64(count) }
  }

  func add(to counters: inout ListenerCounters) {
    let bytes = bytes.withLock { $0 }
    counters.bytesReceived += bytes.received
    counters.bytesSent += bytes.sent
  }
}
