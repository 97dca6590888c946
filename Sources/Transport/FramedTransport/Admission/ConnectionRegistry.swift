import _BonjourishEventLoop

/// The open and pending connections of one listener, and the counters of their events.
///
/// It is locked when a connection arrives, is admitted or leaves, and never for a frame.
final class ConnectionRegistry: Sendable {
  private struct State {
    var queue: AdmissionQueue
    /// The open connections.
    var channels: [AdmissionQueue.Ticket: Channel] = [:]
    /// The connection that ends for want of a descriptor.
    var leaving: AdmissionQueue.Ticket?
    var counters = ListenerMetrics()
    /// The tasks that wait until no connection is open.
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  let limits: PendingConnectionLimits
  private let state: Locked<State>
  private let byteCounters: Locked<[ObjectIdentifier: ByteCounter]> = Locked([:])

  /// Where refused and broken connections are told of.
  let log: TransportLog?

  init(_ limits: PendingConnectionLimits, log: TransportLog? = nil) {
    self.limits = limits
    self.log = log
    state = Locked(State(queue: AdmissionQueue(limits)))
  }

  /// The counts of events so far, and of the present connections.
  var metrics: ListenerMetrics {
    var counters = state.withLock { state in
      state.counters.connections = state.channels.count
      state.counters.pending = state.queue.count
      return state.counters
    }
    for byteCounter in byteCounters.withLock({ Array($0.values) }) { byteCounter.add(to: &counters) }
    return counters
  }

  func count(_ event: (inout ListenerMetrics) -> Void) {
    state.withLock { event(&$0.counters) }
  }

  /// The byte counter of a loop's connections.
  func byteCounter(of transportLoop: TransportLoop) -> ByteCounter {
    byteCounters.withLock { byteCounters in
      if let byteCounter = byteCounters[ObjectIdentifier(transportLoop)] { return byteCounter }
      let byteCounter = ByteCounter()
      byteCounters[ObjectIdentifier(transportLoop)] = byteCounter
      return byteCounter
    }
  }

  // MARK: - Coming and going

  /// Registers or refuses a new connection. Another may be displaced for it.
  ///
  /// - Returns: `nil` if the connection is refused. Otherwise `enter` must be called before another connection arrives.
  func arrive(
    _ peer: SocketAddress, seenFrom local: SocketAddress, _ credentials: PeerCredentials? = nil
  ) -> AdmissionQueue.Ticket? {
    let block = AddressBlock(peer, seenFrom: local, credentials)
    let (ticket, displaced) = state.withLock { state -> (AdmissionQueue.Ticket?, Channel?) in
      switch state.queue.arrive(from: block) {
      case .accepted(let ticket, let displaced):
        return (ticket, displaced.flatMap { state.channels[$0] })
      case .addressCrowded:
        state.counters.refusedFromAddress += 1
        return (nil, nil)
      case .crowded:
        state.counters.refusedCrowded += 1
        return (nil, nil)
      }
    }
    displaced?.displace()
    if ticket == nil {
      log?.report(
        .warning, "refused", "a connection from \(peer) was refused: too many are pending, from its address or altogether",
        ["peer": "\(peer)"])
    }
    return ticket
  }

  /// Adds the channel of a registered connection.
  func enter(_ channel: Channel, _ ticket: AdmissionQueue.Ticket) {
    state.withLock { state in
      state.counters.accepted += 1
      state.channels[ticket] = channel
    }
  }

  /// Admits a connection. Has no effect if it is already admitted.
  func admit(_ ticket: AdmissionQueue.Ticket) {
    state.withLock { state in
      if state.queue.leave(ticket) { state.counters.admitted += 1 }
    }
  }

  /// Ends a pending connection, so that there is a descriptor for the next one, if the limits permit it. One at a time: has no effect while
  /// another still ends.
  func makeRoom() {
    let channel = state.withLock { state -> Channel? in
      guard state.leaving == nil, let ticket = state.queue.displace() else { return nil }
      let channel = state.channels[ticket]
      if channel != nil { state.leaving = ticket }
      return channel
    }
    channel?.displace()
  }

  /// Notes how far a connection has come. Has no effect if it is already admitted.
  func note(_ progress: ConnectionProgress, of ticket: AdmissionQueue.Ticket) {
    state.withLock { $0.queue.note(progress, of: ticket) }
  }

  /// Removes a closed connection.
  func leave(_ ticket: AdmissionQueue.Ticket) {
    let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.queue.leave(ticket)
      state.channels[ticket] = nil
      if state.leaving == ticket { state.leaving = nil }
      guard state.channels.isEmpty else { return [] }
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  // MARK: - Closing

  /// The number of open connections.
  var connectionCount: Int { state.withLock { $0.channels.count } }

  /// Returns when no connection is open.
  func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.channels.isEmpty { state.closers.append(continuation) }
        return state.channels.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Aborts all connections.
  ///
  /// - Parameter count: Called with their number before they are aborted, because a waiting task may resume during the aborts.
  func abortAll(_ count: (Int) -> Void) {
    let channels = state.withLock { Array($0.channels.values) }
    count(channels.count)
    for channel in channels { channel.abort() }
  }
}
