import CLinux
package import EventLoop
import Synchronization

/// A loop together with what the connections on it share.
///
/// Sendable: `share` and `spare` are touched on the loop only, and everything else guards itself.
package final class TransportLoop: @unchecked Sendable {
  let loop: EventLoop
  let pool = BufferPool()
  @exclusivity(unchecked) var share = ReadingShare()
  /// The buffer that was given back last by somebody on the loop, who is likely to be the one to take it: that needs no lock.
  @exclusivity(unchecked) private var spare: [UInt8] = []

  private let connections = Atomic(0)
  private let isTidying = Atomic(false)

  /// Lets connections live on a loop; it has to run as long as any of them.
  package init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// How many connections live here, as far as others need to know: the number may have changed by now.
  package var connectionCount: Int { connections.load(ordering: .relaxed) }

  /// Counts a connection that has come (1) or gone (-1).
  func count(_ change: Int) {
    connections.add(change, ordering: .relaxed)
  }

  /// A buffer to read into; what is in it means nothing. On the loop.
  func takeBuffer() -> [UInt8] {
    guard spare.capacity > 0 else { return pool.take() }
    var buffer: [UInt8] = []
    swap(&buffer, &spare)
    return buffer
  }

  /// Gives such a buffer back, or any other array. On any thread.
  func giveBuffer(_ buffer: consuming [UInt8]) {
    guard loop.isCurrent, spare.capacity == 0, BufferPool.isWorthKeeping(buffer) else { return pool.give(buffer) }
    swap(&spare, &buffer)
  }

  /// From how many dropped buffers on memory is given back, and how long there must have been no other before.
  private static let mostUntidied = 16
  private static let tidyingDelay = Duration.milliseconds(250)

  /// Gives memory back to the system when many connections that held much of it have gone, and it has become quiet, for that can
  /// take milliseconds. On the loop.
  ///
  /// The allocator keeps what has been freed between things that are still needed, which after a crowd of slow peers is several
  /// times what all connections have.
  func tidySoon() {
    let count = pool.droppedCount
    guard count >= Self.mostUntidied, !isTidying.exchange(true, ordering: .relaxed) else { return }
    tidy(unlessMoreThan: count)
  }

  private func tidy(unlessMoreThan count: Int) {
    _ = loop.schedule(after: Self.tidyingDelay) {
      let newCount = self.pool.droppedCount
      guard newCount == count else { return self.tidy(unlessMoreThan: newCount) }
      self.isTidying.store(false, ordering: .relaxed)
      self.pool.forgetDropped()
      malloc_trim(0)
    }
  }

  private static let started = Locked<[TransportLoop]>([])

  /// The first loops of the process; those that do not run yet are started, and run until the process ends.
  static func first(_ count: Int) throws(TransportError) -> [TransportLoop] {
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
