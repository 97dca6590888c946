import EventLoop
import FramedTransport
import Framing
import Race

/// Runs a client's machine over one connection after another.
actor RaceClient {
  /// The state of the client now, and all that it gets to from now on, in order; ends with the client.
  ///
  /// Each who asks gets a sequence of his own. Whoever is slow gets the last 64: each state is told whole, and says where the client
  /// is.
  nonisolated var states: AsyncStream<ClientState> { board.watch() }

  private nonisolated let board = StateBoard()
  private let time: Timekeeper
  private let origin: ContinuousClock.Instant
  private let report: @Sendable (ClientEvent) -> Void
  private let codec = MarshallingCodec<ServerMessage>.race
  private let questions = MarshallingCodec<ClientMessage>.race
  private var generator: any RandomNumberGenerator & Sendable
  private var machine: ClientMachine
  private var alarm: Alarm
  private var connection: Connection?
  private var ending: ClientEvent.Ending?

  /// - Parameters:
  ///   - range: What match to ask for.
  ///   - continues: Whether to continue a match that the player is in.
  ///   - generator: How the racer runs.
  ///   - report: Told what happens, in order; not the states, nor how it ended.
  init(
    range: PlayerRange, continues: Bool, generator: any RandomNumberGenerator & Sendable, time: Timekeeper = .system,
    report: @escaping @Sendable (ClientEvent) -> Void
  ) {
    machine = ClientMachine(range: range, continues: continues)
    self.generator = generator
    self.time = time
    self.report = report
    origin = time.now()
    alarm = Alarm(time)
  }

  /// Plays until the match is over, the server does not want this client, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - identify: Finds out who plays.
  ///   - policy: When to connect again after a connection was lost. The first is made at once or not at all: a server that is not
  ///     there then is nothing to wait for.
  ///   - connect: Connects to the server.
  ///   - events: Told what happens to the connections.
  /// - Returns: How it ended.
  /// - Throws: A ``TransportError`` when there is no connection, or will be no further one.
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
      let first = Locked<Connection?>(try await connect())
      let connections = Reconnections(
        policy: policy,
        connectingBy: {
          if let connection = first.withLock({ $0.take() }) { return connection }
          return try await connect()
        }, events: events)
      var iterator = connections.makeAsyncIterator()
      while ending == nil, let connection = try await iterator.next(isolation: self) { await exchange(over: connection) }
    }
    handle(.stop)
    alarm.cancel()
    return ending ?? .stopped
  }

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
      // Otherwise the connection broke, or is not wanted any more.
      default: break
      }
    }
    self.connection = nil
    await connection.close()
    handle(.disconnected)
  }

  private func handle(_ event: ClientMachine.Event) {
    for effect in machine.handle(event, at: time.now() - origin, using: &generator) {
      switch effect {
      // Whoever handed in `start` does that next.
      case .authenticate: break
      case .send(let message): send(message)
      case .report(.state(let state)): board.append(state)
      case .report(.ended(let ending)):
        self.ending = ending
        board.end()
      case .report(let event): report(event)
      case .end:
        // Ends the frames that `exchange` reads.
        if let connection { Task { await connection.close() } }
      }
    }
    alarm.set(machine.nextDeadline.map { origin + $0 }) { [weak self] in await self?.timePasses() }
  }

  private func timePasses() {
    guard alarm.fired() else { return }
    handle(.timePassed)
  }

  private func send(_ message: ClientMessage) {
    guard let connection else { return }
    do {
      if try connection.trySend(questions.encode(message)) { return }
    } catch {
      // The reader of this connection gets the same error.
    }
    connection.abort()
  }
}
