package import _BonjourishEventLoop

/// What all streams do alike that are not sockets: layers, relayed streams and streams in memory.
///
/// It calls the channel's handler at the end of a tick with the events that hold then; keeps what a layer may take in a tick; and tells
/// once how establishing a layer has ended, and why a stream has failed.
///
/// Belongs to its stream and is confined to the loop. Dynamic exclusivity checks are off for variables that every read and write uses.
package final class StreamCore {
  package let loop: EventLoop
  /// The events of interest to the channel.
  @exclusivity(unchecked) package private(set) var interest: DescriptorEvents = []
  /// `nil` before the start and after the end.
  @exclusivity(unchecked) private var handler: ((DescriptorEvents) -> Void)?
  @exclusivity(unchecked) private var isReportScheduled = false
  /// What a layer may still take in this tick.
  @exclusivity(unchecked) package var budget = LayerBudget()
  /// Why the stream has failed.
  @exclusivity(unchecked) package private(set) var failure: TransportError?
  private var whenEstablished: ((TransportError?) -> Void)?
  private var whenProgressing: ((ConnectionProgress) -> Void)?
  private var progress = ConnectionProgress.silent
  private var timer: LoopTimer?

  package init(on loop: EventLoop) {
    self.loop = loop
  }

  // MARK: - The handler

  /// Whether the stream has been started, and not been closed.
  package var isStarted: Bool { handler != nil }

  package func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) {
    loop.assertIsCurrent()
    self.interest = interest
    self.handler = handler
  }

  package func update(_ interest: DescriptorEvents) {
    loop.assertIsCurrent()
    self.interest = interest
  }

  /// Calls the handler with those of some events that are of interest; returns whether it was called.
  @discardableResult
  package func call(_ events: DescriptorEvents) -> Bool {
    let events = events.intersection(interest)
    guard let handler, !events.isEmpty else { return false }
    handler(events)
    return true
  }

  /// Has the stream report at the end of the tick, if an event holds that is of interest.
  ///
  /// - Parameters:
  ///   - ready: The events that hold now.
  ///   - stream: Calls ``report(_:)`` then.
  package func signal(_ ready: @autoclosure () -> DescriptorEvents, _ stream: any TickObserver) {
    guard handler != nil, !isReportScheduled, !ready().isDisjoint(with: interest) else { return }
    isReportScheduled = true
    loop.atEndOfTick(stream)
  }

  /// Calls the handler with the events that hold at the end of the tick; returns whether it was called.
  ///
  /// The stream signals again afterwards, for the next tick: other streams are served between.
  package func report(_ ready: DescriptorEvents) -> Bool {
    loop.assertIsCurrent()
    isReportScheduled = false
    return call(ready)
  }

  /// Calls the handler no more.
  package func end() {
    handler = nil
    stopTimer()
  }

  // MARK: - The life of a layer

  package func whenEstablished(_ handler: @escaping (TransportError?) -> Void) { whenEstablished = handler }

  package func whenProgressing(_ handler: @escaping (ConnectionProgress) -> Void) { whenProgressing = handler }

  /// Tells how far the peer has come, unless that is known.
  package func note(_ progress: ConnectionProgress) {
    guard self.progress < progress else { return }
    self.progress = progress
    whenProgressing?(progress)
  }

  /// Tells that the layer is established.
  package func establish() {
    stopTimer()
    whenEstablished.take()?(nil)
  }

  /// Keeps the reason why the stream has failed; returns false if it had failed before or is not open.
  ///
  /// The channel finds it at its next read, and closes the stream. Only then the connection is given up.
  package func fail(_ error: TransportError) -> Bool {
    loop.assertIsCurrent()
    guard failure == nil, isStarted else { return false }
    failure = error
    stopTimer()
    return true
  }

  /// Ends a layer that is closed. If it was not established, tells why.
  ///
  /// - Parameter closed: The reason if nothing has failed.
  package func end(_ closed: @autoclosure () -> TransportError) {
    end()
    whenEstablished.take()?(failure ?? closed())
  }

  // MARK: - The timer

  package var hasTimer: Bool { timer != nil }

  /// Runs an action after a time, unless the timer is set again or stopped, or the layer is established, before.
  package func setTimer(after time: Duration, _ action: @escaping () -> Void) {
    timer?.cancel()
    timer = loop.schedule(after: time) {
      self.timer = nil
      action()
    }
  }

  package func stopTimer() {
    timer?.cancel()
    timer = nil
  }
}
