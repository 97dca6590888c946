import Synchronization

/// The numbers of bytes that a listener's connections on one loop have received and sent.
///
/// Only that loop writes, so a load and a store are enough; other threads only read.
final class ByteCounter: Sendable {
  private let receivedCount = Atomic<UInt64>(0)
  private let sentCount = Atomic<UInt64>(0)

  func received(_ count: Int) {
    receivedCount.store(receivedCount.load(ordering: .relaxed) &+ UInt64(count), ordering: .relaxed)
  }

  func sent(_ count: Int) {
    sentCount.store(sentCount.load(ordering: .relaxed) &+ UInt64(count), ordering: .relaxed)
  }

  func add(to counters: inout ListenerMetrics) {
    counters.bytesReceived += receivedCount.load(ordering: .relaxed)
    counters.bytesSent += sentCount.load(ordering: .relaxed)
  }
}
