package import EventLoop

/// The connections with one peer, one after another: whenever one has ended, the next is made.
///
/// ```swift
/// let connections = Reconnections(toHost: "games.example", port: 1955) { event in print(event) }
/// for try await connection in connections {
///   do {
///     for try await frame in connection.frames { … }
///   } catch {}
///   // The connection has ended; the next turn of the loop waits, and connects again.
/// }
/// ```
/// Ask for the next connection when the one before has ended; if it has not, it is aborted. `break` ends it all, and so does
/// cancelling the task.
///
/// What was sent over a connection that broke may have arrived or not, and is **not** sent again: only the two programs know what
/// of it matters still. Begin each connection with what the peer has to know, and give what must be done once a name of its own, by
/// which the peer knows it again.
///
/// Each iteration keeps up a connection of its own. The wait before an attempt is the ``ReconnectionPolicy``'s.
public struct Reconnections: AsyncSequence, Sendable {
  public typealias Element = Connection
  public typealias Failure = TransportError

  private let policy: ReconnectionPolicy
  private let time: Timekeeper
  private let makeGenerator: @Sendable () -> any RandomNumberGenerator
  private let connect: @Sendable () async throws -> Connection
  private let tell: @Sendable (ReconnectionEvent) -> Void

  /// Keeps up connections that a closure makes.
  ///
  /// - Parameters:
  ///   - policy: When to connect again.
  ///   - connect: Called for each attempt. It looks the peer up anew, because it may have moved. An error of any type that it throws
  ///     is a failed attempt.
  ///   - events: Told what happens, in order, by the task that iterates.
  public init(
    policy: ReconnectionPolicy = .standard, connectingBy connect: @escaping @Sendable () async throws -> Connection,
    events: @escaping @Sendable (ReconnectionEvent) -> Void = { _ in }
  ) {
    self.init(
      policy: policy, time: .system, generator: { SystemRandomNumberGenerator() }, connectingBy: connect, events: events)
  }

  /// Keeps up connections with a host, which is looked up for each attempt.
  ///
  /// - Parameters:
  ///   - host: A name or an address as text.
  ///   - port: The port.
  ///   - format: The shape of the frames in both directions.
  ///   - limits: When `send` suspends, and when the peer has to.
  ///   - limit: How long an attempt may take after the look-up.
  ///   - policy: When to connect again.
  ///   - events: Told what happens, in order, by the task that iterates.
  public init(
    toHost host: String, port: UInt16, format: FrameFormat = .standard, limits: TransportLimits = .patient,
    within limit: Duration = .seconds(10), policy: ReconnectionPolicy = .standard,
    events: @escaping @Sendable (ReconnectionEvent) -> Void = { _ in }
  ) {
    self.init(
      policy: policy,
      connectingBy: {
        try await Connection.connect(toHost: host, port: port, format: format, limits: limits, within: limit)
      }, events: events)
  }

  /// Keeps up connections by a clock and chance of the caller's.
  package init(
    policy: ReconnectionPolicy, time: Timekeeper, generator: @escaping @Sendable () -> any RandomNumberGenerator,
    connectingBy connect: @escaping @Sendable () async throws -> Connection,
    events: @escaping @Sendable (ReconnectionEvent) -> Void
  ) {
    self.policy = policy
    self.time = time
    makeGenerator = generator
    self.connect = connect
    tell = events
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(machine: ReconnectionMachine(policy), generator: makeGenerator(), time: time, connect: connect, tell: tell)
  }

  /// Makes one connection after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private enum State {
      case idle
      case connected(Connection)
      case over
    }

    var machine: ReconnectionMachine
    var generator: any RandomNumberGenerator
    let time: Timekeeper
    let connect: @Sendable () async throws -> Connection
    let tell: @Sendable (ReconnectionEvent) -> Void
    private var state = State.idle

    init(
      machine: ReconnectionMachine, generator: any RandomNumberGenerator, time: Timekeeper,
      connect: @escaping @Sendable () async throws -> Connection, tell: @escaping @Sendable (ReconnectionEvent) -> Void
    ) {
      self.machine = machine
      self.generator = generator
      self.time = time
      self.connect = connect
      self.tell = tell
    }

    /// The next connection, as soon as there is one; `nil` when the task is cancelled.
    ///
    /// - Throws: The error of the last attempt, or of the last connection, when the policy permits no further failure.
    public mutating func next() async throws(TransportError) -> Connection? {
      try await next(isolation: nil)
    }

    /// The next connection, as `next()` makes it, for a caller of any isolation.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(TransportError) -> Connection?
    {
      var action: ReconnectionMachine.Action?
      var failure: TransportError?
      switch state {
      case .idle:
        action = handle(.begin)
      case .connected(let connection):
        state = .idle
        failure = connection.failure
        connection.abort()
        tell(.lost(connection, failure))
        action = handle(.lost)
      case .over:
        return nil
      }
      while let next = action {
        guard !Task.isCancelled else { break }
        switch next {
        case .connect(let attempt):
          tell(.connecting(attempt: attempt))
          do {
            let connection = try await connect()
            guard !Task.isCancelled else {
              connection.abort()
              break
            }
            state = .connected(connection)
            action = handle(.connected)
            tell(.connected(connection))
            return connection
          } catch {
            guard !Task.isCancelled else { break }
            let error = error as? TransportError ?? TransportError(.unreachable, "Connecting failed: \(error)")
            failure = error
            tell(.failed(error))
            action = handle(.failed)
          }
        case .wait(let deadline):
          tell(.waiting(until: deadline))
          await time.sleep(deadline)
          action = handle(.waited)
        case .giveUp:
          state = .over
          let error =
            failure ?? TransportError(.reset, "The connection has ended too often; see whether the peer is what it should be")
          tell(.gaveUp(error))
          throw error
        }
      }
      state = .over
      return nil
    }

    private mutating func handle(_ event: ReconnectionMachine.Event) -> ReconnectionMachine.Action? {
      machine.handle(event, at: time.now(), using: &generator)
    }
  }
}
