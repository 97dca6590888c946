import CBonjourishLinux
package import _BonjourishEventLoop

/// A stream that is a layer over another one, and that must be established with the peer before it carries frames.
///
/// It takes part in the channel's limits from the start: until it is established it takes no bytes and reports none, so a peer
/// that hesitates stays a pending connection.
package protocol LayeredStream: ByteStream, TickObserver {
  var lower: any ByteStream { get }
  var peer: SocketAddress { get }
  /// What it does as other streams do.
  var core: StreamCore { get }

  /// What the layer knows about the connection, once it is established. The connection keeps it for the layer's module.
  var facts: any Sendable { get }

  /// The events that hold above, apart from those that the stream below reports.
  var ready: DescriptorEvents { get }
  /// The events of the stream below that are needed, here or above.
  var needed: DescriptorEvents { get }
  /// Whether all bytes of this layer have left.
  var isFlushed: Bool { get }

  /// Begins, when the stream below has been started.
  func begin()
  func handleLower(_ events: DescriptorEvents)
  /// Ends the stream with an error.
  func fail(_ error: TransportError)
  /// Releases everything but the stream below.
  func release()
}

extension LayeredStream {
  /// What all layers know about the connection, the uppermost first.
  package var allFacts: [any Sendable] { [facts] + ((lower as? any LayeredStream)?.allFacts ?? []) }

  /// Sets a closure to be called once on the loop: when the layer is established, or with the error that prevents it.
  ///
  /// Called before `start`. If the stream is closed before, the error is `closed`.
  package func whenEstablished(_ handler: @escaping (TransportError?) -> Void) { core.whenEstablished(handler) }

  /// Sets a closure to be called on the loop while the layer is being established, as soon as the peer was heard, and when it has
  /// answered. Called before `start`.
  package func whenProgressing(_ handler: @escaping (ConnectionProgress) -> Void) { core.whenProgressing(handler) }

  package func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    core.start(interest, handler)
    do throws(SystemError) {
      try lower.start(.readable) { self.handleLower($0) }
    } catch {
      close()
      throw error
    }
    begin()
  }

  package func update(_ interest: DescriptorEvents) throws(SystemError) {
    core.update(interest)
    try settle()
  }

  /// Waits below for what is needed there or here, and tells what holds already.
  package func settle() throws(SystemError) {
    guard core.isStarted else { return }
    try lower.update(needed)
    core.signal(ready, self)
  }

  package func settleOrFail() {
    do throws(SystemError) {
      try settle()
    } catch {
      fail(TransportError(error, "Watching the connection with \(peer)"))
      core.signal(ready, self)
    }
  }

  package func tickEnded() {
    if core.report(ready) { settleOrFail() }
  }

  /// Thrown beside `failure`, which says what is wrong.
  package static var broken: SystemError { SystemError("receive", errno: EPROTO) }

  package func close() {
    core.loop.assertIsCurrent()
    let isComplete = isFlushed
    release()
    if isComplete { lower.close() } else { lower.reset() }
  }

  package func reset() {
    core.loop.assertIsCurrent()
    release()
    lower.reset()
  }
}
