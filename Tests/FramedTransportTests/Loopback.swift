import CLinux
import EventLoop
import FramedTransportTesting
import Framing
import Testing

@testable import FramedTransport

extension TransportLimits {
  /// A test that is not about time must not depend on how long it takes.
  static let untimed = untimed()

  static func untimed(
    sendHighWater: Int = 256 * 1024, sendLowWater: Int? = nil, receiveAhead: Int = 256 * 1024
  ) -> TransportLimits {
    TransportLimits(
      sendHighWater: sendHighWater, sendLowWater: sendLowWater, receiveAhead: receiveAhead, frameTime: nil, stallTime: nil,
      keepAlive: nil,
      silenceLimit: nil)
  }
}

/// A listener on the loopback interface, for the time of a closure.
func withListener<Result>(
  format: FrameFormat = .standard, limits: TransportLimits = .untimed, pending: PendingConnectionLimits = .unlimited,
  _ body: (Listener) async throws -> Result
) async throws -> Result {
  let listener = try await Listener.bind(interface: "lo", format: format, limits: limits, pending: pending)
  do {
    let result = try await body(listener)
    await listener.close()
    return result
  } catch {
    await listener.close()
    throw error
  }
}

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
  return try await withListener(format: format, limits: limits) { listener in
    let client = try await Connection.connect(to: listener.addresses, format: format, limits: limits)
    let server = try await listener.accept()
    defer {
      client.abort()
      server.abort()
    }
    return try await body(client, server)
  }
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

extension Listener {
  /// The next connection, which has to come.
  func accept() async throws -> Connection {
    var iterator = connections.makeAsyncIterator()
    return try #require(await iterator.next())
  }
}

/// Runs something that blocks on a thread of its own, away from those that tasks share.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    let work = Work { continuation.resume(with: Swift.Result { try body() }) }
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    guard failure == 0 else { return continuation.resume(throwing: RawSocket.Failure(errno: failure)) }
    pthread_detach(thread)
  }
}

private final class Work: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Lets others run until something has become true; the time limit of the test ends a wait for what does not.
///
/// Never inlined: the optimiser of Swift 6.3.1 crashes ("While splitting coroutine") on a closure with this loop and one more loop
/// that awaits, when tests are built with `-c release -enable-testing`, as `make simulate` and `make evenings` do.
@inline(never)
func until(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

extension Channel {
  /// Whether a complete frame has come that nobody has taken.
  var hasFrame: Bool { inbound.withLock { (try? $0.decoder.hasFrame()) ?? false } }
}
