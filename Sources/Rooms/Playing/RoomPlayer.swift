public import Bonjourish
import BonjourishTransport
package import EventLoop
public import FramedTransport
import TwentyFour

/// A player's place in a room that somebody else hosts, or that of one who looks on.
///
/// When the connection breaks it is made again, as long as the host keeps the seat: the events tell of it, `reconnecting` before
/// each attempt and `resumed` when the seat is there again.
public actor RoomPlayer: Seat {
  /// Where the room was when it was joined, as far as it was found.
  public nonisolated let peer: SocketAddress
  public nonisolated var events: RoomEvents { RoomEvents(mailbox: mailbox) }

  /// The secret by which the host knows us again, once we are inside; see ``PlayerEntry/token``.
  public var token: String? { machine.token }

  private nonisolated let mailbox = RoomMailbox()
  private nonisolated let loop: any SerialExecutor
  private let connect: @Sendable () async throws -> Connection
  private let time: Timekeeper
  private let origin: ContinuousClock.Instant
  private var machine: PlayerMachine
  private var alarm: Alarm
  /// The connection that the machine knows of; what comes from any other is not heard.
  private var connection: Connection?
  private var reading: Task<Void, Never>?
  private var attempt: Task<Void, Never>?
  /// Closes the connections that were given up.
  private var closing: Task<Void, Never>?

  /// The connections' own thread, so that what comes and goes on them changes no threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// How long finding and reaching a room may take.
  public static let patience: Duration = .seconds(5)

  private init(
    _ entry: PlayerEntry, first: Connection, time: Timekeeper, connect: @escaping @Sendable () async throws -> Connection
  ) {
    self.connect = connect
    self.time = time
    loop = first.executor
    peer = first.peer
    origin = time.now()
    alarm = Alarm(time)
    machine = PlayerMachine(entry, jitter: SeededGenerator(seed: .random(in: 0...UInt64.max)))
  }

  // MARK: - Joining and leaving

  /// Plays in a room that was found on the network, for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - instance: The room. It is looked up anew for each connection, because it may have moved since it was seen.
  ///   - entry: Who wants to play, or to look on.
  ///   - interface: The only interface to look on; nil for all.
  ///   - bonjour: What to look the room up with.
  ///   - body: What to do meanwhile. The first of the player's events is `open` when the room let him in, and `closed` with
  ///     the reason when it did not.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unavailable` when nobody answers for the room within ``patience``, `cannotConnect`
  ///   when the room is not where it says, `cancelled`, or what the closure throws.
  public static func withRoom<Result: Sendable>(
    _ instance: ServiceInstance, as entry: PlayerEntry, interface: NetworkInterface? = nil, on bonjour: Bonjour,
    _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let connect: @Sendable (TransportLoops) async throws -> Connection = { loops in
      do throws(ServiceConnectionError) {
        return try await Connection.connect(
          to: instance, using: bonjour, interface: interface, format: RoomMessage.format, within: patience, on: loops)
      } catch {
        throw RoomError(error)
      }
    }
    return try await withRoom(as: entry, time: .system, connectingBy: connect, body)
  }

  /// Plays in a room at known addresses, for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - addresses: Where the room may be; the first that answers is taken.
  ///   - room: What to call the room in errors.
  ///   - entry: Who wants to play, or to look on.
  ///   - limit: How long connecting may take.
  ///   - body: What to do meanwhile, as above.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `cannotConnect` or `cancelled`, or what the closure throws.
  public static func withRoom<Result: Sendable>(
    at addresses: [SocketAddress], called room: String, as entry: PlayerEntry, within limit: Duration = patience,
    _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    try await withRoom(at: addresses, called: room, as: entry, within: limit, time: .system, body)
  }

  package static func withRoom<Result: Sendable>(
    at addresses: [SocketAddress], called room: String, as entry: PlayerEntry, within limit: Duration, time: Timekeeper,
    _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let connect: @Sendable (TransportLoops) async throws -> Connection = { loops in
      do throws(TransportError) {
        return try await Connection.connect(to: addresses, format: RoomMessage.format, within: limit, on: loops)
      } catch {
        throw RoomError(connectingTo: room, error)
      }
    }
    return try await withRoom(as: entry, time: time, connectingBy: connect, body)
  }

  private static func withRoom<Result: Sendable>(
    as entry: PlayerEntry, time: Timekeeper,
    connectingBy connect: @escaping @Sendable (TransportLoops) async throws -> Connection,
    _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let first = try await connect(.one)
    let player = RoomPlayer(entry, first: first, time: time) { [loop = first.loop] in try await connect(loop) }
    await player.take(first)
    do {
      let result = try await body(player)
      await player.close()
      return result
    } catch {
      await player.close()
      throw error
    }
  }

  /// Leaves if that has not happened yet, and returns when what was sent has left.
  private func close() async {
    handle(.leave)
    alarm.cancel()
    attempt?.cancel()
    await attempt?.value
    await closing?.value
    await reading?.value
  }

  // MARK: - The player

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
    handle(.leave)
  }

  // MARK: - Connections

  private func take(_ connection: Connection) {
    self.connection = connection
    // Not a child task: cancellation must not end the connection before the host has been told that we leave.
    reading = Task { await read(connection) }
    handle(.connected)
  }

  private func read(_ connection: Connection) async {
    await RoomMessage.read(from: connection) { message in
      switch message {
      case .success(let message): handle(.received(message), from: connection)
      case .failure(let error): handle(.malformed(error), from: connection)
      }
    }
    guard connection === self.connection else { return }
    giveUp(connection)
    handle(.disconnected)
  }

  private func connectAgain() async {
    do {
      take(try await connect())
    } catch {
      handle(.unreachable)
    }
  }

  /// Closes a connection, which ends its frames, and hears it no more.
  private func giveUp(_ connection: Connection) {
    self.connection = nil
    closing = Task { [closing] in
      await connection.close()
      await closing?.value
    }
  }

  // MARK: - The machine

  private func handle(_ event: PlayerMachine.Event, from connection: Connection) {
    if connection === self.connection { handle(event) }
  }

  private func handle(_ event: PlayerMachine.Event) {
    for effect in machine.handle(event, at: time.now() - origin) {
      switch effect {
      case .send(let message):
        connection.map { RoomMessage.send(message.encoded(), on: $0) }
      case .disconnect(let message):
        guard let connection else { continue }
        if let message { RoomMessage.send(message.encoded(), on: connection) }
        giveUp(connection)
      case .connect:
        attempt = Task { await connectAgain() }
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
