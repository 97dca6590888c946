public import FramedCoding
public import FramedTransport
import _BonjourishEventLoop

extension Connection {
  /// Creates two connections that are joined in memory, and the link between them, for tests of programs that use connections.
  ///
  /// They behave like the two sides of a TCP connection, without a descriptor or a port. So tests can cover everything that an
  /// app does with a connection, in particular rare events. The code of a server gets one of the two, as it would from a
  /// `Listener`:
  /// ```swift
  /// @Test func `a question that was cut off is asked again`() async throws {
  ///   let (client, server, link) = try Connection.pair(conditions: .init(largestPiece: 1))
  ///   await link.cut(.reset, afterBytes: 3, .toClient)     // inside the length of the first answer
  ///   async let served: Void = answer(server)              // what the app gives to `listener.serve`
  ///   await #expect(throws: TransportError.self) { try await ask("who?", over: client) }
  ///   await served
  /// }
  /// ```
  /// A pair runs on one thread. A test whose tasks run on that thread too, on `executor`, gives the same result each time.
  ///
  /// - Parameters:
  ///   - format: The format of the frames, the same in both directions.
  ///   - limits: The limits of both connections.
  ///   - conditions: The properties of the link.
  ///   - clientAddress: The server's peer address; by default an address for documentation (192.0.2.1, RFC 5737) with a different
  ///     port for each pair.
  ///   - serverAddress: The client's peer address; by default 192.0.2.2 with port 1024.
  /// - Throws: `outOfResources` if the thread for connections cannot be started.
  public static func pair(
    format: FrameFormat = .standard, limits: TransportLimits = .patient, conditions: MemoryLink.Conditions = .init(),
    clientAddress: SocketAddress? = nil, serverAddress: SocketAddress? = nil
  ) throws(TransportError) -> (client: Connection, server: Connection, link: MemoryLink) {
    let transportLoop = try TransportLoop.first(1)[0]
    let wire = MemoryWire(conditions, on: transportLoop.loop)
    let clientAddress = clientAddress ?? SocketAddress(numericHost: "192.0.2.1", port: nextPort())!
    let serverAddress = serverAddress ?? SocketAddress(numericHost: "192.0.2.2", port: 1024)!
    func end(_ direction: MemoryLink.Direction, from local: SocketAddress, to peer: SocketAddress) -> Connection {
      Connection(
        over: MemoryStream(wire, sending: direction), peer: peer, local: local, format: format, limits: limits,
        on: transportLoop)
    }
    return (
      end(.toServer, from: clientAddress, to: serverAddress), end(.toClient, from: serverAddress, to: clientAddress),
      MemoryLink(wire)
    )
  }

  private static let portsGiven = Locked<UInt16>(0)

  /// Returns a dynamic port, as systems assign to clients (RFC 6335, section 6).
  private static func nextPort() -> UInt16 {
    portsGiven.withLock { ports in
      ports = (ports + 1) % 16_384
      return 49_152 + ports
    }
  }
}
