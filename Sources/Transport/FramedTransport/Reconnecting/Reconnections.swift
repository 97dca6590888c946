package import _BonjourishEventLoop

/// A sequence of connections with one peer: when one has ended, the next is made.
///
/// ```swift
/// let connections = Reconnections(toHost: "games.example", port: 1955) { event in print(event) }
/// for try await connection in connections {
///   do {
///     for try await frame in connection.frames { … }
///   } catch {}
///   // The connection has ended. The loop waits, and connects again.
/// }
/// ```
/// Ask for the next connection after the present one has ended; otherwise the present one is aborted. `break` and cancelling the
/// task end the sequence.
///
/// Frames that were sent over a broken connection may or may not have arrived, and are **not** sent again: only the two programs
/// know which of them still matter. Begin each connection with the state that the peer needs. Give each action that must happen
/// only once an identifier, so that the peer recognises a repetition.
///
/// Each iterator keeps its own connection. The ``ReconnectionPolicy`` sets the wait before an attempt. A permanent error
/// (``TransportError/isPermanent``), such as a wrong passcode, ends the sequence, unless `retry` decides otherwise: each attempt
/// would fail like the one before, and may count against this side. What anybody on the network can cause by answering in the peer's
/// place, such as a certificate that is not trusted, is permanent from the tenth time in a row on.
public struct Reconnections: AsyncSequence, Sendable {
  /// A new connection with the peer.
  public typealias Element = Connection
  /// The error that ends the sequence, when the policy permits no further failure or the error is permanent.
  public typealias Failure = TransportError

  /// The number of errors in a row, of those that anybody on the network can cause, of which the last is permanent.
  static let mostStrangers = 10

  private let policy: ReconnectionPolicy
  let time: MonotonicClock
  private let makeGenerator: @Sendable () -> any RandomNumberGenerator
  private let connect: @Sendable () async throws -> Connection
  private let tell: @Sendable (ReconnectionEvent) -> Void
  private let retry: @Sendable (TransportError) -> Bool

  /// Creates a sequence of connections that a closure makes.
  ///
  /// - Parameters:
  ///   - policy: The policy for connecting again.
  ///   - connect: Called for each attempt. It should look the peer up again, because the peer may have moved. An error of any
  ///     type is a failed attempt. It is reported as a ``TransportError``: a ``TransportErrorConvertible`` is converted, and
  ///     other errors are `unreachable`.
  ///   - events: Called with each event, in order, on the iterating task.
  ///   - retry: Decides whether an attempt may follow an error, if the policy permits one. By default permanent errors end the
  ///     sequence.
  public init(
    policy: ReconnectionPolicy = .standard, connectingBy connect: @escaping @Sendable () async throws -> Connection,
    events: @escaping @Sendable (ReconnectionEvent) -> Void = { _ in },
    retry: @escaping @Sendable (TransportError) -> Bool = { !$0.isPermanent }
  ) {
    self.init(
      policy: policy, time: .system, generator: { SystemRandomNumberGenerator() }, connectingBy: connect, events: events,
      retry: retry)
  }

  /// Creates a sequence of connections with a host, which is looked up for each attempt.
  ///
  /// - Parameters:
  ///   - host: A name, or an address as text.
  ///   - port: The port.
  ///   - format: The format of the frames, the same in both directions.
  ///   - limits: The limits of each connection.
  ///   - security: The protection of each connection.
  ///   - limit: The longest time for an attempt, the look-up included.
  ///   - policy: The policy for connecting again.
  ///   - events: Called with each event, in order, on the iterating task.
  ///   - retry: Decides whether an attempt may follow an error, if the policy permits one. By default permanent errors end the
  ///     sequence.
  ///   - log: The handler of log messages of each attempt; `nil` for none. Called on any thread. It must not block.
  public init(
    toHost host: String, port: UInt16, format: FrameFormat = .standard, limits: TransportLimits = .peer,
    security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(10), policy: ReconnectionPolicy = .standard,
    events: @escaping @Sendable (ReconnectionEvent) -> Void = { _ in },
    retry: @escaping @Sendable (TransportError) -> Bool = { !$0.isPermanent },
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) {
    self.init(
      policy: policy,
      connectingBy: {
        try await Connection.connect(
          toHost: host, port: port, format: format, limits: limits, security: security, within: limit, log: log)
      }, events: events, retry: retry)
  }

