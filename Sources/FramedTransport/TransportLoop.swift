package import EventLoop

/// A loop together with what the connections on it share.
package final class TransportLoop: Sendable {
  let loop: EventLoop
  let pool = BufferPool()
  let share = Locked(ReadingShare())

  /// Lets connections live on a loop; it has to run as long as any of them.
  package init(_ loop: EventLoop) {
    self.loop = loop
  }

  private static let started = Locked<TransportLoop?>(nil)

  /// The one for those who do not choose, started when it is first asked for.
  static func shared() throws(TransportError) -> TransportLoop {
    do throws(SystemError) {
      return try started.withLock { (started) throws(SystemError) in
        if let started { return started }
        let loop = TransportLoop(try EventLoop(name: "transport"))
        started = loop
        return loop
      }
    } catch {
      throw TransportError(error, "Starting the thread for connections")
    }
  }
}
