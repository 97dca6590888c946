public import Bonjourish
import BonjourishTransport
import EventLoop
public import FramedTransport
import TwentyFour

/// A house that is open: it listens, advertises itself, and runs many matches in one process, with nobody playing at the host.
///
/// What a connection does ends at most that connection.
public actor House {
  /// The port of a house, where nothing else is said.
  public static let standardPort: UInt16 = 1955

  /// Where the house listens.
  public nonisolated let addresses: [SocketAddress]
  public nonisolated var port: UInt16 { addresses[0].port }

  private nonisolated let loop: EventLoop
  private nonisolated let listeners: [Listener]
  private nonisolated let advertiser: Advertiser
  private nonisolated let observe: @Sendable (RoomID, RoomEvent) -> Void
  private nonisolated let isClosed = Watched(false)
  private var origin: LoopTime
  private var machine: HouseMachine
  private var timer: LoopTimer?
  private var connections = PeerConnections()
  private var rooms: [MatchNumber: RoomID] = [:]
  private var acknowledgements = LatencyHistogram()
  private nonisolated let keeper: StateKeeper<StateFile.HouseContents>?
  private var keeping: Task<Void, Never>?
  /// Whether the house was drained, so that nothing is to be kept.
  private var isDrained = false

  /// The connections' own thread, so that what comes and goes on them changes no threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init(
    _ configuration: Configuration, resuming snapshot: HouseMachine.Snapshot?, listeners: [Listener]
  ) throws(RoomMachine.Snapshot.Invalid) {
    machine =
      if let snapshot {
        // Everything before the opening happens at the same moment: what was left of a round is left when it is open.
        try HouseMachine(restoring: snapshot, matchLimit: configuration.matches, rules: configuration.rules, at: .zero)
      } else {
        HouseMachine(
          house: RoomID(), matchLimit: configuration.matches, rules: configuration.rules, generator: configuration.generator)
      }
    self.listeners = listeners
    addresses = listeners.flatMap(\.addresses)
    guard let loop = listeners[0].executor as? EventLoop else { preconditionFailure("listeners live on event loops") }
    self.loop = loop
    observe = configuration.observe
    origin = .now
    advertiser = Advertiser(machine.advertisement.txt, atMostEvery: .seconds(10))
    keeper = configuration.state.map { StateKeeper(StateFile(path: $0), failed: configuration.stateFailed) }
  }

  // MARK: - Opening and closing

  /// Opens a house for as long as a closure runs.
  ///
  /// The house is listening, and advertised if that was asked for, when the closure is called. When this function returns, be it
  /// after a return, an error or cancellation, everyone has been told that it is closed, and its port is free. With a
  /// ``Configuration/state``, and unless it was drained, it is not closed: the connections end without a word, so that the players
  /// come back when it is opened again.
  ///
  /// - Parameters:
  ///   - configuration: What kind of house to open.
  ///   - inherited: Sockets that listen already, from ``takeInherited()``; without any the house listens itself.
  ///   - bonjour: What to advertise it with; nil for a house that has to be known.
  ///   - body: What to do meanwhile, such as to wait until it is ``closed()``. It gets the house, and the service that stands for
  ///     it on the network.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unusableState`, `cannotKeepState`, `cannotListen`, `cannotAdvertise` or `cancelled`, or
  ///   what the closure throws.
  public static func withHouse<Result: Sendable>(
    _ configuration: Configuration, listeningOn inherited: [Listener] = [], on bonjour: Bonjour?,
    _ body: (House, PublishedService?) async throws -> Result
  ) async throws -> Result {
    let saved = try await configuration.state.map(StateFile.init)?.onItsThread { file throws(RoomError) in
      try file.read(StateFile.HouseContents.self)
    }
    let listeners: [Listener]
    do throws(TransportError) {
      listeners =
        inherited.isEmpty
        ? [
          try await Listener.bind(
            port: configuration.port == 0 ? saved?.port ?? 0 : configuration.port, interface: configuration.interface?.name,
            format: RoomMessage.format, newcomers: .house, on: .one)
        ] : inherited
    } catch {
      throw RoomError(listening: error)
    }
    let house: House
    do throws(RoomMachine.Snapshot.Invalid) {
      house = try House(configuration, resuming: saved?.house, listeners: listeners)
    } catch {
      for listener in listeners { await listener.close() }
      throw RoomError(state: configuration.state ?? "", error)
    }
    guard let bonjour else { return try await house.serving { try await body(house, nil) } }
    do {
      return try await bonjour.withPublishedService(
        named: configuration.name, type: RoomHost.serviceType, listener: listeners[0], txt: house.advertiser.first,
        interface: configuration.interface
      ) { service in
        try await house.serving {
          // Ends, by cancellation, with this closure.
          async let _: Void = house.advertiser.run(service)
          return try await body(house, service)
        }
      }
    } catch {
      await house.close()
      throw (error as? DiscoveryError).map(RoomError.init(advertising:)) ?? error
    }
  }

  /// The sockets that a service manager has opened for a house (sd_listen_fds(3)). To be called at the beginning of a program, for
  /// it changes the environment.
  ///
  /// - Throws: ``RoomError`` with code `cannotListen` when they cannot be used.
  public static func takeInherited() async throws(RoomError) -> [Listener] {
    do throws(TransportError) {
      return try await Listener.inherited(format: RoomMessage.format, newcomers: .house, on: .one)
    } catch {
      throw RoomError(listening: error)
    }
  }

  /// Takes connections for as long as a closure runs.
  private nonisolated func serving<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    // Not child tasks: cancellation must not end the connections before everyone has been told that the house closes.
    var serving: [Task<Void, Never>] = []
    do {
      try await open()
      serving = listeners.map { listener in
        Task { await listener.serve { connection in await self.serve(connection) } }
      }
      let result = try await body()
      await close()
      for task in serving { await task.value }
      return result
    } catch {
      await close()
      for task in serving { await task.value }
      throw error
    }
  }

  private func open() async throws(RoomError) {
    origin = .now
    handle(.open)
    guard let keeper, let contents else { return }
    try await keeper.write(contents)
    keeping = keeper.keep { await self.contents }
  }

  /// Tells everyone, or lets them look for the house again if its state is kept, and stops listening. The connections close in
  /// order, which ``Listener/serve(_:)`` waits for.
  private func close() async {
    let last = contents
    handle(keeper == nil ? .close : .suspend)
    timer?.cancel()
    timer = nil
    advertiser.stop()
    for listener in listeners { await listener.close() }
    keeping?.cancel()
    await keeping?.value
    if let last { await keeper?.end(with: last) }
    if isDrained { await keeper?.remove() }
  }

  /// What the house can be gone on with; nil when it is not open.
  private var contents: StateFile.HouseContents? {
    machine.snapshot(at: .now - origin).map { StateFile.HouseContents(port: port, house: $0) }
  }

  /// Returns when the house is closed: after ``drain()``, when the last match is over; or when the task is cancelled.
  public nonisolated func closed() async {
    _ = await isClosed.take { $0 ? true : nil }
  }

  /// Lets nobody new in and no match begin; those that are played go on to their ends, and then the house is ``closed()``.
  ///
  /// Who has lost the connection to a match that is played can come back to it. A match without a last round ends with the
  /// round that is played.
  public func drain() {
    handle(.drain)
  }

  // MARK: - Whoever runs the house

  /// How every match stands.
  package var overview: [MatchOverview] { machine.overview }

  /// What has happened, and how the house stands.
  package var statistics: HouseStatistics {
    HouseStatistics(
      machine.counts, matchLimit: machine.matchLimit, isDraining: machine.isDraining, uptime: .now - origin,
      acknowledgements: acknowledgements, listeners: listeners.map(\.counters))
  }

  /// Shows everyone out who goes by a name.
  ///
  /// - Parameter number: In this match only; nil for all.
  /// - Returns: In which matches somebody was shown out. With several and no number it was nobody: say which.
  package func kick(_ name: String, from number: MatchNumber?) -> [MatchNumber] {
    let found = machine.players(called: name, in: number)
    if found.count == 1 { handle(.kick(found[0].player.id, from: found[0].match)) }
    return found.map(\.match)
  }

  /// Ends a match.
  ///
  /// - Returns: Whether there was one with this number.
  package func closeMatch(_ number: MatchNumber) -> Bool {
    guard machine.slot(of: number) != nil else { return false }
    handle(.closeMatch(number))
    return true
  }

  // MARK: - Connections

  /// Runs one connection from its beginning to its end.
  private func serve(_ connection: Connection) async {
    let id = connections.enter(connection)
    handle(.connected(id))
    await RoomMessage.read(from: connection) { message in
      let began = loop.turnBegan
      switch message {
      case .success(let message):
        handle(.received(id, message))
        if case .answer = message { acknowledgements.add(.now - began) }
      case .failure(let error):
        handle(.malformed(id, error))
      }
    }
    connections.leave(id)
    handle(.disconnected(id))
  }

  // MARK: - The machine

  private func handle(_ event: HouseMachine.Event) {
    for effect in machine.handle(event, at: .now - origin) {
      switch effect {
      case .send(let message, let ids): connections.send(message, to: ids)
      case .admit(let id): connections.admit(id)
      case .disconnect(let id, let message): connections.disconnect(id, saying: message)
      case .advertise(let advertisement):
        advertiser.advertise(advertisement.txt)
      case .report(let number, let event):
        report(event, of: number)
      case .closed:
        isClosed.change { $0 = true }
        if event != .suspend { isDrained = true }
      }
    }
    keeper?.changed()
    setTimer()
  }

  /// Sees to it that the next deadline is not missed.
  ///
  /// With almost everything that is heard some deadline moves away. So a timer that comes too early is left, and looks again.
  private func setTimer() {
    guard let deadline = machine.nextDeadline.map({ origin + $0 }) else { return }
    if let timer, timer.deadline <= deadline { return }
    timer?.cancel()
    timer = loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.timePasses() } }
  }

  private func report(_ event: RoomEvent, of number: MatchNumber) {
    if case .open(let room, _, _) = event { rooms[number] = room }
    guard let room = rooms[number] else { preconditionFailure("the first event of a match is that it is open") }
    if case .closed = event { rooms[number] = nil }
    observe(room, event)
  }

  private func timePasses() {
    timer = nil
    handle(.timePassed)
  }
}

extension NewcomerLimits {
  /// As for a room, but with space for all those who come back at once when a house was started anew, some of them from behind
  /// one address.
  static let house = NewcomerLimits(admission: .app, count: 1_024, countPerAddress: 256)
}