  /// Creates a sequence with the caller's clock and random numbers.
  package init(
    policy: ReconnectionPolicy, time: MonotonicClock, generator: @escaping @Sendable () -> any RandomNumberGenerator,
    connectingBy connect: @escaping @Sendable () async throws -> Connection,
    events: @escaping @Sendable (ReconnectionEvent) -> Void,
    retry: @escaping @Sendable (TransportError) -> Bool = { !$0.isPermanent }
  ) {
    self.policy = policy
    self.time = time
    makeGenerator = generator
    self.connect = connect
    tell = events
    self.retry = retry
  }

  /// Returns an iterator that makes its own connections.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      machine: ReconnectionMachine(policy), generator: makeGenerator(), time: time, connect: connect, tell: tell, retry: retry)
  }

  /// An iterator that makes one connection after another.
  public struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case idle
      case connected(Connection)
      case over
    }

    var machine: ReconnectionMachine
    var generator: any RandomNumberGenerator
    let time: MonotonicClock
    let connect: @Sendable () async throws -> Connection
    let tell: @Sendable (ReconnectionEvent) -> Void
    let retry: @Sendable (TransportError) -> Bool
    private var state = State.idle
    /// The number of the latest errors that anybody on the network can cause.
    private var strangers = 0

    init(
      machine: ReconnectionMachine, generator: any RandomNumberGenerator, time: MonotonicClock,
      connect: @escaping @Sendable () async throws -> Connection, tell: @escaping @Sendable (ReconnectionEvent) -> Void,
      retry: @escaping @Sendable (TransportError) -> Bool
    ) {
      self.machine = machine
      self.generator = generator
      self.time = time
      self.connect = connect
      self.tell = tell
      self.retry = retry
    }

    /// Returns the next connection as soon as there is one; `nil` if the task is cancelled.
    ///
    /// - Throws: The error of the last attempt or the last connection, if the policy permits no further failure, or the error is
    ///   permanent.
    public mutating func next() async throws(TransportError) -> Connection? {
      try await next(isolation: nil)
    }

    /// Returns the next connection, as `next()` does, for a caller of any isolation.
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
        action = handle(failure.map(retry) ?? true ? .lost : .refused)
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
            strangers = 0
            action = handle(.connected)
            tell(.connected(connection))
            return connection
          } catch {
            guard !Task.isCancelled else { break }
            let error = judge(TransportError(connecting: error))
            failure = error
            tell(.failed(error))
            action = handle(retry(error) ? .failed : .refused)
          }
        case .wait(let deadline):
          tell(.waiting(until: deadline))
          await time.sleep(deadline)
          action = handle(.waited)
        case .giveUp:
          state = .over
          let error =
            failure ?? TransportError(.reset, "The peer has closed the connection too often; check that it is the right peer")
          tell(.gaveUp(error))
          throw error
        }
      }
      state = .over
      return nil
    }

    /// Makes an error permanent that was to pass when somebody on the network goes away, and has not.
    private mutating func judge(_ error: TransportError) -> TransportError {
      guard error.code.permanence == .anybody else {
        strangers = 0
        return error
      }
      strangers += 1
      return strangers < Reconnections.mostStrangers ? error : error.asPermanent
    }

    private mutating func handle(_ event: ReconnectionMachine.Event) -> ReconnectionMachine.Action? {
      machine.handle(event, at: time.now(), using: &generator)
    }
  }
}
