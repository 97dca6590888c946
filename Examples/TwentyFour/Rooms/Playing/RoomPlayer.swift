public import Bonjourish
import BonjourishTransport
import FramedSecurity
public import FramedTransport
public import TwentyFour

/// The place of a player or spectator in a room on another host.
///
/// When the connection breaks, the player reconnects as long as the host keeps the seat. The events are `reconnecting` before
/// each attempt, and `resumed` when the player has their seat again.
public actor RoomPlayer: Seat {
  /// The address of the room at the time of joining.
  public nonisolated let peer: SocketAddress
  public nonisolated let events: RoomEvents

  private nonisolated let loop: any SerialExecutor
  private let key: HostKey
  private let place: MatchPlace
  private let mailbox: RoomMailbox
  private let clock: MatchClock
  private var machine: PlayerMachine
  private var alarm = DeadlineTask()
  private var first: Connection?
  private var connection: RoomConnection?
  private var running: Task<Void, Never>?

  /// The connections' thread, so that messages do not change threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// The time limit for finding and reaching a room.
  public static let timeout: Duration = .seconds(5)

  /// Up to one second at first, then up to three: a seat is kept only for a short time.
  static let policy = ReconnectionPolicy(base: .seconds(1), cap: .seconds(3), stablePeriod: .seconds(10))

  private init(_ entry: PlayerEntry, _ key: HostKey, _ place: MatchPlace, first: Connection, clock: any Clock<Duration>) {
    loop = first.executor
    peer = first.peer
    mailbox = RoomMailbox()
    events = RoomEvents(mailbox: mailbox)
    self.clock = MatchClock(clock)
    self.key = key
    self.place = place
    machine = PlayerMachine(entry, invitation: key.invitation, canProve: key.hasPasscode, joined: place.joined?.name.text)
  }

  // MARK: - Joining and leaving

  /// Plays in a room that was found on the network, while a closure runs.
  ///
  /// - Parameters:
  ///   - instance: The room. It is resolved for each connection, because its port and addresses may have changed. A player who
  ///     reconnects is led to another host by a directory only, and only if it has the same key: see `ServiceHost`.
  ///   - entry: The player or spectator.
  ///   - security: The protection of the connections.
  ///   - interfaces: The interfaces to ask on.
  ///   - bonjour: The discovery that resolves the room.
  ///   - body: Runs while the player is in the room. The player's first event is `open` if the room admitted them, otherwise
  ///     `closed` with the reason.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unavailable` if the room does not answer within ``timeout``, `cannotConnect` if no
  ///   connection to its address is possible, `wrongPasscode`, `otherKey`, `notEncrypted`, `cancelled`, or what the closure throws.
  public static func withRoom<Result: Sendable>(
    _ instance: ServiceInstance, as entry: PlayerEntry, security: PlayerSecurity, interfaces: InterfaceSelection = .all,
    on bonjour: Bonjour, _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let host = ServiceHost()
    let key = HostKey(security, of: PlayerSecurity.name(of: instance))
    let place = MatchPlace(of: instance)
    @Sendable func connect(
      to instance: ServiceInstance, within limit: Duration
    ) async throws(ServiceConnectionError) -> Connection {
      try await Connection.connect(
        to: instance, using: bonjour, interfaces: interfaces, stayingOn: host, format: RoomMessage.format,
        limits: RoomMessage.playerLimits, security: key.next, within: limit)
    }
    return try await withRoom(
      as: entry, key, place,
      connectingBy: { () throws(RoomError) in
        do throws(ServiceConnectionError) {
          // Where the match is, it may have gone on at another server.
          if let match = place.match {
            do throws(ServiceConnectionError) {
              return try await connect(to: match, within: MatchPlace.timeout)
            } catch  where error.code == .unresolved {}
          }
          return try await connect(to: instance, within: timeout)
        } catch {
          throw RoomError(error)
        }
      }, body)
  }

  /// Plays in a room at known addresses, while a closure runs.
  ///
  /// - Parameters:
  ///   - addresses: The possible addresses of the room; the first that answers is used.
  ///   - room: The room's name, for errors and known keys.
  ///   - entry: The player or spectator.
  ///   - security: The protection of the connections.
  ///   - limit: The time limit for connecting.
  ///   - body: As above.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `cannotConnect`, `wrongPasscode`, `otherKey`, `notEncrypted` or `cancelled`, or what the
  ///   closure throws.
  public static func withRoom<Result: Sendable>(
    at addresses: [SocketAddress], called room: String, as entry: PlayerEntry, security: PlayerSecurity,
    within limit: Duration = timeout, _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    try await withRoom(
      at: addresses, called: room, as: entry, security: security, within: limit, clock: ContinuousClock(), policy, body)
  }

  /// As above, with the caller's clock, except while connecting.
  static func withRoom<Result: Sendable>(
    at addresses: [SocketAddress], called room: String, as entry: PlayerEntry, security: PlayerSecurity,
    within limit: Duration, clock: any Clock<Duration>,
    _ policy: ReconnectionPolicy, _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let key = HostKey(security, of: PlayerSecurity.name(ofRoomAt: room))
    return try await withRoom(
      as: entry, key, clock: clock, policy: policy,
      connectingBy: { () throws(RoomError) in
        do throws(TransportError) {
          return try await Connection.connect(
            to: addresses, format: RoomMessage.format, limits: RoomMessage.playerLimits, security: key.next, within: limit)
        } catch {
          throw RoomError(connectingTo: room, error)
        }
      }, body)
  }

  private static func withRoom<Result: Sendable>(
    as entry: PlayerEntry, _ key: HostKey, _ place: MatchPlace = MatchPlace(), clock: any Clock<Duration> = ContinuousClock(),
    policy: ReconnectionPolicy = policy,
    connectingBy connect: @escaping @Sendable () async throws(RoomError) -> Connection,
    _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    let first = try await connect()
    do throws(TransportError) {
      try key.note(first)
    } catch {
      throw RoomError(connectingTo: key.name, error)
    }
    let player = RoomPlayer(entry, key, place, first: first, clock: clock)
    await player.begin(with: first, policy, connect)
    do {
      let result = try await body(player)
      await player.end()
      return result
    } catch {
      await player.end()
      throw error
    }
  }

  private func begin(
    with first: Connection, _ policy: ReconnectionPolicy,
    _ connect: @escaping @Sendable () async throws(RoomError) -> Connection
  ) {
    self.first = first
    // Not a child task: cancellation must not end the connection before the host was told that the player leaves.
    running = Task { await run(policy, connect) }
  }

  private func run(
    _ policy: ReconnectionPolicy, _ connect: @escaping @Sendable () async throws(RoomError) -> Connection
  ) async {
    let connections = Reconnections(policy: policy) { [self] in
      if let first = await takeFirst() { return first }
      do throws(RoomError) {
        return try await connect()
      } catch {
        switch error.code {
        case .moved, .otherKey: await handle(.moved(RoomReason(.moved, error.message)))
        // Each attempt would be one more wrong guess.
        case .wrongPasscode, .passcodePaused: await handle(.refused(RoomReason(.passcode, error.message)))
        default: break
        }
        throw error
      }
    } events: { [self] event in
      guard case .waiting(let end) = event else { return }
      assumeIsolated { $0.handle(.waiting(end - .now)) }
    } retry: { _ in
      // The machine decides: the right host may come back as long as the seat is kept.
      true
    }
    do throws(TransportError) {
      for try await connection in connections { await play(over: connection) }
    } catch {
      preconditionFailure("the policy must permit any number of failures: \(error)")
    }
  }

  /// The first connection, made before the body began; `nil` once used.
  private func takeFirst() -> Connection? {
    defer { first = nil }
    return first
  }

  /// Leaves, if that has not happened yet, and returns when all messages have been sent.
  private func end() async {
    handle(.leave)
    await running?.value
  }

  public func act(_ action: Match.Action) {
    handle(.act(action))
  }

  public func leave() {
    handle(.leave)
  }

  // MARK: - Connections

  private func play(over connection: Connection) async {
    let peer = RoomConnection(connection, codec: RoomMessage.codec)
    self.connection = peer
    handle(.connected(Peer(connection)))
    await peer.read { message in
      switch message {
      case .success(let message): handle(.received(message))
      case .failure(let reason): handle(.malformed(reason))
      }
    }
    self.connection = nil
    handle(.disconnected)
    await connection.close()
  }

  // MARK: - The machine

  private func handle(_ event: PlayerMachine.Event) {
    for effect in machine.handle(event, at: clock.now()) {
      switch effect {
      case .send(let message): connection?.post(message)
      case .drop: connection?.connection.abort()
      case .prove: key.proveAgain()
      case .comeBack(let name): place.set(name)
      case .end(let message):
        if let message { connection?.post(message) }
        // Closes the connection in order, or ends the wait for the next one.
        running?.cancel()
      case .report(let event): mailbox.append(event)
      }
    }
    alarm.set(machine.nextDeadline, on: clock) { [weak self] in await self?.handle(.timePassed) }
  }
}
