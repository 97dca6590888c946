import EventLoop
import FramedTransport
import Testing

@testable import SecureTransport

extension TransportLimits {
  /// A test that is not about time must not depend on how long it takes.
  static let untimed = TransportLimits(frameTime: nil, stallTime: nil, keepAlive: nil, silenceLimit: nil)
}

/// A listener on the loopback interface, for the time of a closure.
func withListener<Result>(
  _ security: ListenerSecurity, pending: PendingConnectionLimits = .unlimited, on loops: TransportLoops = .one,
  _ body: (Listener) async throws -> Result
) async throws -> Result {
  let listener = try await Listener.bind(
    interface: "lo", limits: .untimed, pending: pending, security: security, on: loops)
  do {
    let result = try await body(listener)
    await listener.close()
    return result
  } catch {
    await listener.close()
    throw error
  }
}

extension Listener {
  /// The next connection, which has to come.
  func accept() async throws -> Connection {
    var iterator = connections.makeAsyncIterator()
    return try #require(await iterator.next())
  }

  /// Connects over the loopback interface.
  func reach(_ security: ConnectionSecurity) async throws(TransportError) -> Connection {
    try await Connection.connect(to: addresses, limits: .untimed, security: security)
  }

  /// Tries to connect; the error, or nil if it succeeds.
  func refusal(_ security: ConnectionSecurity) async -> TransportError? {
    do throws(TransportError) {
      try await reach(security).abort()
      return nil
    } catch {
      return error
    }
  }
}

/// Both ends of an encrypted connection over the loopback interface, for the time of a closure.
func withPair<Result>(
  _ server: ListenerSecurity, _ client: ConnectionSecurity,
  _ body: (_ client: Connection, _ server: Connection) async throws -> Result
) async throws -> Result {
  try await withListener(server) { listener in
    let client = try await listener.reach(client)
    let server = try await listener.accept()
    defer {
      client.abort()
      server.abort()
    }
    return try await body(client, server)
  }
}

extension Connection {
  /// The next frame; nil at the end.
  func next() async throws -> [UInt8]? {
    var frames = frames.makeAsyncIterator()
    return try await frames.next()
  }
}

/// Lets others run until something has become true; the time limit of the test ends a wait for what does not.
@inline(never)
func until(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
