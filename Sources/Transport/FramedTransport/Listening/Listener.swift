public import FramedCoding

/// A listener for connections over IPv4 and IPv6 on the same port, or over a Unix-domain socket.
///
/// ```swift
/// let listener = try await Listener.bind()
/// await listener.serve { connection in
///   do {
///     for try await frame in connection.frames { try await connection.send(frame) }
///   } catch { … }
/// }
/// ```
/// Up to 64 connections that the app has not taken wait in the listener; more wait in the system. A listener that is released
/// without `close()` stops listening, too.
public final class Listener: Sendable {
  /// The port, the same for all addresses; 0 for a Unix-domain socket.
  public let port: UInt16

  /// The addresses that the listener listens at, with the port.
  public let addresses: [SocketAddress]

  /// The accepted connections, in order. The sequence ends when the listener is closed or the iterating task is cancelled.
  public var connections: Connections { Connections(listener: self) }

  /// The thread that accepts connections, and also serves them if there is only one loop. For actors and tasks that use the
  /// connections often and never block.
  public var executor: any SerialExecutor & TaskExecutor { acceptor.loop }

  /// The service manager's name for the socket, if it was inherited.
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

  /// Listens on a port.
  ///
  /// - Parameters:
  ///   - port: The port; with 0 the system chooses one that is free for both families.
  ///   - interface: The name of an interface such as `eth0`, to listen only at its present addresses; nil for all addresses of
  ///     the machine, including later ones.
  ///   - format: The format of the frames.
  ///   - limits: The limits of each connection.
  ///   - pending: The limits for pending connections, and how they are admitted.
  ///   - security: The protection of the connections.
  ///   - loops: The loops that serve the connections. Each connection goes to the loop with the fewest. If one actor on the
  ///     listener's ``executor`` does all the work, as in a game, use ``TransportLoops/one``: then no frame changes threads.
  ///   - log: The handler of log messages; `nil` for none. Called on any thread. It must not block.
  /// - Throws: `addressInUse`; `unavailable` if there is no such interface or it has no addresses; `notPermitted` for ports
  ///   below 1024; `outOfResources`.
  public static func bind(
    port: UInt16 = 0, interface: String? = nil, format: FrameFormat = .standard, limits: TransportLimits = .standard,
    pending: PendingConnectionLimits = .standard,
    security: ListenerSecurity = .plaintext, on loops: TransportLoops = .perCore,
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> Listener {
    try await bind(
      toEach: BindPlan.addresses(of: interface, port: port), format: format, limits: limits, pending: pending,
      security: security, on: loops, log: log)
  }

  /// Listens at several addresses of IPv4 or IPv6 on one port, which is that of the first. Those that the machine does not have (any
  /// more) are left out.
  package static func bind(
    toEach addresses: [SocketAddress], format: FrameFormat, limits: TransportLimits, pending: PendingConnectionLimits,
    security: ListenerSecurity, on loops: TransportLoops, log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> Listener {
    let transportLoops = try loops.started()
    let (sockets, bound) = try ListeningSocket.bind(to: addresses, limits: limits)
    let acceptor = Acceptor(
      sockets, at: bound, format: format, limits: limits, pending: pending, security: security, on: transportLoops, log: log)
    try await acceptor.start()
    return Listener(acceptor, addresses: bound)
  }

  /// Listens at one address or Unix-domain socket.
  ///
  /// A Unix-domain socket with a path has a file for as long as it listens. A file left by a dead process is removed first, if
  /// no process listens at it. ``Connection/peerCredentials`` identify the connecting process and user.
  ///
  /// - Parameters:
  ///   - address: The address to listen at. With port 0 the system chooses a port.
  ///   - permissions: The permissions of the socket's file, as for chmod(1). By default only the owner may connect; with 0o666
  ///     any user with access to the directory may.
  ///   - format: The format of the frames.
  ///   - limits: The limits of each connection.
  ///   - pending: The limits for pending connections. On a Unix-domain socket, all peers of one user count as one address.
  ///   - security: The protection of the connections.
  ///   - loops: The loops that serve the connections; see ``bind(port:interface:format:limits:pending:security:on:log:)``.
  ///   - log: The handler of log messages; `nil` for none. Called on any thread. It must not block.
  /// - Throws: `addressInUse`, also if another program listens at the path or the file is not a socket; `unavailable`, also if
  ///   the directory of the path does not exist; `notPermitted`; `outOfResources`; `cancelled`.
  public static func bind(
    to address: SocketAddress, permissions: UInt16 = 0o600, format: FrameFormat = .standard,
    limits: TransportLimits = .standard, pending: PendingConnectionLimits = .standard,
    security: ListenerSecurity = .plaintext, on loops: TransportLoops = .perCore,
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> Listener {
    let transportLoops = try loops.started()
    let (sockets, addresses) =
      if address.family == .unix {
        ([try await ListeningSocket.bind(toUnix: address, permissions: permissions)], [address])
      } else {
        try ListeningSocket.bind(to: [address], limits: limits)
      }
    let acceptor = Acceptor(
      sockets, at: addresses, format: format, limits: limits, pending: pending, security: security, on: transportLoops, log: log
    )
    try await acceptor.start()
    return Listener(acceptor, addresses: addresses)
  }

  /// The threads on which ``serve(on:_:)`` runs the handlers of connections. Later versions may add cases.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum HandlerThread: Hashable, Sendable {
    /// The threads that all tasks share. A handler that blocks or computes for long delays only other handlers.
    case shared
    /// The connection's own thread, its ``Connection/executor``.
    ///
    /// > Warning: A handler that blocks or computes for long delays **every** connection on the thread: nothing is read, written
    /// > or accepted meanwhile, and heartbeats are late. Use it only for handlers that do neither.
    case connectionLoop
  }

  /// Runs a task for each connection until the listener is closed or the caller is cancelled.
  ///
  /// A connection is closed in order when its task returns. This function returns when all connections are closed. Cancelling the
  /// caller cancels their tasks, too.
  ///
  /// - Parameters:
  ///   - thread: The threads of the tasks. Measured over the loopback interface, a round trip of 64 bytes takes 17 µs with
  ///     `shared` and 11 µs with `connectionLoop`; frames in one direction, taken one by one, are equally fast.
  ///   - body: The handler of a connection. It cannot throw, because an error of one connection must not end the server.
  public func serve(on thread: HandlerThread = .shared, _ body: @escaping @Sendable (Connection) async -> Void) async {
    // Accepted on the listener's thread, so that a connection changes threads at most once: to its own.
    await withTaskExecutorPreference(acceptor.loop) { await serveHere(on: thread, body) }
  }

  @concurrent private func serveHere(
    on thread: HandlerThread, _ body: @escaping @Sendable (Connection) async -> Void
  ) async {
    await withDiscardingTaskGroup { group in
      for await connection in connections {
        let executor: any TaskExecutor =
          switch thread {
          case .shared: globalConcurrentExecutor
          case .connectionLoop: connection.channel.loop
          }
        group.addTask(executorPreference: executor) {
          await body(connection)
          await connection.close()
        }
      }
    }
  }

  /// Stops listening, and waits for the open connections to end by themselves.
  ///
  /// `connections` still delivers the waiting connections, and then ends. Returns when all connections are closed. Cancelling the
  /// task aborts the remaining connections at once.
  ///
  /// - Parameter limit: The time for connections to end. The remaining ones are then aborted: this side finds them closed, and
  ///   the peer sees an error.
  /// - Returns: The numbers of connections that ended by themselves and that were aborted.
  @discardableResult
  public func drain(within limit: Duration) async -> DrainReport {
    let count = acceptor.registry.connectionCount
    let aborted = await acceptor.drain(within: limit)
    return DrainReport(ended: max(0, count - aborted), aborted: aborted)
  }

  /// What the listener has done since it was created, and its present connections. A snapshot takes a few locks.
  public var metrics: ListenerMetrics { acceptor.registry.metrics }

  /// Stops listening, and returns when the port is free. Connections that the app has taken stay open; others are aborted.
  public func close() async {
    await withCheckedContinuation { continuation in
      acceptor.close { continuation.resume() }
    }
  }

  func nextConnection() async -> Connection? {
    await acceptor.next()
  }
}

/// The connections that a listener accepts.
public struct Connections: AsyncSequence, Sendable {
  /// An accepted connection.
  public typealias Element = Connection
  /// The sequence throws no errors.
  public typealias Failure = Never

  let listener: Listener

  /// Returns an iterator over the connections that no other iterator has taken.
  public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

  /// An iterator that takes one connection after another.
  public struct Iterator: AsyncIteratorProtocol {
    let listener: Listener

    /// Returns the next connection; `nil` if the listener is closed or the task is cancelled.
    public mutating func next() async -> Connection? {
      await listener.nextConnection()
    }

    /// Returns the next connection, as `next()` does, for a caller of any isolation.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async -> Connection? {
      await listener.nextConnection()
    }
  }
}
