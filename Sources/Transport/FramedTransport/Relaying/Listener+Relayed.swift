import _BonjourishEventLoop

extension Listener {
  /// Accepts a connection over a stream that no socket has brought, with the same limits, layers and counters.
  ///
  /// - Parameters:
  ///   - relayed: The stream.
  ///   - refused: Called when it is not accepted: too many connections are pending or wait for the app, or the listener is closed.
  package func accept(_ relayed: RelayedStream, orElse refused: @escaping @Sendable () -> Void) {
    acceptor.loop.perform { [acceptor] in
      if !acceptor.take(relayed) { refused() }
    }
  }
}

extension TransportLoops {
  /// The loop for the next connection.
  ///
  /// - Throws: `outOfResources` if it cannot be started.
  package func chosen() throws(TransportError) -> TransportLoop { try started().leastLoaded }
}
