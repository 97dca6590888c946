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
    let destination = addresses.map(\.description).joined(separator: ", ")
    let connector = Connector(to: destination, [addresses[0].family], format: format, limits: limits, on: home)
    return try await connector.connect(within: limit) {
      connector.take(.success(addresses), of: addresses[0].family)
    }
  }

  /// Looks up a host and connects to the first of its addresses that answers.
  ///
  /// - Parameters:
  ///   - host: A name or an address as text.
  ///   - port: The port.
  ///   - format: The shape of the frames in both directions.
  ///   - limits: When `send` suspends, when the peer has to, and what is too slow.
  ///   - limit: How long it may take altogether, the look-up included.
  ///   - loops: What the connection may live on.
  /// - Throws: What `SocketAddress.resolve(host:port:)` and `connect(to:format:limits:within:on:)` throw.
  public static func connect(
    toHost host: String, port: UInt16, format: FrameFormat = .standard, limits: TransportLimits = .patient,
    within limit: Duration = .seconds(10), on loops: TransportLoops = .one
  ) async throws(TransportError) -> Connection {
    if let addresses = try SocketAddress.known(host: host, port: port) {
      return try await connect(to: addresses, format: format, limits: limits, within: limit, on: loops)
    }
    return try await connect(toHost: host, port: port, format: format, limits: limits, within: limit, on: loops) {
      (host, family) throws(TransportError) in
      try await Resolver.shared.lookUp(host, family)
    }
  }

  /// Connects as above, with a look-up of one's own.
  static func connect(
    toHost host: String, port: UInt16, format: FrameFormat = .standard, limits: TransportLimits = .patient,
    within limit: Duration = .seconds(10), on loops: TransportLoops = .one,
    lookUp: @escaping @Sendable (String, SocketAddress.Family) async throws(TransportError) -> [SocketAddress]
  ) async throws(TransportError) -> Connection {
    let home = try loops.started().leastLoaded
    let families: [SocketAddress.Family] = [.ipv6, .ipv4]
    let connector = Connector(to: "\(host), port \(port)", Set(families), format: format, limits: limits, on: home)
    let result = await withTaskGroup { group in
      for family in families {
        group.addTask {
          let addresses: Result<[SocketAddress], TransportError>
          do throws(TransportError) {
            addresses = .success(try await lookUp(host, family).map { $0.with(port: port) })
          } catch {
            addresses = .failure(error)
          }
          home.loop.perform { connector.take(addresses, of: family) }
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
    return try result.get()
  }
}

extension Connector {
  /// Connects, and ends when the task is cancelled.
  ///
  /// - Parameter begin: Called on the loop when the caller waits.
  fileprivate func connect(
    within limit: Duration, _ begin: @escaping @Sendable () -> Void
  ) async throws(TransportError) -> Connection {
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        loop.perform {
          self.start(within: limit, caller)
          begin()
        }
      }
    } onCancel: {
      loop.perform { self.cancel() }
    }
    return try conclusion()
  }
}
