public import Bonjourish
import BonjourishTransport
package import EventLoop
import FramedTransport
public import TwentyFour

/// A room that is open: it listens, advertises itself, and runs the match.
///
/// The host checks every answer and keeps the time. What a connection does ends at most that connection.
public actor RoomHost: Seat {
  /// What kind of room to open.
  public struct Configuration: Sendable {
    /// Who opens the room. The room is advertised as `<name>'s game`.
    public var name: PlayerName
    /// Whether who opens the room also plays in it.
    public var plays = true
    public var rules = Match.Rules()
    /// The port to listen on; 0 lets the system choose, or takes that of the ``state``.
    public var port: UInt16 = 0
    /// The only interface to listen and advertise on; nil for all.
    public var interface: NetworkInterface?
    /// The path of a file to keep the room's state in; nil to forget it.
    ///
    /// When the file is there, the room that it tells of goes on: by its own rules, with its players' seats, at its port. It is
    /// written at most once a second, and removed when the room is closed for good: by ``RoomHost/leave()``, or after the last
    /// round. A process that ends in any other way leaves it, and the players come back as soon as the room is open again.
    public var state: String?
    /// Told when the state cannot be written: once, until it can again.
    public var stateFailed: @Sendable (RoomError) -> Void = { _ in }
    /// Told what happens in the room, in order, as ``RoomHost/events`` tell it. It is called on the connections' thread, and must
    /// not block.
    public var observe: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }
    /// Deals the hands; the same seed deals the same ones.
    public var generator: SeededGenerator

    public init(name: PlayerName, generator: SeededGenerator) {
      self.name = name
      self.generator = generator
    }
  }

  /// What rooms are advertised as.
  public static let serviceType: ServiceType = "_twentyfour._tcp"

  /// The port that the room listens on.
  public nonisolated let port: UInt16
  public nonisolated let room: RoomID
  public nonisolated var events: RoomEvents { RoomEvents(mailbox: mailbox) }

  private nonisolated let mailbox = RoomMailbox()
  private nonisolated let observe: @Sendable (RoomID, RoomEvent) -> Void
  private nonisolated let loop: any SerialExecutor
  private let time: Timekeeper
  private var origin: ContinuousClock.Instant
  private var machine: RoomMachine
  private var alarm: Alarm
  private var connections = PeerConnections()
  private nonisolated let advertiser: Advertiser
  private nonisolated let keeper: StateKeeper<StateFile.RoomContents>?
  private var keeping: Task<Void, Never>?
  /// Whether the room was closed for good, so that nothing is to be kept.
  private var isOver = false

  /// The connections' own thread, so that what comes and goes on them changes no threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init(
    _ configuration: Configuration, resuming snapshot: RoomMachine.Snapshot?, listener: Listener, time: Timekeeper
  ) throws(RoomMachine.Snapshot.Invalid) {
    let name = configuration.plays ? configuration.name : nil
    machine =
      if let snapshot {
        // Everything before the opening happens at the same moment: what was left of a round is left when it is open.
        try RoomMachine(restoring: snapshot, player: name, at: .zero)
      } else {
        RoomMachine(room: RoomID(), player: name, rules: configuration.rules, generator: configuration.generator)
      }
    room = machine.room
    observe = configuration.observe
    port = listener.port
    loop = listener.executor
    self.time = time
    origin = time.now()
    alarm = Alarm(time)
    advertiser = Advertiser(machine.advertisement.txt)
    keeper = configuration.state.map { StateKeeper(StateFile(path: $0), failed: configuration.stateFailed) }
  }

  // MARK: - Opening and closing

  /// Opens a room for as long as a closure runs.
  ///
  /// The room is listening and advertised when the closure is called. When this function returns, be it after a return, an
  /// error or cancellation, everyone has been told that the room is closed, its goodbye is on its way on the network, and its
  /// port is free. With a ``Configuration/state``, and unless it was left or all rounds were played, the room is not closed:
  /// the connections end without a word, so that the players come back when it is opened again.
  ///
  /// - Parameters:
  ///   - configuration: What kind of room to open.
  ///   - bonjour: What to advertise it with.
  ///   - body: What to do meanwhile, such as to show ``events``. It gets the host, and the service that stands for it on the
  ///     network.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unusableState`, `cannotKeepState`, `cannotListen`, `cannotAdvertise` or `cancelled`, or
  ///   what the closure throws.
  public static func withRoom<Result: Sendable>(
    _ configuration: Configuration, on bonjour: Bonjour,
    _ body: (RoomHost, PublishedService) async throws -> Result
  ) async throws -> Result {
    try await withRoom(configuration, on: bonjour, time: .system, body)
  }

  package static func withRoom<Result: Sendable>(
    _ configuration: Configuration, on bonjour: Bonjour, time: Timekeeper,
    _ body: (RoomHost, PublishedService) async throws -> Result
  ) async throws -> Result {
    let saved = try await configuration.state.map(StateFile.init)?.onItsThread { file throws(RoomError) in
      try file.read(StateFile.RoomContents.self)
    }
    let listener: Listener
    do throws(TransportError) {
      listener = try await Listener.bind(
        port: configuration.port == 0 ? saved?.port ?? 0 : configuration.port, interface: configuration.interface?.name,
        format: RoomMessage.format, newcomers: .hello, on: .one)
    } catch {
      throw RoomError(listening: error)
    }
    let host: RoomHost
    do throws(RoomMachine.Snapshot.Invalid) {
      host = try RoomHost(configuration, resuming: saved?.room, listener: listener, time: time)
    } catch {
      await listener.close()
      throw RoomError(state: configuration.state ?? "", error)
    }
    do {
      let result = try await bonjour.withPublishedService(
        named: .room(of: configuration.name), type: serviceType, listener: listener, txt: host.advertiser.first,
        interface: configuration.interface
      ) { service in
        // Only now, so that the time to the first round is time in which people can come.
        try await host.open()
        // Ends, by cancellation, with this closure.
        async let _: Void = host.advertiser.run(service)
        // Not a child task: cancellation must not end the connections before everyone has been told that the room closes.
        let serving = Task { await listener.serve { connection in await host.serve(connection) } }
        do {
          let result = try await body(host, service)
          await host.close(listener)
          await serving.value
          return result
        } catch {
          await host.close(listener)
          await serving.value
          throw error
        }
      }
      return result
    } catch {
      await host.close(listener)
      throw (error as? DiscoveryError).map(RoomError.init(advertising:)) ?? error
    }
  }

  private func open() async throws(RoomError) {
    origin = time.now()
    handle(.open)
    guard let keeper, let contents else { return }
    try await keeper.write(contents)
    keeping = keeper.keep { await self.contents }
  }

  /// Tells everyone, and stops listening. The connections close in order, which ``Listener/serve(_:)`` waits for.
  private func close(_ listener: Listener) async {
    let last = contents
    handle(keeper == nil ? .close : .suspend)
    alarm.cancel()
    advertiser.stop()
    await listener.close()
    keeping?.cancel()
    await keeping?.value
    if let last { await keeper?.end(with: last) }
    if isOver { await keeper?.remove() }
  }

  /// What the room can be gone on with; nil when it is not open.
  private var contents: StateFile.RoomContents? {
    machine.snapshot(at: time.now() - origin).map { StateFile.RoomContents(port: port, room: $0) }
  }

  // MARK: - The host's own player

  public func answer(_ expression: String) {
    handle(.answer(expression))
  }

  public func giveUp() {
    handle(.giveUp)
  }

  public func hint() {
    handle(.hint)
  }

  public func leave() {
    handle(.close)
  }

  // MARK: - Connections

  /// Runs one connection from its beginning to its end.
  private func serve(_ connection: Connection) async {
    let id = connections.enter(connection)
    handle(.connected(id))
    await RoomMessage.read(from: connection) { message in
      switch message {
      case .success(let message): handle(.received(id, message))
      case .failure(let error): handle(.malformed(id, error))
      }
    }
    connections.leave(id)
    handle(.disconnected(id))
  }

  // MARK: - The machine

  private func handle(_ event: RoomMachine.Event) {
    for effect in machine.handle(event, at: time.now() - origin) {
      switch effect {
      case .send(let message, let ids): connections.send(message, to: ids)
      case .admit(let id): connections.admit(id)
      case .disconnect(let id, let message): connections.disconnect(id, saying: message)
      case .advertise(let advertisement):
        advertiser.advertise(advertisement.txt)
      case .report(let reported):
        mailbox.append(reported)
        observe(room, reported)
        if case .closed = reported, event != .suspend { isOver = true }
      }
    }
    keeper?.changed()
    alarm.set(machine.nextDeadline.map { origin + $0 }) { [weak self] in await self?.timePasses() }
  }

  private func timePasses() {
    guard alarm.fired() else { return }
    handle(.timePassed)
  }
}

extension InstanceName {
  /// The name of someone's room, shortened by whole characters to what a label holds.
  static func room(of player: PlayerName) -> InstanceName {
    let suffix = "'s game"
    var name = player.text
    while name.utf8.count + suffix.utf8.count > maximumByteCount { name.removeLast() }
    do throws(DiscoveryError) {
      return try InstanceName(name + suffix)
    } catch {
      preconditionFailure("a player's name has no control characters, and fits: \(error)")
    }
  }
}
