public import Framing

extension Connection {
  /// Connects to the first of many addresses that answers.
  ///
  /// All of them are those of one peer. They are tried in the order given, but the families in turn; each when the one before
  /// has failed or has not answered for 250 ms (RFC 8305). The first that answers wins, and the others are dropped.
  ///
  /// - Parameters:
  ///   - addresses: Where the peer may be.
  ///   - format: The shape of the frames in both directions.
  ///   - limits: When `send` suspends, when the peer has to, and what is too slow.
  ///   - limit: How long it may take altogether.
  ///   - loops: What the connection may live on; of several loops it takes the one with the fewest connections. Given the
  ///     ``Connection/loop`` of another, it lives beside that.
  /// - Throws: `refused`, `unreachable` or whatever tells most of the reasons when all addresses have failed; `timedOut`;
  ///   `cancelled` when the task is; `unreachable` when there are no addresses; `outOfResources`.
  public static func connect(
    to addresses: [SocketAddress], format: FrameFormat = .standard, limits: TransportLimits = .patient,
    within limit: Duration = .seconds(10), on loops: TransportLoops = .one
  ) async throws(TransportError) -> Connection {
    guard !addresses.isEmpty else {
      throw TransportError(.unreachable, "Connecting failed: there are no addresses to connect to; look the peer up again")
    }
    let home = try loops.started().leastLoaded
    let connector = Connector(addresses, format: format, limits: limits, on: home)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        home.loop.perform { connector.start(within: limit, caller) }
      }
    } onCancel: {
      home.loop.perform { connector.cancel() }
    }.get()
  }

  /// Looks up a host and connects to the first of its addresses that answers.
  ///
  /// - Parameters:
  ///   - host: A name or an address as text.
  ///   - port: The port.
  ///   - format: The shape of the frames in both directions.
  ///   - limits: When `send` suspends, when the peer has to, and what is too slow.
  ///   - limit: How long connecting may take after the look-up.
  ///   - loops: What the connection may live on.
  /// - Throws: What `SocketAddress.resolve(host:port:)` and `connect(to:format:limits:within:)` throw.
  public static func connect(
    toHost host: String, port: UInt16, format: FrameFormat = .standard, limits: TransportLimits = .patient,
    within limit: Duration = .seconds(10), on loops: TransportLoops = .one
  ) async throws(TransportError) -> Connection {
    let addresses = try await SocketAddress.resolve(host: host, port: port)
    return try await connect(to: addresses, format: format, limits: limits, within: limit, on: loops)
  }
}
