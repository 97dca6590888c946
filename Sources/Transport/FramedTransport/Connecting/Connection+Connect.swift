public import FramedCoding

extension Connection {
  /// Connects to the first of a peer's addresses that answers.
  ///
  /// The addresses are tried in the given order, but the families alternate. The next is tried when the one before has failed or
  /// has not answered for 250 ms (RFC 8305). The first that answers wins; the other attempts are dropped. If it proves to be another peer
  /// than `security` accepts, such as one with another key or one that does not encrypt, the others are tried.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of one peer, in order of preference.
  ///   - format: The format of the frames, the same in both directions.
  ///   - limits: The limits of the connection.
  ///   - security: The protection of the connection, established before this returns.
  ///   - limit: The longest time for all attempts together.
  ///   - loops: The loops to choose from; the connection uses the one with the fewest connections. Pass the ``Connection/loop``
  ///     of another connection to use the same thread.
  ///   - log: The handler of log messages; `nil` for none. Called on any thread. It must not block.
  /// - Throws: `refused`, `timedOut`, `unreachable` or another code if all addresses have failed (the most informative of their
  ///   errors, which is that of another peer if one has answered); `timedOut` at the limit; `cancelled` if the task is cancelled; `unreachable` if there are no addresses;
  ///   `outOfResources`.
  public static func connect(
    to addresses: [SocketAddress], format: FrameFormat = .standard, limits: TransportLimits = .peer,
    security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(10), on loops: TransportLoops = .one,
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> Connection {
    try await connect(
      to: addresses, isBudgeted: false, format: format, limits: limits, security: security, within: limit, on: loops, log: log)
  }

  /// Connects as above.
  ///
  /// - Parameter isBudgeted: Whether strangers named the addresses, so that the attempts at each are bounded. One that is not made
  ///   in time fails with the code `throttled`.
  package static func connect(
    to addresses: [SocketAddress], isBudgeted: Bool, format: FrameFormat, limits: TransportLimits,
    security: ConnectionSecurity, within limit: Duration, on loops: TransportLoops,
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> Connection {
    let transportLoop = try loops.started().leastLoaded
    let terms = ChannelTerms(format, limits)
    let connection = try await Connector<Connection>.connect(
      to: addresses, limits: limits, isBudgeted: isBudgeted, within: limit, on: transportLoop, log: TransportLog(log)
    ) { socket, peer, decide in
      establish(socket, peer: peer, terms, security, on: transportLoop, decide)
    }
    try await connection.confirm(security)
    return connection
  }

  /// Looks up a host and connects to the first of its addresses that answers.
  ///
  /// - Parameters:
  ///   - host: A name, or an address as text.
  ///   - port: The port.
  ///   - format: The format of the frames, the same in both directions.
  ///   - limits: The limits of the connection.
  ///   - security: The protection of the connection, established before this returns.
  ///   - limit: The longest time for everything, the look-up included.
  ///   - loops: The loops to choose from.
  ///   - log: The handler of log messages; `nil` for none. Called on any thread. It must not block.
  /// - Throws: What `SocketAddress.resolve(host:port:)` and `connect(to:format:limits:security:within:on:log:)` throw.
  public static func connect(
    toHost host: String, port: UInt16, format: FrameFormat = .standard, limits: TransportLimits = .peer,
    security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(10), on loops: TransportLoops = .one,
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> Connection {
    if let addresses = try SocketAddress.known(host: host, port: port) {
      return try await connect(
        to: addresses, format: format, limits: limits, security: security, within: limit, on: loops, log: log)
    }
    return try await connect(
      toHost: host, port: port, format: format, limits: limits, security: security, within: limit, on: loops, log: log
    ) {
      (host, family) throws(TransportError) in
      try await Resolver.shared.lookUp(host, family)
    }
  }

  /// Connects as above, with a given look-up.
  static func connect(
    toHost host: String, port: UInt16, format: FrameFormat = .standard, limits: TransportLimits = .peer,
    security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(10),
    on loops: TransportLoops = .one, log: (@Sendable (LogMessage) -> Void)? = nil,
    lookUp: @escaping @Sendable (String, SocketAddress.Family) async throws(TransportError) -> [SocketAddress]
  ) async throws(TransportError) -> Connection {
    let transportLoop = try loops.started().leastLoaded
    let families: [SocketAddress.Family] = [.ipv6, .ipv4]
    let terms = ChannelTerms(format, limits)
    let connector = Connector<Connection>(
      to: "\(host), port \(port)", Set(families), limits: limits, log: TransportLog(log), on: transportLoop
    ) { (socket, peer, decide) in
      establish(socket, peer: peer, terms, security, on: transportLoop, decide)
    }
    let result = await withTaskGroup { group in
      for family in families {
        group.addTask {
          let addresses: Result<[SocketAddress], TransportError>
          do throws(TransportError) {
            addresses = .success(try await lookUp(host, family).map { $0.with(port: port) })
          } catch {
            addresses = .failure(error)
          }
          transportLoop.loop.perform { connector.take(addresses, of: family) }
        }
      }
      let result: Result<Connection, TransportError>
      do throws(TransportError) {
        result = .success(try await connector.connect(within: limit) {})
      } catch {
        result = .failure(error)
      }
      group.cancelAll()
      return result
    }
    let connection = try result.get()
    try await connection.confirm(security)
    return connection
  }
}

extension Connection {
  /// Makes a connection over a connected socket, and establishes its protection. Called on the loop.
  ///
  /// - Returns: A closure that ends the attempt, while the protection is not established.
  fileprivate static func establish(
    _ socket: consuming Socket, peer: SocketAddress, _ terms: ChannelTerms, _ security: ConnectionSecurity,
    on transportLoop: TransportLoop, _ decide: @escaping (Result<Connection, TransportError>) -> Void
  ) -> (() -> Void)? {
    let local = socket.localAddress() ?? peer
    let credentials = socket.peerCredentials()
    let stream = SocketStream(socket, on: transportLoop.loop)
    return establish(stream, peer: peer, local: local, credentials, terms, security, on: transportLoop, decide)
  }

  /// Makes a connection over a stream, and establishes its protection. Called on the loop.
  ///
  /// - Returns: A closure that ends the attempt, while the protection is not established.
  static func establish(
    _ plain: any ByteStream, peer: SocketAddress, local: SocketAddress, _ credentials: PeerCredentials?, _ terms: ChannelTerms,
    _ security: ConnectionSecurity, isRelayed: Bool = false, on transportLoop: TransportLoop,
    _ decide: @escaping (Result<Connection, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard let layer = security.layer else {
      let channel = Channel(plain, peer: peer, terms: terms, on: transportLoop)
      channel.start()
      decide(.success(Connection(channel, local: local, credentials, isRelayed: isRelayed)))
      return nil
    }
    let stream = layer.wrap(plain, peer: peer, terms: StreamTerms(terms), on: transportLoop)
    let channel = Channel(stream, peer: peer, terms: terms, on: transportLoop)
    let connection = Connection(channel, local: local, credentials, layerFacts: stream.allFacts, isRelayed: isRelayed)
    stream.whenEstablished { error in decide(error.map { .failure($0) } ?? .success(connection)) }
    channel.start()
    return { channel.abort() }
  }

  /// Has the layer check what it found out about the peer, and aborts the connection if that is not acceptable.
  func confirm(_ security: ConnectionSecurity) async throws(TransportError) {
    guard let layer = security.layer else { return }
    let error = await withCheckedContinuation { caller in
      layer.confirm(layerFacts) { caller.resume(returning: $0) }
    }
    guard let error else { return }
    abort()
    throw error
  }
}

extension Connector {
  /// Connects to the first address that answers.
  static func connect(
    to addresses: [SocketAddress], limits: TransportLimits?, isBudgeted: Bool, within limit: Duration,
    on transportLoop: TransportLoop, log: TransportLog? = nil, _ finish: @escaping Finish
  ) async throws(TransportError) -> Connected {
    guard let family = addresses.first?.family else {
      throw TransportError(.unreachable, "Connecting failed: the list of addresses is empty; look the peer up again")
    }
    let destination = addresses.map(\.description).joined(separator: ", ")
    let connector = Connector(
      to: destination, [family], limits: limits, isBudgeted: isBudgeted, log: log, on: transportLoop, finish)
    return try await connector.connect(within: limit) { connector.take(.success(addresses), of: family) }
  }
}
