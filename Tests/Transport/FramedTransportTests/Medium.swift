import FramedCoding
import FramedTransportTesting
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// What is between the two ends of a pair of connections.
enum Medium: CaseIterable {
  case loopback
  case memory
  /// Memory that everything goes through in small pieces of random sizes.
  case sievedMemory

  /// Conditions of a link in memory.
  var conditions: MemoryLink.Conditions {
    switch self {
    case .loopback, .memory: MemoryLink.Conditions()
    case .sievedMemory: MemoryLink.Conditions(window: 9_000, largestPiece: 6_000, seed: 24)
    }
  }
}

/// The two ends of a connection, for the time of a closure.
func withPair<Result>(
  over medium: Medium = .loopback, format: FrameFormat = .standard, limits: TransportLimits = .untimed,
  _ body: (_ client: Connection, _ server: Connection) async throws -> Result
) async throws -> Result {
  guard medium == .loopback else {
    let (client, server, _) = try Connection.pair(format: format, limits: limits, conditions: medium.conditions)
    defer {
      client.abort()
      server.abort()
    }
    return try await body(client, server)
  }
  return try await withPair(.plaintext, .plaintext, format: format, limits: limits, body)
}

/// A peer made of system calls, and a connection to it.
func withRawPeer<Result>(
  format: FrameFormat = .standard, limits: TransportLimits = .untimed, pending: PendingConnectionLimits = .unlimited,
  _ body: (_ peer: RawSocket, _ connection: Connection) async throws -> Result
) async throws -> Result {
  try await withListener(format: format, limits: limits, pending: pending) { listener in
    let peer = try RawSocket(connectedTo: listener.port)
    let connection = try await listener.accept()
    defer { connection.abort() }
    return try await body(peer, connection)
  }
}

extension Channel {
  /// Whether a complete frame has come that nobody has taken.
  var hasFrame: Bool { inbound.withLock { (try? $0.decoder.hasFrame()) ?? false } }
}
