/// A loop that starts at its first use and runs until the process ends.
///
/// Actors may be used until the process ends, and they do not retain their loop. A `static let` of this type keeps it running.
package final class SharedEventLoop: Sendable {
  private let name: String
  private let loop = Locked<EventLoop?>(nil)

  package init(name: String) {
    self.name = name
  }

  /// The loop.
  ///
  /// - Throws: ``SystemError`` if the loop cannot be started; the next call tries again.
  package func get() throws(SystemError) -> EventLoop {
    try loop.withLock { (loop) throws(SystemError) in
      if let loop { return loop }
      let started = try EventLoop(name: name)
      loop = started
      return started
    }
  }
}
