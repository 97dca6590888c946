package import FramedTransport

extension TransportLimits {
  /// A test that is not about time must not depend on how long it takes.
  package static let untimed = untimed()

  package static func untimed(
    sendHighWater: Int = 256 * 1024, sendLowWater: Int? = nil, receiveAhead: Int = 256 * 1024
  ) -> TransportLimits {
    TransportLimits(
      sendHighWater: sendHighWater, sendLowWater: sendLowWater, receiveAhead: receiveAhead, frameTime: nil, stallTime: nil,
      keepAlive: nil,
      silenceLimit: nil)
  }
}

/// A listener on the loopback interface, for the time of a closure.
package func withListener<Result>(
  _ security: ListenerSecurity = .plaintext, format: FrameFormat = .standard, limits: TransportLimits = .untimed,
  pending: PendingConnectionLimits = .unlimited, on loops: TransportLoops = .perCore,
  _ body: (Listener) async throws -> Result
) async throws -> Result {
  let listener = try await Listener.bind(
    interface: "lo", format: format, limits: limits, pending: pending, security: security, on: loops)
  do {
    let result = try await body(listener)
    await listener.close()
    return result
  } catch {
    await listener.close()
    throw error
  }
}

/// Both ends of a connection over the loopback interface, for the time of a closure.
package func withPair<Result>(
  _ server: ListenerSecurity, _ client: ConnectionSecurity, format: FrameFormat = .standard,
  limits: TransportLimits = .untimed, on loops: TransportLoops = .perCore,
  _ body: (_ client: Connection, _ server: Connection) async throws -> Result
) async throws -> Result {
  try await withListener(server, format: format, limits: limits, on: loops) { listener in
    let client = try await listener.reach(client, format: format, limits: limits)
    let server = try await listener.accept()
    defer {
      client.abort()
      server.abort()
    }
    return try await body(client, server)
  }
}

extension Listener {
  /// Connects over the loopback interface.
  package func reach(
    _ security: ConnectionSecurity, format: FrameFormat = .standard, limits: TransportLimits = .untimed
  ) async throws(TransportError) -> Connection {
    try await Connection.connect(to: addresses, format: format, limits: limits, security: security)
  }

  /// The next connection, which has to come.
  package func accept() async throws -> Connection {
    var iterator = connections.makeAsyncIterator()
    guard let connection = await iterator.next() else { throw NoConnection() }
    return connection
  }
}

extension Connection {
  /// The next frame; nil at the end.
  package func next() async throws -> [UInt8]? {
    var frames = frames.makeAsyncIterator()
    return try await frames.next()
  }
}

/// A listener was closed, or the task was cancelled, before a connection came.
private struct NoConnection: Error {}

/// Lets others run until something has become true; the time limit of the test ends a wait for what does not.
///
/// Never inlined: the optimiser of Swift 6.3.1 crashes ("While splitting coroutine") on a closure with this loop and one more loop
/// that awaits, when tests are built with `-c release -enable-testing`, as `make simulate` and `make evenings` do.
@inline(never)
package func until(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
