public import Framing

/// Listens for connections: over IPv4 and IPv6 on the same port, or at the name of a Unix-domain socket.
///
/// ```swift
/// let listener = try await Listener.bind()
/// await listener.serve { connection in
///   do {
///     for try await frame in connection.frames { try await connection.send(frame) }
///   } catch { … }
/// }
/// ```
/// Connections that nobody has taken yet wait here, up to a few, and the others in the system. A listener that is dropped
/// without `close()` stops listening all the same.
public final class Listener: Sendable {
  /// The port, the same for all addresses; 0 for a Unix-domain socket.
  public let port: UInt16

  /// Where the listener listens, with the port.
  public let addresses: [SocketAddress]

  /// The connections that come, in order; ends when the listener is closed, or the task that iterates cancelled.
  public var connections: Connections { Connections(listener: self) }

  /// The thread that accepts, and serves the connections if there is one loop only; for actors and tasks that have much to do
  /// with them and never block.
  public var executor: any SerialExecutor & TaskExecutor { acceptor.loop }

  /// What the service manager calls the socket, if it was inherited.
  public let name: String?

  let acceptor: Acceptor

  init(_ acceptor: Acceptor, addresses: [SocketAddress], name: String? = nil) {
    self.acceptor = acceptor
    self.name = name
    self.addresses = addresses
    port = addresses[0].port
  }

  deinit {
    acceptor.close()
  }

  /// Listens at a port.
  ///
  /// - Parameters:
  ///   - port: The port; 0 lets the system choose one that is free for both families.
  ///   - interface: The name of an interface such as `eth0`, to listen only at the addresses that it has now; without it at
  ///     all addresses of the machine, at any time.
  ///   - format: The shape of the frames of its connections.
  ///   - limits: When `send` suspends on its connections, when the peers have to, and which of them are too slow.
  ///   - newcomers: What those may do whom nothing is known of yet.
  ///   - loops: What the connections are spread over: each goes to the loop that has the fewest. Where one actor on the
  ///     listener's ``executor`` does all the work, as in a game, ``TransportLoops/one`` is better: nothing changes threads then.
  /// - Throws: `addressInUse`; `unavailable` when there is no such interface or it has no addresses; `notPermitted` for ports
  ///   below 1024; `outOfResources`.
  public static func bind(
    port: UInt16 = 0, interface: String? = nil, format: FrameFormat = .standard, limits: TransportLimits = .standard,
    newcomers: NewcomerLimits = .standard, on loops: TransportLoops = .perCore
  ) async throws(TransportError) -> Listener {
    let homes = try loops.started()
    let (sockets, addresses) = try ListeningSocket.bind(
      to: BindPlan.addresses(of: interface, port: port), limits: limits)
    let acceptor = Acceptor(sockets, format: format, limits: limits, newcomers: newcomers, on: homes)
    try await acceptor.start()
    return Listener(acceptor, addresses: addresses)
  }

  /// Listens at one address, or the name of a Unix-domain socket.
  ///
  /// A Unix-domain socket with a path has a file for as long as it listens. One that is left over from a process that ended
  /// without removing it is removed first, if nobody answers there. ``Connection/peerCredentials`` tell who connects.
  ///
  /// - Parameters:
  ///   - address: Where to listen. With port 0 the system chooses one.
  ///   - permissions: For a path: who may connect, as chmod(1) takes it. The owner alone unless told otherwise; 0o666 for
  ///     everybody who can reach the directory.
  ///   - format: The shape of the frames of its connections.
  ///   - limits: When `send` suspends on its connections, when the peers have to, and which of them are too slow.
  ///   - newcomers: What those may do whom nothing is known of yet. Of a Unix-domain socket the peers of one user count as from
  ///     one address.
  ///   - loops: What the connections are spread over, as above.
  /// - Throws: `addressInUse` also when somebody listens at the path, or a file is there that is no socket; `unavailable` also
  ///   when the path's directory does not exist; `notPermitted`; `outOfResources`; `cancelled`.
  public static func bind(
    to address: SocketAddress, permissions: UInt16 = 0o600, format: FrameFormat = .standard,
    limits: TransportLimits = .standard, newcomers: NewcomerLimits = .standard, on loops: TransportLoops = .perCore
  ) async throws(TransportError) -> Listener {
    let homes = try loops.started()
    let (sockets, addresses) =
      if address.family == .unix {
        ([try await ListeningSocket.bind(toUnix: address, permissions: permissions)], [address])
      } else {
        try ListeningSocket.bind(to: [address], limits: limits)
      }
    let acceptor = Acceptor(sockets, format: format, limits: limits, newcomers: newcomers, on: homes)
    try await acceptor.start()
    return Listener(acceptor, addresses: addresses)
  }

  /// Runs a task for each connection, on the connection's own thread, until the listener is closed or the caller cancelled.
  ///
  /// A connection is closed in order when its task returns. Returns when all of them are; cancelling the caller cancels them
  /// too. As many connections share a thread, the tasks must not block it, nor compute for long.
  ///
  /// - Parameter body: What to do with a connection. It cannot throw, because the end of one connection is not that of the
  ///   server.
  public func serve(_ body: @escaping @Sendable (Connection) async -> Void) async {
    // Where they are accepted, so that no connection is handed to another thread but its own.
    await withTaskExecutorPreference(acceptor.loop) { await serveHere(body) }
  }

  @concurrent private func serveHere(_ body: @escaping @Sendable (Connection) async -> Void) async {
    await withDiscardingTaskGroup { group in
      for await connection in connections {
        group.addTask(executorPreference: connection.channel.loop) {
          await body(connection)
          await connection.close()
        }
      }
    }
  }

  /// Stops listening, and lets the connections that are there end by themselves.
  ///
  /// `connections` goes on to those that wait, and then ends. Returns when all connections are closed. Cancelling the task ends
  /// at once those that are left.
  ///
  /// - Parameter limit: How long they have. Those that are still there then are aborted: this side finds them closed, and the
  ///   peer sees an error.
  /// - Returns: How many ended by themselves, and how many did not.
  @discardableResult
  public func drain(within limit: Duration) async -> DrainReport {
    let count = acceptor.reception.guestCount
    let aborted = await acceptor.drain(within: limit)
    return DrainReport(ended: max(0, count - aborted), aborted: aborted)
  }

  /// What has happened since the listener was made, and how many connections are there now; for a person who watches, and for
  /// tests. It takes a few locks.
  public var counters: ListenerCounters { acceptor.reception.counters }

  /// Stops listening; returns when the port is free. Connections that were taken stay; others are aborted.
  public func close() async {
    await withCheckedContinuation { continuation in
      acceptor.close { continuation.resume() }
    }
  }

  func nextConnection() async -> Connection? {
    await acceptor.next()
  }
}

/// The connections that come to a listener.
public struct Connections: AsyncSequence, Sendable {
  public typealias Element = Connection
  public typealias Failure = Never

  let listener: Listener

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(listener: listener) }

  /// Takes one connection after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let listener: Listener

    /// The next connection; `nil` when the listener is closed, or the task cancelled.
    public mutating func next() async -> Connection? {
      await listener.nextConnection()
    }

    /// The next connection, as `next()` takes it, for a caller of any isolation.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Connection? {
      await listener.nextConnection()
    }
  }
}
