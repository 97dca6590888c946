/// A loop that is started when it is first asked for and runs until the process ends.
///
/// Actors that live on a loop may be used until the last moment of the process, so what makes them has to keep their loop
/// running; a `static let` of this type does.
package final class SharedEventLoop: Sendable {
  private let name: String
  private let loop = Locked<EventLoop?>(nil)

  package init(name: String) {
    self.name = name
  }

  /// The loop.
  ///
  /// - Throws: ``SystemError`` when it cannot be started; the next call tries again.
  package func get() throws(SystemError) -> EventLoop {
    try loop.withLock { (loop) throws(SystemError) in
      if let loop { return loop }
      let started = try EventLoop(name: name)
      loop = started
      return started
    }
  }
}
