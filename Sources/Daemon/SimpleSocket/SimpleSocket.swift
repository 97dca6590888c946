import CBonjourishLinux
package import _BonjourishDiscovery
package import _BonjourishEventLoop
package import _BonjourishSimpleProtocol

/// Serves the simple protocol at `/run/avahi-daemon/socket`, which libnss-mdns speaks. Confined to its loop.
package final class SimpleSocket {
  /// Begins a look-up on the loop, and returns what ends it before its time. The handler is called on the loop, once for an address or a
  /// name.
  package typealias Lookup = (SimpleRequest, _ handler: @escaping @Sendable (SimpleAnswer) -> Void) -> (() -> Void)

  /// The most connections that are accepted in a tick.
  private static let acceptsInATick = 64
  /// How long nothing is accepted after the process or the machine had no descriptor left.
  private static let pause = Duration.milliseconds(200)
  /// The shortest time between two warnings of a kind.
  private static let warningInterval = Duration.seconds(60)

  private let loop: EventLoop
  private let lookUp: Lookup
  private let log: (LogMessage) -> Void
  private let file: SocketFile?
  private let listener: OwnedDescriptor
  private var server: SimpleServer
  private var connections: [SimpleServer.ID: SimpleConnection] = [:]
  private var endings: [SimpleServer.ID: () -> Void] = [:]
  private var watch: DescriptorSource?
  private var pauseTimer: LoopTimer?
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in
    guard let self else { return }
    run(server.timePasses(at: .now))
  }
  private var effects: [SimpleServer.Effect] = []
  private var isRunning = false
  private var nextWarning = ContinuousClock.now
  private var nextPauseWarning = ContinuousClock.now

  /// The number of clients that are connected.
  package var count: Int { server.count }

  /// Begins to accept.
  ///
  /// - Parameters:
  ///   - listener: The listening socket, which is taken over.
  ///   - loop: The loop of the caller.
  ///   - limits: What clients may do.
  ///   - lookUp: Looks up names and addresses.
  ///   - log: Called on the loop.
  /// - Throws: ``SystemError`` if the loop cannot watch the socket.
  package init(
    _ listener: consuming SimpleListener, on loop: EventLoop, limits: SimpleServer.Limits = SimpleServer.Limits(),
    lookUp: @escaping Lookup, log: @escaping (LogMessage) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.lookUp = lookUp
    self.log = log
    file = listener.file
    self.listener = listener.takeDescriptor()
    server = SimpleServer(limits)
    watch = try loop.watch(self.listener.number, for: .readable) { [weak self] _ in self?.accept() }
  }

  /// Closes all connections, and the socket.
  package func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    pauseTimer?.cancel()
    deadline.cancel()
    file?.remove()
    run(server.end())
  }

  // MARK: - Connections

  private func accept() {
    for _ in 0..<Self.acceptsInATick {
      do throws(SystemError) {
        let number = try systemCall("accept4") { linux_accept(listener.number, nil, nil) }
        try connect(SimpleConnection(number))
      } catch {
        // A client that has gone already is none.
        if error.errno == ECONNABORTED { continue }
        if error.errno == EMFILE || error.errno == ENFILE {
          // The system wants a descriptor before it looks whether anybody waits.
          guard isAwaited else { return }
          // Silent clients must not keep out all others when there are fewer descriptors than places.
          if server.count > 0 {
            warn("no descriptor is left")
            run(server.evict())
            continue
          }
        }
        if error.errno != EAGAIN { pause(error) }
        return
      }
    }
  }

  /// Whether a client waits to be accepted.
  private var isAwaited: Bool {
    var request = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  private func connect(_ connection: SimpleConnection) throws(SystemError) {
    let (id, effects) = server.connect(user: connection.user, at: .now)
    connections[id] = connection
    if !effects.isEmpty { warn("it has as many clients as it may have") }
    do throws(SystemError) {
      try connection.begin(on: loop) { [weak self] events in self?.handle(events, of: id) }
    } catch {
      run(effects + server.disconnect(id))
      throw error
    }
    run(effects)
  }

  /// Without a descriptor to accept with, the socket stays readable: trying again at once would take a processor.
  private func pause(_ error: SystemError) {
    logSeldom("clients have to wait (\(error))", &nextPauseWarning)
    watch?.update([])
    pauseTimer = loop.schedule(after: Self.pause) { [weak self] in self?.watch?.update(.readable) }
  }

  /// Tells that a client is closed before its time.
  private func warn(_ reason: String) {
    logSeldom("\(reason): the oldest clients of the user with the most are closed (\(server.evictions) so far)", &nextWarning)
  }

  private func logSeldom(_ text: String, _ next: inout ContinuousClock.Instant) {
    guard next <= .now else { return }
    next = .now + Self.warningInterval
    log(LogMessage(.warning, "the simple socket: \(text)"))
  }

  private func handle(_ events: DescriptorEvents, of id: SimpleServer.ID) {
    guard let connection = connections[id] else { return }
    do throws(SystemError) {
      if events.contains(.readable), server.isReading(id), let bytes = try connection.read() {
        run(bytes.isEmpty ? server.receiveEnd(from: id, at: .now) : server.receive(bytes, from: id, at: .now))
      }
      if events.contains(.writable), connections[id] != nil { run(server.wrote(try connection.write(), to: id, at: .now)) }
      // Only a client that has gone hangs up: it can read no answer.
      if !events.isDisjoint(with: [.hangUp, .error]) { run(server.disconnect(id)) }
    } catch {
      run(server.disconnect(id))
    }
  }

  // MARK: - Effects

  /// Carries out effects in order, also those that come of them.
  private func run(_ more: [SimpleServer.Effect]) {
    effects += more
    guard !isRunning else { return }
    isRunning = true
    var next = 0
    while next < effects.count {
      run(effects[next])
      next += 1
    }
    effects.removeAll()
    isRunning = false
    if watch != nil { deadline.set(server.nextDeadline) }
  }

  private func run(_ effect: SimpleServer.Effect) {
    switch effect {
    case .lookUp(let id, let request):
      connections[id]?.update(isReading: false)
      // Confined to the loop, on which the handler is called.
      nonisolated(unsafe) weak let owner = self
      let end = lookUp(request) { answer in owner?.take(answer, for: id) }
      // It may have been answered at once.
      if server.isWaiting(id) { endings[id] = end }
    case .cancel(let id): endings.removeValue(forKey: id)?()
    case .write(let id, let bytes):
      guard let connection = connections[id] else { return }
      do throws(SystemError) {
        run(server.wrote(try connection.write(bytes), to: id, at: .now))
        connection.update(isReading: server.isReading(id))
      } catch {
        run(server.disconnect(id))
      }
    case .close(let id):
      endings[id] = nil
      connections[id] = nil
    }
  }

  private func take(_ answer: SimpleAnswer, for id: SimpleServer.ID) {
    loop.assertIsCurrent()
    run(server.answer(answer, to: id, at: .now))
    if !server.isWaiting(id) { endings[id] = nil }
  }
}
