import Bonjourish
import BonjourishTransport
import FramedSecurity
public import FramedTransport
import FramedWebSockets
import Synchronization

/// Runs a ``HostMachine``: its sockets, timers and advertisement, and the file of its state.
///
/// A misbehaving connection ends only itself.
public actor HostShell<Machine: HostMachine> {
  /// The addresses on which the host listens.
  public nonisolated let addresses: [SocketAddress]

  private nonisolated let loop: any SerialExecutor
  private nonisolated let listeners: [Listener]
  nonisolated let plan: HostPlan
  nonisolated let admission: HostAdmission
  nonisolated let bonjour: Bonjour?
  nonisolated let openedWeb: Mutex<WebListener?>
  private nonisolated let advertiser: Advertiser
  nonisolated let succession: Succession
  private let file: StateFile<Machine.Snapshot>?
  private nonisolated let over = AsyncStream<Never>.makeStream()
  nonisolated let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// The machine's present state, for the administrator.
  public private(set) var machine: Machine
  var clock: MatchClock
  private var clients: [ConnectionID: Client] = [:]
  private var lastConnection = 0
  /// The connections in each room.
  private var groups: [RoomID: Group] = [:]
  private var timers: [RoomID: DeadlineTask] = [:]
  private var keeping: Task<Void, Never>?
  private(set) var isOver = false
  /// Serves the entrance for phones that was opened later.
  var servingWeb: Task<Void, Never>?
  /// The token that lets a phone in.
  private(set) var token: AdmissionToken?

  private struct Client {
    let connection: RoomConnection
    var room: RoomID?
  }

  /// The connections' thread, so that messages do not change threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(
    _ machine: Machine, _ plan: HostPlan, _ file: StateFile<Machine.Snapshot>?, _ admission: HostAdmission,
    _ listeners: [Listener],
    _ web: WebListener?, _ bonjour: Bonjour?, _ succession: Succession
  ) {
    self.machine = machine
    self.plan = plan
    self.admission = admission
    self.file = file
    openedWeb = Mutex(web)
    self.bonjour = bonjour
    self.succession = succession
    self.listeners = listeners
    addresses = listeners.flatMap(\.addresses)
    loop = listeners[0].executor
    advertiser = Advertiser(admission.over(machine.advertisedPairs), atMostEvery: plan.advertisingInterval)
    clock = MatchClock(plan.clock)
  }

  // MARK: - Opening and closing

  /// Advertises the host, unless it is unlisted, while a closure runs.
  nonisolated func advertised<Result: Sendable>(
    _ body: (PublishedService?) async throws -> Result
  ) async throws -> Result {
    guard let bonjour else { return try await serving { try await body(nil) } }
    let result: Swift.Result<Result, any Error>
    do {
      result = try await bonjour.withPublishedServices(advertisements, listener: listeners[0], interfaces: plan.interfaces) {
        services in
        let service = services[0]
        // What the closure throws is not about this service, even if it is a discovery error.
        do {
          // Only now, so that the time to the first round is time in which players can join.
          return .success(
            try await serving {
              // Cancelled at the end of this closure.
              async let _: Void = advertiser.run(service)
              return try await body(service)
            })
        } catch {
          return .failure(error)
        }
      }
    } catch {
      await close()
      throw (error as? DiscoveryError).map(RoomError.init(advertising:)) ?? error
    }
    return try result.get()
  }

  /// What is published: the room, and its page for phones.
  private nonisolated var advertisements: [Bonjour.Service] {
    let room = Bonjour.Service(plan.name, type: RoomHost.serviceType, port: port, txt: advertiser.first)
    return [room.continued(by: succession)]
      + (web.map { [$0.advertisement(named: plan.name).continued(by: succession.ofPage)] } ?? [])
  }

  /// Accepts connections while a closure runs.
  private nonisolated func serving<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    // Not child tasks: cancellation must not end the connections before all players were told that the host closes.
    var serving: [Task<Void, Never>] = []
    let result: Swift.Result<Result, any Error>
    do {
      try await open()
      serving = listeners.map { listener in Task { await listener.serve(on: .connectionLoop) { await self.serve($0) } } }
      if let web { serving.append(Task { await web.serve { await self.serve($0) } }) }
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    await close()
    for task in serving { await task.value }
    await servingWeb?.value
    return try result.get()
  }

  private func open() async throws(RoomError) {
    clock = MatchClock(plan.clock)
    handle(.open)
    admission.setHandler { [observe = plan.observeAdmission, changes] event in
      observe(event)
      // The passcode is part of the state.
      changes.continuation.yield()
    }
    guard let file else { return }
    try await write(to: file)
    keeping = Task { await keep(file) }
  }

  /// Tells all players, or lets them look for the host again if its state is kept, and stops listening. The connections close in
  /// order; `Listener.serve(_:)` waits for that.
  private func close() async {
    let last = machine.snapshot(at: clock.now())
    handle(file == nil && !plan.isContinued ? .close(because: .hostLeft) : .suspend)
    for listener in listeners { await listener.close() }
    await web?.listener.close()
    keeping?.cancel()
    await keeping?.value
    guard let file else { return }
    if isOver { return await file.remove() }
    do throws(RoomError) {
      if let last { try await write(last, to: file) }
    } catch {
      plan.stateFailed(error)
    }
  }

  nonisolated var port: UInt16 { addresses[0].port }

  /// Returns when the host is closed for good, or the task is cancelled.
  public nonisolated func closed() async {
    for await _ in over.stream {}
  }

  /// The time since the opening.
  public var uptime: Duration { clock.now() }

  /// The counts of the listeners.
  public nonisolated var counters: [ListenerMetrics] { (listeners + [web?.listener].compactMap(\.self)).map(\.metrics) }

  // MARK: - Connections

  /// Runs a connection from beginning to end.
  func serve(_ connection: Connection) async {
    let client = RoomConnection(connection, codec: RoomMessage.codec)
    lastConnection += 1
    let id = ConnectionID(rawValue: lastConnection)
    clients[id] = Client(connection: client)
    handle(.connected(id, Peer(connection, asksForPasscode: admission.asksForPasscode)))
    await client.read { message in
      switch message {
      case .success(let message): handle(.received(id, message))
      case .failure(let reason): handle(.malformed(id, reason))
      }
    }
    clients[id] = nil
    handle(.disconnected(id))
  }

  // MARK: - The machine

  /// Passes an event to the machine, and carries out the effects.
  public func handle(_ event: HostEvent<Machine.Command>) {
    run(machine.handle(event, at: clock.now()))
  }

  /// Changes the machine at the present time, carries out the effects, and returns the result. The closure must not block.
  public func change<Result: Sendable>(_ body: @Sendable (inout Machine, Duration) -> ([HostEffect], Result)) -> Result {
    let (effects, result) = body(&machine, clock.now())
    run(effects)
    return result
  }

  private func run(_ effects: [HostEffect]) {
    for effect in effects {
      switch effect {
      case .broadcast(let room, let event):
        broadcast(event, in: room)
        report(event, of: room)
      case .report(let room, let event): report(event, of: room)
      case .send(let message, let id): clients[id]?.connection.post(message)
      case .keep(let id): clients[id]?.connection.connection.admit()
      case .admit(let id, let room): admit(id, to: room)
      case .disconnect(let id, let reason): disconnect(id, because: reason)
      case .show(let token):
        self.token = token
        // The first one is shown when the host is open.
        if let web, web.show(token) { plan.observeAdmission(.web(web.addresses)) }
      case .advertise(let pairs): advertiser.advertise(admission.over(pairs))
      case .wake(let room, nil): timers.removeValue(forKey: room)?.cancel()
      case .wake(let room, let deadline):
        timers[room, default: DeadlineTask()].set(deadline, on: clock) { [weak self] in await self?.handle(.timePassed(room)) }
      case .over:
        isOver = true
        over.continuation.finish()
      }
    }
    changes.continuation.yield()
  }

  private func report(_ event: RoomEvent, of room: RoomID) {
    plan.observe(room, event)
    if case .closed = event { groups[room] = nil }
  }

  private func admit(_ id: ConnectionID, to room: RoomID) {
    guard let connection = clients[id]?.connection.connection else { return }
    connection.admit()
    clients[id]?.room = room
    let group = groups[room] ?? Group(format: RoomMessage.format, backlogLimit: HostPlan.backlogLimit)
    groups[room] = group
    group.add(connection)
  }

  private func broadcast(_ event: RoomEvent, in room: RoomID) {
    guard let group = groups[room] else { return }
    if (try? group.tryBroadcast(RoomMessage.event(event), codec: RoomMessage.codec)) == true { return }
    // No player may miss an event: those in the room come back, and are told the present state.
    for client in clients.values where client.room == room { client.connection.connection.abort() }
  }

  private func disconnect(_ id: ConnectionID, because reason: RoomReason?) {
    guard let client = clients.removeValue(forKey: id) else { return }
    let connection = client.connection.connection
    if let room = client.room { groups[room]?.remove(connection) }
    if let reason { client.connection.post(.event(.closed(reason))) }
    // This also ends the messages of the task that serves the connection.
    Task { await connection.close() }
  }
}
