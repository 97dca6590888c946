import Bonjourish
import FramedJSON
import FramedSecurity
import FramedTransport
import FramedWebSockets
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import Rooms

/// What a host does with the effects of its machine, over real connections on the loopback interface.
@Suite(.timeLimit(.minutes(1))) struct HostShellTests {
  private typealias Event = HostEvent<Int>

  /// A machine that only notes what it is told; a test says what is to be done.
  private struct IdleHost: HostMachine {
    struct Snapshot: Codable, Hashable, Sendable {}

    let told: AsyncStream<Event>.Continuation
    var advertisedPairs: [String: String] { [:] }

    func handle(_ event: Event, at now: Duration) -> [HostEffect] {
      told.yield(event)
      return []
    }

    func snapshot(at now: Duration) -> Snapshot? { Snapshot() }
  }

  private struct Observed: Equatable {
    let room: RoomID
    let event: RoomEvent
  }

  private let one = RoomID()
  private let two = RoomID()
  private let time = ManualTime()
  private let told = AsyncStream<Event>.makeStream()

  /// Runs a host that nobody finds.
  private func withHost<Result: Sendable>(
    _ change: (inout HostPlan) -> Void = { _ in }, _ body: (HostShell<IdleHost>) async throws -> Result
  ) async throws -> Result {
    var plan = HostPlan(name: "Ada's game", .plaintext)
    plan.interfaces = "lo"
    plan.clock = time
    change(&plan)
    return try await plan.host(on: nil) { _, _, _ in
      IdleHost(told: told.continuation)
    } _: { shell, _ in
      try await body(shell)
    }
  }

  /// Somebody at the other end of a connection.
  private struct Person {
    let id: ConnectionID
    let peer: RoomConnection
    private var messages: Messages<JSONCodec<RoomMessage>>.Iterator

    init(_ id: ConnectionID, _ connection: Connection) {
      self.id = id
      peer = RoomConnection(connection, codec: RoomMessage.codec)
      messages = peer.messages.makeAsyncIterator()
    }

    /// The next message; nil if the connection has ended or broken.
    mutating func next() async -> RoomMessage? { try? await messages.next() }
  }

  private func connect(_ shell: HostShell<IdleHost>, _ events: inout AsyncStream<Event>.Iterator) async throws -> Person {
    let connection = try await Connection.connect(
      to: shell.addresses, format: RoomMessage.format, limits: RoomMessage.playerLimits)
    while let event = await events.next(isolation: #isolation) {
      if case .connected(let id, _) = event { return Person(id, connection) }
    }
    throw CancellationError()
  }

  private func run(_ effects: HostEffect..., in shell: HostShell<IdleHost>) async {
    await shell.change { _, _ in (effects, ()) }
  }

  @Test func `what is for all in a room reaches those who are in it, until it is closed, and always the app`() async throws {
    let observed = Locked<[Observed]>([])
    try await withHost {
      $0.observe = { room, event in observed.withLock { $0.append(Observed(room: room, event: event)) } }
    } _: { shell in
      var events = told.stream.makeAsyncIterator()
      var (ada, bob) = (try await connect(shell, &events), try await connect(shell, &events))
      var stranger = try await connect(shell, &events)
      await run(.admit(ada.id, to: one), .admit(bob.id, to: two), in: shell)
      await run(.broadcast(one, .missing(1)), .broadcast(two, .missing(2)), .report(one, .missing(3)), in: shell)
      await run(.broadcast(one, .closed(.hostLeft)), .broadcast(one, .missing(4)), .broadcast(two, .missing(5)), in: shell)
      await run(.send(.pong, to: ada.id), .send(.pong, to: stranger.id), in: shell)
      #expect(await ada.next() == .event(.missing(1)))
      #expect(await ada.next() == .event(.closed(.hostLeft)))
      #expect(await ada.next() == .pong)
      #expect(await bob.next() == .event(.missing(2)))
      #expect(await bob.next() == .event(.missing(5)))
      #expect(await stranger.next() == .pong)
      let all = [(one, RoomEvent.missing(1)), (two, .missing(2)), (one, .missing(3)), (one, .closed(.hostLeft))]
      let rest = [(one, RoomEvent.missing(4)), (two, .missing(5))]
      #expect(observed.withLock { $0 } == (all + rest).map { Observed(room: $0.0, event: $0.1) })
    }
  }

  @Test func `an event that cannot be sent ends the connections of its room, and no other`() async throws {
    try await withHost { shell in
      var events = told.stream.makeAsyncIterator()
      var (ada, bob) = (try await connect(shell, &events), try await connect(shell, &events))
      var stranger = try await connect(shell, &events)
      await run(.admit(ada.id, to: one), .admit(bob.id, to: two), in: shell)
      // No frame is as long.
      let text = String(repeating: "x", count: 100_000)
      await run(.broadcast(one, .refused(RoomReason(.full, text))), .broadcast(two, .missing(2)), in: shell)
      await run(.send(.pong, to: stranger.id), in: shell)
      #expect(await ada.next() == nil)
      #expect(await bob.next() == .event(.missing(2)))
      #expect(await stranger.next() == .pong)
      #expect(await events.next() == .disconnected(ada.id))
    }
  }

  @Test func `a connection that is let go gets the reason if there is one, and nothing after it`() async throws {
    try await withHost { shell in
      var events = told.stream.makeAsyncIterator()
      var people: [Person] = []
      for _ in 0..<3 { people.append(try await connect(shell, &events)) }
      for person in people { await run(.admit(person.id, to: one), in: shell) }
      await run(
        .disconnect(people[0].id, because: .kicked), .disconnect(people[1].id, because: nil), .broadcast(one, .missing(1)),
        .send(.pong, to: people[0].id), .admit(people[0].id, to: two), .broadcast(two, .missing(2)), in: shell)
      #expect(await people[0].next() == .event(.closed(.kicked)))
      for index in 0...1 { #expect(await people[index].next() == nil) }
      #expect(await people[2].next() == .event(.missing(1)))
      var gone: Set<Event> = []
      for _ in 0...1 { if let event = await events.next() { gone.insert(event) } }
      #expect(gone == [.disconnected(people[0].id), .disconnected(people[1].id)])
    }
  }

  @Test func `the machine hears what comes over a connection, in order, also what cannot be read`() async throws {
    try await withHost { shell in
      var events = told.stream.makeAsyncIterator()
      let ada = try await connect(shell, &events)
      try await ada.peer.send(.ping)
      try await ada.peer.connection.send([0])
      try await ada.peer.send(.leaving)
      #expect(await events.next() == .received(ada.id, .ping))
      guard case .malformed(ada.id, let reason)? = await events.next() else { throw CancellationError() }
      #expect(reason.code == .malformed)
      #expect(await events.next() == .received(ada.id, .leaving))
      ada.peer.connection.abort()
      #expect(await events.next() == .disconnected(ada.id))
    }
  }

  @Test func `each room has one deadline, which may be changed or taken back`() async throws {
    try await withHost { shell in
      var events = told.stream.makeAsyncIterator()
      #expect(await events.next() == .open)
      await run(.wake(one, at: .seconds(5)), .wake(two, at: .seconds(6)), in: shell)
      await time.advance(to: .seconds(5))
      #expect(await events.next() == .timePassed(one))
      await run(.wake(two, at: nil), .wake(one, at: .seconds(9)), .wake(one, at: .seconds(8)), in: shell)
      await time.advance(to: .seconds(8))
      #expect(await events.next() == .timePassed(one))
      #expect(await shell.uptime == .seconds(8))
    }
    var rest = told.stream.makeAsyncIterator()
    #expect(await rest.next() == .close(because: .hostLeft))
  }

  @Test func `a connection is pending until it is kept or admitted`() async throws {
    try await withHost { shell in
      var events = told.stream.makeAsyncIterator()
      var people: [Person] = []
      for _ in 0..<3 { people.append(try await connect(shell, &events)) }
      #expect(shell.counters.map(\.pending) == [3])
      await run(.keep(people[0].id), .admit(people[1].id, to: one), in: shell)
      #expect(shell.counters.map(\.pending) == [1] && shell.counters.map(\.admitted) == [2])
      people = []
    }
  }

  @Test func `the page of a host that is not listed opens later, and tells its address with each token but the first`()
    async throws
  {
    let web = Locked<[[String]]>([])
    try await withHost {
      ($0.web, $0.opensWeb) = (WebEntrance(WebSite(files: [:]), port: 0), false)
      $0.observeAdmission = { event in
        if case .web(let addresses) = event { web.withLock { $0.append(addresses) } }
      }
    } _: { shell in
      let tokens = (0..<3).map { _ in AdmissionToken.random() }
      await run(.show(tokens[0]), in: shell)
      #expect(shell.webAddresses == nil)
      let opened = try await shell.openWeb()
      let addresses = try #require(opened)
      #expect(addresses == shell.webAddresses && addresses.allSatisfy { $0.hasSuffix("/#\(tokens[0].text)") })
      await run(.show(tokens[1]), .show(tokens[2]), in: shell)
      let shown = web.withLock { $0 }
      #expect(shown.count == 2 && shown.last == shell.webAddresses)
      #expect(shown.first?.first?.hasSuffix("/#\(tokens[1].text)") == true)
    }
  }

  @Test(arguments: [(false, false), (false, true), (true, false)])
  func `a host that others go on with, or whose state is kept, is suspended at its end`(keeps: Bool, isContinued: Bool)
    async throws
  {
    let folder = try TemporaryFolder()
    try await withHost {
      $0.isContinued = isContinued
      $0.state = keeps ? folder.path + "/state" : nil
    } _: { _ in
    }
    var events = told.stream.makeAsyncIterator()
    #expect(await events.next() == .open)
    #expect(await events.next() == (keeps || isContinued ? .suspend : .close(because: .hostLeft)))
    #expect(try folder.contents() == (keeps ? ["state"] : []))
  }

  @Test func `a machine is made of what was stored, or it says why it cannot be`() async throws {
    let folder = try TemporaryFolder()
    let identity = try Identity.ephemeral()
    var plan = HostPlan(name: "Ada's game", .passcode("471123", identity))
    plan.interfaces = "lo"
    plan.state = folder.path + "/state"
    var invitations: [Invitation?] = []
    for isFirst in [true, false] {
      try await plan.host(on: nil) { snapshot, invitation, _ throws(DamagedSnapshot) -> IdleHost in
        #expect((snapshot == nil) == isFirst)
        invitations.append(invitation)
        return IdleHost(told: told.continuation)
      } _: { shell, _ in
        #expect(shell.link(named: "Ada") == RoomLink(name: "Ada", key: identity.fingerprint, invitation: invitations[0]))
      }
    }
    #expect(invitations[0] != nil && invitations[0] == invitations[1])
    let error = await #expect(throws: RoomError.self) {
      try await plan.host(on: nil) { _, _, _ throws(DamagedSnapshot) -> IdleHost in
        throw DamagedSnapshot("it is of no use")
      } _: { _, _ in
      }
    }
    #expect(error?.code == .unusableState)
    #expect(
      error?.message == "the state in \(folder.path)/state is damaged: it is of no use; move the file away to start afresh")
    #expect(try folder.contents() == ["state"])
  }

  @Test(arguments: [false, true], [false, true])
  func `tokens let pages in where there are pages and a passcode`(hasPages: Bool, asks: Bool) async throws {
    let identity = try Identity.ephemeral()
    var plan = HostPlan(name: "Ada's game", asks ? .passcode("471123", identity) : .open(identity))
    plan.interfaces = "lo"
    (plan.web, plan.opensWeb) = (hasPages ? WebEntrance(WebSite(files: [:]), port: 0) : nil, false)
    try await plan.host(on: nil) { _, invitation, admission throws(DamagedSnapshot) -> IdleHost in
      #expect(admission.isOn == (hasPages && asks) && (invitation != nil) == asks)
      return IdleHost(told: told.continuation)
    } _: { shell, _ in
      #expect(shell.passcode == (asks ? "471123" : nil) && shell.reopen() == asks)
    }
  }

  @Test func `a host that is over is closed, and its state is removed`() async throws {
    let folder = try TemporaryFolder()
    try await withHost {
      $0.state = folder.path + "/state"
    } _: { shell in
      let kept = try folder.contents()
      #expect(kept == ["state"])
      await run(.over, in: shell)
      await shell.closed()
    }
    #expect(try folder.contents() == [])
  }
}
