public import Bonjourish
import BonjourishTransport
import EventLoop
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
    /// The port to listen on; 0 lets the system choose.
    public var port: UInt16 = 0
    /// The only interface to listen and advertise on; nil for all.
    public var interface: NetworkInterface?
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
  private nonisolated let loop: any SerialExecutor
  private let time: Timekeeper
  private let origin: ContinuousClock.Instant
  private var machine: RoomMachine
  private var alarm: Alarm
  private var connections: [ConnectionID: Connection] = [:]
  private var connectionCount = 0
  private nonisolated let advertiser: Advertiser

  /// The connections' own thread, so that what comes and goes on them changes no threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init(_ configuration: Configuration, listener: Listener, time: Timekeeper) {
    room = RoomID()
    port = listener.port
    loop = listener.executor
    self.time = time
    origin = time.now()
    alarm = Alarm(time)
    advertiser = Advertiser(
      RoomAdvertisement(
        room: room, players: configuration.plays ? 1 : 0, maximumPlayers: configuration.rules.maximumPlayers, state: .waiting))
    machine = RoomMachine(
      room: room, player: configuration.plays ? configuration.name : nil, rules: configuration.rules,
      generator: configuration.generator)
  }

  // MARK: - Opening and closing

  /// Opens a room for as long as a closure runs.
  ///
  /// The room is listening and advertised when the closure is called. When this function returns, be it after a return, an
  /// error or cancellation, everyone has been told that the room is closed, its goodbye is on its way on the network, and its
  /// port is free.
  ///
  /// - Parameters:
  ///   - configuration: What kind of room to open.
  ///   - bonjour: What to advertise it with.
  ///   - body: What to do meanwhile, such as to show ``events``. It gets the host, and the service that stands for it on the
  ///     network.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `cannotListen`, `cannotAdvertise` or `cancelled`, or what the closure throws.
  public static func withRoom<Result: Sendable>(
    _ configuration: Configuration, on bonjour: Bonjour,
    _ body: (RoomHost, PublishedService) async throws -> Result
  ) async throws -> Result {
    let listener: Listener
    do throws(TransportError) {
      listener = try await Listener.bind(
        port: configuration.port, interface: configuration.interface?.name, format: RoomMessage.format, newcomers: .hello,
        on: .one)
    } catch {
      throw RoomError(listening: error)
    }
    let host = RoomHost(configuration, listener: listener, time: .system)
    do {
      let result = try await bonjour.withPublishedService(
        named: .room(of: configuration.name), type: serviceType, listener: listener, txt: host.advertiser.first.txt,
        interface: configuration.interface
      ) { service in
        // Only now, so that the time to the first round is time in which people can come.
        await host.open()
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

  private func open() {
    handle(.open)
  }

  /// Tells everyone, and stops listening. The connections close in order, which ``Listener/serve(_:)`` waits for.
  private func close(_ listener: Listener) async {
    handle(.close)
    alarm.cancel()
    advertiser.stop()
    await listener.close()
  }

  // MARK: - The host's own player

  public func answer(_ expression: String) {
    handle(.answer(expression))
  }

  public func giveUp() {
    handle(.giveUp)
  }

  public func leave() {
    handle(.close)
  }

  // MARK: - Connections

  /// Runs one connection from its beginning to its end.
  private func serve(_ connection: Connection) async {
    connectionCount += 1
    let id = ConnectionID(rawValue: connectionCount)
    connections[id] = connection
    handle(.connected(id))
    do throws(TransportError) {
      for try await frame in connection.frames {
        do throws(MalformedMessage) {
          handle(.received(id, try RoomMessage(decoding: frame)))
        } catch {
          handle(.malformed(id, error))
        }
      }
    } catch {
      // After a frame that is too large or no frame the stream means nothing any more; the peer is told before it goes.
      if error.code == .frameTooLarge || error.code == .malformedFrame { handle(.malformed(id, .tooLarge)) }
    }
    connections[id] = nil
    handle(.disconnected(id))
  }

  // MARK: - The machine

  private func handle(_ event: RoomMachine.Event) {
    for effect in machine.handle(event, at: time.now() - origin) {
      switch effect {
      case .send(let message, let ids):
        let body = message.encoded()
        for id in ids { connections[id].map { RoomMessage.send(body, on: $0) } }
      case .admit(let id):
        connections[id]?.admit()
      case .disconnect(let id, let message):
        guard let connection = connections.removeValue(forKey: id) else { continue }
        if let message { RoomMessage.send(message.encoded(), on: connection) }
        // Ends the frames of the task that serves it.
        Task { await connection.close() }
      case .advertise(let advertisement):
        advertiser.advertise(advertisement)
      case .report(let event):
        mailbox.append(event)
      }
    }
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
