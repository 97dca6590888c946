import FramedTransport
import Race

/// Runs a race server's machine over the connections of a listener.
actor RaceServer {
  private let listener: Listener
  /// The origin of all times in the machine.
  private let origin = ContinuousClock.now
  private let report: @Sendable (RaceReport, SocketAddress?) -> Void
  private let codec = MarshallingCodec<ClientMessage>.race
  private let answers = MarshallingCodec<ServerMessage>.race
  private var machine: RaceMachine
  private var deadline: Duration?
  private var timer: Task<Void, Never>?
  private var connections: [RaceMachine.ConnectionID: Connection] = [:]
  private var connectionCount = 0

  /// The connections' thread, so that messages do not change threads.
  nonisolated var unownedExecutor: UnownedSerialExecutor { listener.executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - listener: A listener with the format of races and one loop; the app admits its connections.
  ///   - report: Called with each event, and with the peer's address if the player is not known.
  init(
    _ rules: RaceRules, on listener: Listener, report: @escaping @Sendable (RaceReport, SocketAddress?) -> Void
  ) {
    self.listener = listener
    self.report = report
    machine = RaceMachine(rules: rules)
  }

  /// Serves until the task is cancelled; then tells all players, and frees the port before it returns.
  func run() async {
    // Not a child task: cancellation must not end the connections before all players were told.
    let serving = Task { await listener.serve(on: .connectionLoop) { await self.serve($0) } }
    await withTaskCancellationHandler {
      await serving.value
    } onCancel: {
      Task { await close() }
    }
  }

  private func close() async {
    handle(.close)
    timer?.cancel()
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
      // Otherwise the connection broke, or this side closed it.
      default: break
      }
    }
    connections[id] = nil
    handle(.disconnected(id))
  }

  // MARK: - The machine

  private func handle(_ event: RaceMachine.Event) {
    for effect in machine.handle(event, at: .now - origin) {
      switch effect {
      case .send(let message, let ids): send(message, to: ids)
      case .admit(let id): connections[id]?.admit()
      case .disconnect(let id):
        // Ends the iteration in `serve`, after everything has been sent.
        guard let connection = connections.removeValue(forKey: id) else { continue }
        Task { await connection.close() }
      case .report(let event): report(event, address(in: event))
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

  private func address(in event: RaceReport) -> SocketAddress? {
    guard case .refused(let id, _, _) = event else { return nil }
    return connections[id]?.peer
  }

  /// Sends without waiting. A peer that reads too slowly loses its connection, so that no other peer waits for it.
  private func send(_ message: ServerMessage, to ids: [RaceMachine.ConnectionID]) {
    let body: [UInt8]
    do throws(MessageError) {
      body = try answers.encode(message)
    } catch {
      preconditionFailure("the machine made a message that cannot be encoded: \(error)")
    }
    for id in ids {
      guard let connection = connections[id] else { continue }
      do throws(TransportError) {
        if try !connection.trySend(body) { connection.abort() }
      } catch {
        // The iteration in `serve` gets the same error, and tells the machine.
      }
    }
  }
}
