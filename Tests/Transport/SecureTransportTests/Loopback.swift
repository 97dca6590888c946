import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

extension Listener {
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
