import CBonjourishLinux
import FramedCoding
import _BonjourishEventLoop

/// The loop's side of a listener: its sockets, and the connections that the app has not taken yet.
///
/// Sendable: `state` is locked; the other variables are confined to the loop, which every method that uses them asserts.
final class Acceptor: @unchecked Sendable {
  struct State {
    var waiting: [Connection] = []
    /// The task that waits for a connection.
    var taker: CheckedContinuation<Void, Never>?
    /// Whether accepting has stopped until some of the connections are taken.
    var isFull = false
    var isClosed = false
  }

  /// The number of connections that wait here; more wait in the system.
  private static let mostWaiting = 64

  /// The number of connections to accept at once, so that existing connections are served in between.
  private static let mostAtOnce = 16

  /// The longest time to accept at once, in nanoseconds: accepting a single connection may take the system long.
  private static let longestAtOnce: Int64 = 50_000

  /// The time to wait before the next attempt when there is no memory or no spare descriptor for a connection.
  private static let shortagePause = Duration.milliseconds(100)

  /// The loop that accepts.
  var loop: EventLoop { transportLoops[0].loop }

  /// The loops that the connections are spread over.
  let transportLoops: [TransportLoop]
  private let terms: ChannelTerms
  /// The layer over the streams of connections, if any.
  private let layer: (any StreamLayer)?
  let registry: ConnectionRegistry
  /// The addresses, for messages.
  private let place: String
  private let log: TransportLog?
  let state = Locked(State())

  // On the loop only:
  private var sockets: [ListeningSocket]
  private var shortageTimer: LoopTimer?
  /// Aborts the connections that have not ended by themselves within the limit of `drain`.
  private var drainTimer: LoopTimer?

  init(
    _ sockets: [ListeningSocket], at addresses: [SocketAddress], format: FrameFormat, limits: TransportLimits,
    pending: PendingConnectionLimits, security: ListenerSecurity, on transportLoops: [TransportLoop],
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) {
    pending.check()
    place = addresses.map(\.description).joined(separator: ", ")
    self.log = TransportLog(log)
    self.sockets = sockets
    layer = security.layer
    layer?.require(format)
    terms = ChannelTerms(format, limits, admissionTime: pending.timeLimit)
    self.transportLoops = transportLoops
    registry = ConnectionRegistry(pending, log: self.log)
    SpareDescriptor.shared.prepare()
  }

  /// Whether accepting pauses because there was no memory or no spare descriptor for a connection.
  var isShort: Bool { shortageTimer != nil }

  // MARK: - Anywhere

  func start() async throws(TransportError) {
    let started: Result<Void, SystemError> = await withCheckedContinuation { continuation in
      loop.perform {
        continuation.resume(returning: Result { () throws(SystemError) in try self.setAccepting(true) })
      }
    }
    do throws(SystemError) {
      try started.get()
    } catch {
      close()
      throw TransportError(error, "Listening")
    }
    log?.report(.info, "start", "listening at \(place)", ["address": place])
  }

