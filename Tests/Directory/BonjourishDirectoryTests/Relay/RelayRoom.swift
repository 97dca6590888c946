import Bonjourish
import BonjourishDirectory
import BonjourishTransport
import FramedTransport
import Testing

/// A host and a guest that reach each other by the relay of a real server only: the host listens at an address that is not published.
struct RelayRoom: Sendable {
  static let instance = ServiceInstance("Game", type: "_game._tcp")

  let host: Bonjour
  let guest: Bonjour
  let listener: Listener

  init(
    _ server: NATSServer, at address: String = "127.0.0.2", format: FrameFormat = .standard,
    pending: PendingConnectionLimits = .standard, security: ListenerSecurity = .plaintext,
    _ change: (inout DirectoryConfiguration) -> Void = { _ in }
  ) async throws {
    host = try await Bonjour(server, change)
    guest = try await Bonjour(server, change)
    let address = try #require(SocketAddress(numericHost: address, port: 0))
    listener = try await Listener.bind(to: address, format: format, pending: pending, security: security)
  }

  /// Publishes the room, and serves its connections, while a closure runs.
  func opened<Result: Sendable>(
    _ serve: @escaping @Sendable (Connection) async -> Void = { await RelayRoom.echo($0) },
    _ body: () async throws -> Result
  ) async throws -> Result {
    let serving = Task { [listener] in await listener.serve(serve) }
    let result = try await host.withPublishedServices(
      [.init("Game", type: "_game._tcp", port: listener.port)], listener: listener
    ) { _ in
      do {
        return Swift.Result<Result, any Error>.success(try await body())
      } catch {
        return .failure(error)
      }
    }
    await listener.close()
    serving.cancel()
    await serving.value
    return try result.get()
  }

  func connect(
    format: FrameFormat = .standard, security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(10)
  ) async throws -> Connection {
    try await Connection.connect(to: Self.instance, using: guest, format: format, security: security, within: limit)
  }

  /// Reads to the end, and returns the error, if there is one.
  static func end(of connection: Connection) async -> TransportError.Code? {
    do throws(TransportError) {
      var frames = connection.frames.makeAsyncIterator()
      while try await frames.next() != nil {}
      return nil
    } catch {
      return error.code
    }
  }

  static func echo(_ connection: Connection) async {
    do {
      for try await frame in connection.frames { try await connection.send(frame) }
    } catch {}
  }
}
