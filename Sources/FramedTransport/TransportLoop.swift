import CLinux
package import EventLoop
import Synchronization

/// A loop together with what the connections on it share.
///
/// Sendable: `share` is touched on the loop only, and everything else guards itself.
package final class TransportLoop: @unchecked Sendable {
  let loop: EventLoop
  let pool = BufferPool()
  @exclusivity(unchecked) var share = ReadingShare()

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

  /// From how many dropped buffers on memory is given back, and how long after the first of those connections has gone.
  private static let mostUntidied = 16
  private static let tidyingDelay = Duration.seconds(1)

  /// Gives memory back to the system when many connections that held much of it have gone. On the loop.
  ///
  /// The allocator keeps what has been freed between things that are still needed, which after a crowd of slow peers is several
  /// times what all connections have.
  func tidySoon() {
    guard pool.droppedCount >= Self.mostUntidied, !isTidying.exchange(true, ordering: .relaxed) else { return }
    _ = loop.schedule(after: Self.tidyingDelay) {
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
