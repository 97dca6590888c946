import FramedTransport
import Race

/// Runs a client's machine over one connection after another.
actor RaceClient {
  /// The present state of the client and all later states, in order; the sequence ends with the client.
  ///
  /// Each call returns a new sequence, which keeps the last 64 states for a slow reader.
  var states: AsyncStream<ClientState> {
    let (states, watcher) = AsyncStream.makeStream(of: ClientState.self, bufferingPolicy: .bufferingNewest(64))
    watcher.yield(state)
    if ending == nil { watchers.append(watcher) } else { watcher.finish() }
    return states
  }

  private var state = ClientState.notAvailable
  private var watchers: [AsyncStream<ClientState>.Continuation] = []
  /// The origin of all times in the machine.
  private let origin = ContinuousClock.now
  private let report: @Sendable (ClientEvent) -> Void
  private let codec = MarshallingCodec<ServerMessage>.race
  private let questions = MarshallingCodec<ClientMessage>.race
  private var generator: any RandomNumberGenerator & Sendable
  private var machine: ClientMachine
  private var deadline: Duration?
  private var timer: Task<Void, Never>?
  /// The first connection, until it is used.
  private var first: Connection?
  private var connection: Connection?
  private var ending: ClientEvent.Ending?

  /// - Parameters:
  ///   - range: The number of players that the match may have.
  ///   - continues: Whether to continue a match that the player is in.
  ///   - generator: Chooses the racer's steps.
  ///   - report: Called with the events, in order, except for the states and the end.
  init(
    range: PlayerRange, continues: Bool, generator: any RandomNumberGenerator & Sendable,
    report: @escaping @Sendable (ClientEvent) -> Void
  ) {
    machine = ClientMachine(range: range, continues: continues)
    self.generator = generator
    self.report = report
  }

  /// Plays until the match is over, the server refuses this client, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - identify: Identifies the player.
  ///   - policy: When to connect again after a lost connection. The first connection has only one attempt.
  ///   - connect: Connects to the server.
  ///   - events: Called with the events of the connections.
  /// - Returns: The ending.
  /// - Throws: ``TransportError`` if no connection can be made.
  func run(
    as identify: @Sendable () throws(RacePlayer.Invalid) -> RacePlayer, policy: ReconnectionPolicy,
    connectingBy connect: @escaping @Sendable () async throws(TransportError) -> Connection,
    events: @escaping @Sendable (ReconnectionEvent) -> Void
  ) async throws(TransportError) -> ClientEvent.Ending {
    handle(.start)
    do throws(RacePlayer.Invalid) {
      handle(.authenticated(try identify()))
    } catch {
      handle(.notAuthenticated(error))
    }
    if ending == nil {
      first = try await connect()
      let connections = Reconnections(
        policy: policy,
        connectingBy: { () async throws(TransportError) in
          if let connection = await self.takeFirst() { return connection }
          return try await connect()
        }, events: events)
      var iterator = connections.makeAsyncIterator()
      while ending == nil, let connection = try await iterator.next(isolation: self) { await exchange(over: connection) }
    }
    handle(.stop)
    timer?.cancel()
    return ending ?? .stopped
  }

  private func takeFirst() -> Connection? { first.take() }

  private func exchange(over connection: Connection) async {
    self.connection = connection
    handle(.connected)
    do throws(TransportError) {
      for try await frame in connection.frames {
        do throws(MessageError) {
          handle(.received(try codec.decode(frame)))
        } catch {
          handle(.violated(.malformed(error)))
        }
      }
    } catch {
      switch error.code {
      case .frameTooLarge, .malformedFrame: handle(.violated(.notAFrame(error.description)))
      // Otherwise the connection broke, or this side closed it.
      default: break
      }
    }
    self.connection = nil
    await connection.close()
    handle(.disconnected)
  }

  private func handle(_ event: ClientMachine.Event) {
    for effect in machine.handle(event, at: .now - origin, using: &generator) {
      switch effect {
      // `run` does that next.
      case .authenticate: break
      case .send(let message): send(message)
      case .report(.state(let state)):
        self.state = state
        for watcher in watchers { watcher.yield(state) }
      case .report(.ended(let ending)):
        self.ending = ending
        for watcher in watchers { watcher.finish() }
      case .report(let event): report(event)
      case .end:
        // Ends the iteration in `exchange`.
        if let connection { Task { await connection.close() } }
      }
    }
    setTimer()
  }

  /// Wakes the machine at its next deadline.
  private func setTimer() {
    guard machine.nextDeadline != deadline else { return }
    deadline = machine.nextDeadline
    timer?.cancel()
    timer = deadline.map { deadline in
      Task { [weak self, origin] in
        try? await Task.sleep(until: origin + deadline, clock: .continuous)
        await self?.timePasses()
      }
    }
  }

  private func timePasses() {
    // The timer may have been set again in the meantime.
    guard !Task.isCancelled else { return }
    deadline = nil
    handle(.timePassed)
  }

  private func send(_ message: ClientMessage) {
    guard let connection else { return }
    do {
      if try connection.trySend(questions.encode(message)) { return }
    } catch {
      // The iteration in `exchange` gets the same error.
    }
    connection.abort()
  }
}
