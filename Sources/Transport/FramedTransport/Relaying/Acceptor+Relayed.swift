import _BonjourishEventLoop

extension Acceptor {
  /// Takes a stream that no socket has brought, under the same limits.
  ///
  /// - Returns: Whether it was taken. Otherwise too many connections are pending or wait for the app, or the listener is closed.
  func take(_ relayed: RelayedStream) -> Bool {
    loop.assertIsCurrent()
    guard state.withLock({ !$0.isFull && !$0.isClosed }), !isShort,
      let ticket = registry.arrive(relayed.peer, seenFrom: relayed.local)
    else { return false }
    let transportLoop = transportLoops.leastLoaded
    let stream = relayed.make(transportLoop)
    if !enter(stream, peer: relayed.peer, local: relayed.local, nil, ticket, isRelayed: true, on: transportLoop) {
      pauseIfFull()
    }
    return true
  }
}
