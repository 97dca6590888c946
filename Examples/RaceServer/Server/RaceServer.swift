import EventLoop
import FramedTransport
import Framing
import Race

/// Runs a race server's machine over the connections of a listener.
actor RaceServer {
  private let listener: Listener
  private let time: Timekeeper
  private let origin: ContinuousClock.Instant
  private let report: @Sendable (RaceReport, SocketAddress?) -> Void
  private let codec = MarshallingCodec<ClientMessage>.race
  private let answers = MarshallingCodec<ServerMessage>.race
  private var machine: RaceMachine
  private var alarm: Alarm
  private var connections: [RaceMachine.ConnectionID: Connection] = [:]
  private var connectionCount = 0

  /// The connections' own thread, so that what comes and goes on them changes no threads.
  nonisolated var unownedExecutor: UnownedSerialExecutor { listener.executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - listener: One for frames of races, on one loop, whose newcomers the app admits.
  ///   - report: Told what happens; with the address of the peer where only that is known.
  init(
    _ rules: RaceRules, on listener: Listener, time: Timekeeper = .system,
    report: @escaping @Sendable (RaceReport, SocketAddress?) -> Void
  ) {
    self.listener = listener
    self.time = time
    self.report = report
    origin = time.now()
    alarm = Alarm(time)
    machine = RaceMachine(rules: rules)
  }

  /// Serves until the task is cancelled; then everybody is told, and the port is free when it returns.
  func run() async {
    // Not a child task: cancellation must not end the connections before everyone has been told.
    let serving = Task { await listener.serve { await self.serve($0) } }
    await withTaskCancellationHandler {
      await serving.value
    } onCancel: {
      Task { await close() }
    }
  }

  private func close() async {
    handle(.close)
    alarm.cancel()
    await listener.close()
  }

  private func serve(_ connection: Connection) async {
    connectionCount += 1
    let id = RaceMachine.ConnectionID(rawValue: connectionCount)
    connections[id] = connection
    handle(.connected(id))
    do throws(TransportError) {
      for try await frame in connection.frames {
        do throws(MessageError) {
          handle(.received(id, try codec.decode(frame)))
        } catch {
          handle(.violated(id, Refusal(.malformed, error.description)))
        }
      }
    } catch {
      switch error.code {
      case .frameTooLarge, .malformedFrame, .truncated, .frameTimedOut:
        handle(.violated(id, Refusal(.malformed, error.description)))
      // Otherwise the connection broke, or was not wanted any more.
      default: break
      }
    }
    connections[id] = nil
    handle(.disconnected(id))
  }

  // MARK: - The machine

  private func handle(_ event: RaceMachine.Event) {
    for effect in machine.handle(event, at: time.now() - origin) {
      switch effect {
      case .send(let message, let ids): send(message, to: ids)
      case .admit(let id): connections[id]?.admit()
      case .disconnect(let id):
        // Ends the frames of the task that serves it, which waits until all has left.
        guard let connection = connections.removeValue(forKey: id) else { continue }
        Task { await connection.close() }
      case .report(let event): report(event, address(in: event))
      }
    }
    alarm.set(machine.nextDeadline.map { origin + $0 }) { [weak self] in await self?.timePasses() }
  }

  private func timePasses() {
    guard alarm.fired() else { return }
    handle(.timePassed)
  }

  private func address(in event: RaceReport) -> SocketAddress? {
    guard case .refused(let id, _, _) = event else { return nil }
    return connections[id]?.peer
  }

  /// Sends without waiting; who does not take what is sent, or is gone, loses the connection: nobody else shall wait for it.
  private func send(_ message: ServerMessage, to ids: [RaceMachine.ConnectionID]) {
    let body: [UInt8]
    do throws(MessageError) {
      body = try answers.encode(message)
    } catch {
      preconditionFailure("What a server says can be written: \(error)")
    }
    for id in ids {
      guard let connection = connections[id] else { continue }
      do throws(TransportError) {
        if try !connection.trySend(body) { connection.abort() }
      } catch {
        // The reader of this connection gets the same error, and tells the machine.
      }
    }
  }
}