  /// Returns the next connection; `nil` if the listener is closed or the task is cancelled.
  func next() async -> Connection? {
    while true {
      let (connection, isClosed, mayAccept) = state.withLock { state -> (Connection?, Bool, Bool) in
        precondition(state.taker == nil, "only one task may wait for the connections of a listener")
        guard !state.waiting.isEmpty else { return (nil, state.isClosed, false) }
        let connection = state.waiting.removeFirst()
        guard state.isFull, state.waiting.count <= Self.mostWaiting / 2 else { return (connection, false, false) }
        state.isFull = false
        return (connection, false, true)
      }
      if mayAccept { loop.perform { self.resume() } }
      if let connection { return connection }
      if isClosed || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let mayGoOn = state.withLock { state in
            precondition(state.taker == nil, "only one task may wait for the connections of a listener")
            if state.isClosed || !state.waiting.isEmpty || Task.isCancelled { return true }
            state.taker = continuation
            return false
          }
          if mayGoOn { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.taker.take() }?.resume()
      }
    }
  }

  /// Stops listening, waits for connections to end, and aborts those that remain at the limit.
  ///
  /// - Returns: The number of aborted connections.
  func drain(within limit: Duration) async -> Int {
    let taker = state.withLock { state in
      state.isClosed = true
      return state.taker.take()
    }
    taker?.resume()
    let aborted = Locked(0)
    let abortAll: @Sendable () -> Void = {
      self.registry.abortAll { count in aborted.withLock { $0 += count } }
    }
    await withCheckedContinuation { continuation in
      loop.perform {
        self.closeSockets()
        self.drainTimer?.cancel()
        self.drainTimer = self.loop.schedule(after: limit, abortAll)
        continuation.resume()
      }
    }
    await withTaskCancellationHandler {
      await registry.waitUntilEmpty()
    } onCancel: {
      abortAll()
    }
    loop.perform {
      self.drainTimer?.cancel()
      self.drainTimer = nil
    }
    return aborted.withLock { $0 }
  }

  /// Stops listening, and then calls a closure.
  func close(_ completion: @escaping @Sendable () -> Void = {}) {
    let (taker, dropped) = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return (state.taker.take(), state.waiting)
    }
    taker?.resume()
    for connection in dropped { connection.abort() }
    loop.perform {
      self.closeSockets()
      completion()
    }
  }

  // MARK: - On the loop

  private func closeSockets() {
    loop.assertIsCurrent()
    shortageTimer?.cancel()
    if !sockets.isEmpty { log?.report(.info, "stop", "no longer listening at \(place)", ["address": place]) }
    for socket in sockets { socket.close() }
    sockets = []
  }

  private func setAccepting(_ isOn: Bool) throws(SystemError) {
    loop.assertIsCurrent()
    for socket in sockets {
      try socket.watch(on: loop, isOn ? { self.accept(from: socket) } : nil)
    }
  }

  /// Accepts waiting connections, a few at a time.
  private func accept(from socket: ListeningSocket) {
    loop.assertIsCurrent()
    let end = LoopTime.now.advanced(byNanoseconds: Self.longestAtOnce)
    for _ in 0..<Self.mostAtOnce where .now < end {
      do throws(SystemError) {
        guard deliver(try socket.accept()) else { return pause() }
      } catch {
        switch error.errno {
        case EAGAIN:
          return
        // These errors belong to the connection to be accepted, not to the listener (accept(2)).
        case ECONNABORTED, EPROTO, EPERM, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET, EOPNOTSUPP:
          continue
        case EMFILE, ENFILE:
          // Without a free descriptor, accept fails like this even if no connection waits.
          switch SpareDescriptor.shared.shed(from: socket) {
          case .shed:
            registry.count { $0.shed += 1 }
            log?.report(
              .warning, "shed",
              "a connection at \(place) was reset: no descriptor is free; close connections, or raise ulimit -n",
              ["address": place])
            registry.makeRoom()
          case .noneWaits: return
          case .impossible: return pauseForShortage()
          }
        default:
          // Without the pause, a connection that cannot be accepted would be reported in every tick.
          return pauseForShortage()
        }
      }
    }
  }

  /// Passes a connection to its loop and to the app; returns false when no more fit.
  private func deliver(_ accepted: consuming Socket.Accepted) -> Bool {
    loop.assertIsCurrent()
    let peer = accepted.peer
    let socket = accepted.socket
    // A socket without an address has already lost its peer.
    guard let local = socket.localAddress() else { return true }
    let credentials = socket.peerCredentials()
    guard let ticket = registry.arrive(peer, seenFrom: local, credentials) else {
      // Reset, so that nothing of a refused connection stays in the system.
      socket.reset()
      return true
    }
    let transportLoop = transportLoops.leastLoaded
    let stream = SocketStream(socket, on: transportLoop.loop)
    return enter(stream, peer: peer, local: local, credentials, ticket, on: transportLoop)
  }

  /// Makes a registered connection over a stream, and passes it to its loop and to the app; returns false when no more fit.
  func enter(
    _ plain: any ByteStream, peer: SocketAddress, local: SocketAddress, _ credentials: PeerCredentials?,
    _ ticket: AdmissionQueue.Ticket, isRelayed: Bool = false, on transportLoop: TransportLoop
  ) -> Bool {
    loop.assertIsCurrent()
    let admission = AdmissionContext(registry: registry, ticket: ticket, byteCounter: registry.byteCounter(of: transportLoop))
    guard let layer else {
      let channel = Channel(plain, peer: peer, terms: terms, on: transportLoop, admission: admission)
      registry.enter(channel, ticket)
      channel.start()
      return handOver(Connection(channel, local: local, credentials, isRelayed: isRelayed))
    }
    let streamTerms = StreamTerms(
      terms, admission, log: log, peerBlock: AddressBlock(peer, seenFrom: local, credentials))
    let stream = layer.wrap(plain, peer: peer, terms: streamTerms, on: transportLoop)
    let channel = Channel(stream, peer: peer, terms: terms, on: transportLoop, admission: admission)
    registry.enter(channel, ticket)
    let connection = Connection(channel, local: local, credentials, layerFacts: stream.allFacts, isRelayed: isRelayed)
    stream.whenEstablished { error in
      if let error, let code = layer.countedCode(for: error.code) { self.registry.count { $0.securityFailures[code] += 1 } }
      guard error == nil else { return }
      layer.prepareToDeliver(connection.layerFacts) {
        guard !self.handOver(connection) else { return }
        self.loop.perform { self.pauseIfFull() }
      }
    }
    stream.whenProgressing { progress in self.registry.note(progress, of: ticket) }
    channel.start()
    return !state.withLock { $0.isFull }
  }

  /// Passes a connection to the app; returns false when no more fit. Can be called on any thread.
  ///
  /// A connection that was established after the listener was closed is released, which aborts it.
  private func handOver(_ connection: Connection) -> Bool {
    let (taker, isFull) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Bool) in
      guard !state.isClosed else { return (nil, false) }
      state.waiting.append(connection)
      if state.waiting.count >= Self.mostWaiting { state.isFull = true }
      return (state.taker.take(), state.isFull)
    }
    taker?.resume()
    return !isFull
  }

  /// Stops accepting, unless the app has taken connections in the meantime.
  func pauseIfFull() {
    loop.assertIsCurrent()
    if state.withLock({ $0.isFull && !$0.isClosed }) { pause() }
  }

  private func pause() {
    loop.assertIsCurrent()
    // Removing watches cannot fail.
    try? setAccepting(false)
  }

  private func pauseForShortage() {
    log?.report(
      .warning, "shortage",
      "accepting at \(place) pauses: no memory or descriptor is free; close connections, or raise ulimit -n",
      ["address": place])
    pause()
    shortageTimer = loop.schedule(after: Self.shortagePause) {
      self.shortageTimer = nil
      self.resume()
    }
  }

  private func resume() {
    loop.assertIsCurrent()
    guard !isShort else { return }
    do throws(SystemError) {
      try setAccepting(true)
    } catch {
      pauseForShortage()
    }
  }
}
