public import Bonjourish
import BonjourishTransport
import EventLoop
public import FramedTransport
public import TwentyFour

/// A player's place in a room that somebody else hosts.
public actor RoomPlayer: Seat {
  /// Where the room is, as far as it was found.
  public nonisolated let peer: SocketAddress
  public nonisolated var events: RoomEvents { RoomEvents(mailbox: mailbox) }

  private nonisolated let mailbox = RoomMailbox()
  private let connection: Connection
  private let time: Timekeeper
  private let origin: ContinuousClock.Instant
  private var machine: PlayerMachine
  private var alarm: Alarm

  /// The connection's own thread, so that what comes and goes on it changes no threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.executor.asUnownedSerialExecutor() }

  /// How long finding and reaching a room may take.
  public static let patience: Duration = .seconds(5)

  private init(_ name: PlayerName, connection: Connection, time: Timekeeper) {
    self.connection = connection
    self.time = time
    peer = connection.peer
    origin = time.now()
    alarm = Alarm(time)
    machine = PlayerMachine(name: name)
  }

  // MARK: - Joining and leaving

  /// Plays in a room that was found on the network, for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - instance: The room. It is looked up anew, because it may have moved since it was seen.
  ///   - name: Who wants to play.
  ///   - interface: The only interface to look on; nil for all.
  ///   - bonjour: What to look the room up with.
  ///   - body: What to do meanwhile. The first of the player's events is `open` when the room let him in, and `closed` with
  ///     the reason when it did not.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unavailable` when nobody answers for the room within ``patience``, `cannotConnect`
  ///   when the room is not where it says, `cancelled`, or what the closure throws.
  public static func withRoom<Result: Sendable>(
    _ instance: ServiceInstance, as name: PlayerName, interface: NetworkInterface? = nil, on bonjour: Bonjour,
    _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let connection: Connection
    do throws(ServiceConnectionError) {
      connection = try await Connection.connect(
        to: instance, using: bonjour, interface: interface, format: RoomMessage.format, within: patience)
    } catch {
      throw RoomError(error)
    }
    return try await withRoom(over: connection, as: name, body)
  }

  /// Plays in a room at known addresses, for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - addresses: Where the room may be; the first that answers is taken.
  ///   - room: What to call the room in errors.
  ///   - name: Who wants to play.
  ///   - limit: How long connecting may take.
  ///   - body: What to do meanwhile, as above.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `cannotConnect` or `cancelled`, or what the closure throws.
  public static func withRoom<Result: Sendable>(
    at addresses: [SocketAddress], called room: String, as name: PlayerName, within limit: Duration = patience,
    _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let connection: Connection
    do throws(TransportError) {
      connection = try await Connection.connect(to: addresses, format: RoomMessage.format, within: limit)
    } catch {
      throw RoomError(connectingTo: room, error)
    }
    return try await withRoom(over: connection, as: name, body)
  }

  private static func withRoom<Result: Sendable>(
    over connection: Connection, as name: PlayerName, _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let player = RoomPlayer(name, connection: connection, time: .system)
    // Not a child task: cancellation must not end the connection before the host has been told that we leave.
    let receiving = Task { await player.run() }
    do {
      let result = try await body(player)
      await player.close()
      await receiving.value
      return result
    } catch {
      await player.close()
      await receiving.value
      throw error
    }
  }

  /// Leaves if that has not happened yet, and returns when what was sent has left.
  private func close() async {
    handle(.leave)
    alarm.cancel()
    await connection.close()
  }

  // MARK: - The player

  public func answer(_ expression: String) {
    handle(.answer(expression))
  }

  public func giveUp() {
    handle(.giveUp)
  }

  public func leave() {
    handle(.leave)
  }

  // MARK: - The connection

  private func run() async {
    handle(.connected)
    do throws(TransportError) {
      for try await frame in connection.frames {
        do throws(MalformedMessage) {
          handle(.received(try RoomMessage(decoding: frame)))
        } catch {
          handle(.malformed(error))
        }
      }
    } catch {
      if error.code == .frameTooLarge || error.code == .malformedFrame { handle(.malformed(.tooLarge)) }
    }
    handle(.disconnected)
  }

  // MARK: - The machine

  private func handle(_ event: PlayerMachine.Event) {
    for effect in machine.handle(event, at: time.now() - origin) {
      switch effect {
      case .send(let message):
        RoomMessage.send(message.encoded(), on: connection)
      case .disconnect(let message):
        if let message { RoomMessage.send(message.encoded(), on: connection) }
        // Ends the frames that `run` reads.
        Task { [connection] in await connection.close() }
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
