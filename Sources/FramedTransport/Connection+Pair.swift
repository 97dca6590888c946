import EventLoop
public import Framing

extension Connection {
  /// Two connections that are joined in memory, and what is between them; for the tests of programs that take connections.
  ///
  /// They behave as the two sides of a TCP connection do, without a descriptor or a port: everything that an app does with a
  /// connection can be tested, in particular what happens rarely. The code of a server is given one of the two as a `Listener`
  /// would give it:
  /// ```swift
  /// @Test func `a question that was cut off is asked again`() async throws {
  ///   let (client, server, link) = try Connection.pair(conditions: .init(largestPiece: 1))
  ///   await link.cut(.reset, afterBytes: 3, .toClient)     // inside the length of the first answer
  ///   async let served: Void = answer(server)              // what the app gives to `listener.serve`
  ///   await #expect(throws: TransportError.self) { try await ask("who?", over: client) }
  ///   await served
  /// }
  /// ```
  /// As everything of a pair happens on one thread, a test whose tasks run there too, on `executor`, is the same each time.
  ///
  /// - Parameters:
  ///   - format: The shape of the frames in both directions.
  ///   - limits: When `send` suspends, and when the peer has to.
  ///   - conditions: What is between the two, as long as nothing goes wrong.
  ///   - clientAddress: What the server sees as its peer; an address for documentation (192.0.2.1, RFC 5737) with another port
  ///     for each pair when not given.
  ///   - serverAddress: What the client sees as its peer; 192.0.2.2 with port 1024 when not given.
  /// - Throws: `outOfResources` when the thread for connections cannot be started.
  public static func pair(
    format: FrameFormat = .standard, limits: TransportLimits = .patient, conditions: MemoryLink.Conditions = .init(),
    clientAddress: SocketAddress? = nil, serverAddress: SocketAddress? = nil
  ) throws(TransportError) -> (client: Connection, server: Connection, link: MemoryLink) {
    let home = try TransportLoop.first(1)[0]
    let wire = MemoryWire(conditions, on: home.loop)
    let terms = ChannelTerms(format, limits)
    let clientAddress = clientAddress ?? SocketAddress(numericHost: "192.0.2.1", port: nextPort())!
    let serverAddress = serverAddress ?? SocketAddress(numericHost: "192.0.2.2", port: 1024)!
    func end(_ direction: MemoryLink.Direction, from local: SocketAddress, to peer: SocketAddress) -> Connection {
      let channel = Channel(MemoryStream(wire, sending: direction), peer: peer, terms: terms, on: home)
      channel.start()
      return Connection(channel, local: local)
    }
    return (
      end(.toServer, from: clientAddress, to: serverAddress), end(.toClient, from: serverAddress, to: clientAddress),
      MemoryLink(wire)
    )
  }

  private static let portsGiven = Locked<UInt16>(0)

  /// One of those that systems give to clients (RFC 6335, section 6).
  private static func nextPort() -> UInt16 {
    portsGiven.withLock { ports in
      ports = (ports + 1) % 16_384
      return 49_152 + ports
    }
  }
}
