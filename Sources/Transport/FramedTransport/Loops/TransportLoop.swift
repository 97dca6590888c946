import CBonjourishLinux
import Synchronization
package import _BonjourishEventLoop

/// A loop, and the resources that its connections share.
///
/// Sendable: `readBudget` and `spare` are confined to the loop; everything else is constant, locked or atomic.
package final class TransportLoop: @unchecked Sendable {
  package let loop: EventLoop
  let pool = BufferPool()
  // Confined to the loop. Dynamic exclusivity checks are off because every read uses these variables.
  @exclusivity(unchecked) var readBudget = ReadBudget()
  /// The buffer that was last returned on the loop. Taking it again needs no lock.
  @exclusivity(unchecked) private var spare: [UInt8] = []

  private let connections = Atomic(0)
  private let isTidying = Atomic(false)

  /// Serves connections on a loop, which must run as long as any of them exists.
  package init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// The number of connections. It may have changed when the caller uses it.
  package var connectionCount: Int { connections.load(ordering: .relaxed) }

  /// Counts a new connection (1) or a closed one (-1).
  func count(_ change: Int) {
    connections.add(change, ordering: .relaxed)
  }

  /// Returns a buffer to read into, whose content is to be replaced. Called on the loop.
  func takeBuffer() -> [UInt8] {
    loop.assertIsCurrent()
    guard spare.capacity > 0 else { return pool.take() }
    var buffer: [UInt8] = []
    swap(&buffer, &spare)
    return buffer
  }

  /// Takes back such a buffer, or any other array. Can be called on any thread.
  func giveBuffer(_ buffer: consuming [UInt8]) {
    guard loop.isCurrent, spare.capacity == 0, BufferPool.isWorthKeeping(buffer) else { return pool.give(buffer) }
    swap(&spare, &buffer)
  }

  /// The number of dropped buffers from which memory is returned to the system, and the time without another drop before that.
  private static let mostUntidied = 16
  private static let tidyingDelay = Duration.milliseconds(250)

  /// Returns memory to the system after many connections with large buffers have closed. Called on the loop. This can take
  /// milliseconds, so it waits until no more buffers are dropped.
  ///
  /// The allocator keeps freed memory that lies between used blocks. After many slow peers that is several times the memory of
  /// all connections.
  func tidySoon() {
    loop.assertIsCurrent()
    let count = pool.droppedCount
    guard count >= Self.mostUntidied, !isTidying.exchange(true, ordering: .relaxed) else { return }
    tidy(unlessMoreThan: count)
  }

  private func tidy(unlessMoreThan count: Int) {
    loop.assertIsCurrent()
    _ = loop.schedule(after: Self.tidyingDelay) {
      let newCount = self.pool.droppedCount
      guard newCount == count else { return self.tidy(unlessMoreThan: newCount) }
      self.isTidying.store(false, ordering: .relaxed)
      self.pool.forgetDropped()
      malloc_trim(0)
    }
  }

  private static let started = Locked<[TransportLoop]>([])

  /// Returns the first loops of the process, and starts those that do not run yet. They run until the process ends.
  package static func first(_ count: Int) throws(TransportError) -> [TransportLoop] {
    do throws(SystemError) {
      return try started.withLock { (started) throws(SystemError) in
        while started.count < count {
          started.append(TransportLoop(try EventLoop(name: "transport-\(started.count + 1)")))
        }
        return Array(started.prefix(count))
      }
    } catch {
      throw TransportError(error, "Starting a thread for connections")
    }
  }
}
