import Bonjourish
import Foundation
import FramedSecurity
import FramedTransport
import TestSupport
import Testing
import TwentyFour
import _BonjourishEventLoop

@testable import Rooms

/// Rooms over real connections on the loopback interface, with a clock that is moved by hand.
@Suite(.timeLimit(.minutes(5))) struct ServedRoomTests {
  private let backend: FakeBackend
  private let time = ManualTime()
  private let bonjour: Bonjour
  private let path: String
  /// A room with a passcode, and what its players know.
  private let protection: HostProtection
  private let security: PlayerSecurity

  init() throws {
    protection = .passcode("471123", try .ephemeral())
    security = PlayerSecurity(.passcode("471123"), identity: try .ephemeral(), pins: PinStore())
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
    path = FileManager.default.temporaryDirectory.appending(path: "room-\(UUID().uuidString).json").path
  }

  private func configuration(_ rules: Match.Rules = Match.Rules()) throws -> RoomHost.Configuration {
    var configuration = RoomHost.Configuration(
      name: try PlayerName("Ada"), protection, generator: TwentyFour.SeededGenerator(seed: 24))
    configuration.interfaces = "lo"
    configuration.rules = rules
    configuration.state = path
    return configuration
  }

  /// Opens a room, which is established at once.
  private func withHost<Result: Sendable>(
    _ configuration: RoomHost.Configuration, _ body: (RoomHost) async throws -> Result
  ) async throws -> Result {
    let published = backend.commands.count { if case .publish = $0 { true } else { false } }
    let network = Task {
      await backend.commands { $0.count { if case .publish = $0 { true } else { false } } > published }
      await backend.sayToPublishers(.established("Ada's game"))
    }
    defer { network.cancel() }
    return try await RoomHost.withRoom(configuration, on: bonjour, clock: time) { host, _ in
      try await body(host)
    }
  }

  private func withPlayer<Result: Sendable>(
    at port: UInt16, spectates: Bool = false, _ body: (RoomPlayer) async throws -> Result
  ) async throws -> Result {
    var entry = PlayerEntry(name: try PlayerName("Bob"))
    entry.spectates = spectates
    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
    return try await RoomPlayer.withRoom(
      at: [address], called: "Ada's game", as: entry, security: security, within: .seconds(60), clock: time,
      ReconnectionPolicy(base: .milliseconds(1), cap: .milliseconds(50)), body)
  }

  /// Takes events until one passes.
  private func event<Value>(_ events: inout RoomEvents.Iterator, _ test: (RoomEvent) -> Value?) async throws -> Value {
    while let event = await events.next() {
      if let value = test(event) { return value }
    }
    throw Missing()
  }

  private struct Missing: Error {}

  private func wait(_ event: RoomEvent) -> Duration? {
    if case .reconnecting(_, let wait) = event { wait } else { nil }
  }

  private func hand(_ event: RoomEvent) -> Hand? {
    if case .round(let deal) = event { deal.hand } else { nil }
  }

  private func points(_ event: RoomEvent) -> [Int]? {
    if case .standings(let standings) = event { standings.map(\.points) } else { nil }
  }

  @Test func `a host that starts again goes on with the room, and its players come back by themselves`() async throws {
    // The first host answers in the first round, and is ended in the second before Bob has solved it.
    let (port, room) = try await withHost(try configuration()) { host in (host.port, host.room) }
    // It holds the secrets of the seats.
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

    // Bob is there from the second host on, and stays while it goes and another one comes.
    let opened = AsyncStream<UInt16>.makeStream()
    let ended = AsyncStream<Void>.makeStream()
    let hosting = Task {
      // A test whose host cannot be opened must not wait for it.
      defer { opened.continuation.finish() }
      try await withHost(try configuration()) { host in
        #expect(host.port == port)
        #expect(host.room == room)
        opened.continuation.yield(host.port)
        for await _ in ended.stream { break }
      }
    }
    var ports = opened.stream.makeAsyncIterator()
    guard await ports.next() != nil else { return try await hosting.value }
    try await withPlayer(at: port) { bob in
      var events = bob.events.makeAsyncIterator()
      let solution = try await event(&events, hand).solution
      await bob.answer(solution)
      #expect(try await event(&events) { points($0).flatMap { $0.max() ?? 0 > 0 ? $0 : nil } } == [20, 0])
      ended.continuation.yield()
      _ = try await event(&events, wait)
      try await hosting.value

      // Somebody else with the state, the passcode and the port, but not the key.
      var stolen = try configuration()
      stolen.protection = .passcode("471123", try .ephemeral())
      try await withHost(stolen) { host in
        for _ in 0..<3 { _ = try await event(&events, wait) }
        var own = host.events.makeAsyncIterator()
        _ = try await event(&own, hand)
      }
      try await withHost(try configuration()) { host in
        #expect(host.port == port)
        var own = host.events.makeAsyncIterator()
        #expect(try await event(&own, hand).solution == solution)
        #expect(try await event(&events) { if case .resumed = $0 { true } else { nil } })
        #expect(try await event(&events, points) == [20, 0])
        // A reader who is slow is not told that Bob was away.
        _ = try await event(&own) { event in
          if case .standings(let standings) = event, !standings.contains(where: \.isAway) { standings } else { nil }
        }
        // Closed for good: everyone is told, and nothing is kept.
        await host.leave()
        let closing = try await event(&events) { if case .closed(let reason) = $0 { reason.code } else { nil } }
        #expect(closing == .hostLeft)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a player keeps trying while there is no host, and gives up in the end`() async throws {
    let rules = Match.Rules(returnLimit: .milliseconds(1))
    let opened = AsyncStream<UInt16>.makeStream()
    let ended = AsyncStream<Void>.makeStream()
    let hosting = Task {
      // A test whose host cannot be opened must not wait for it.
      defer { opened.continuation.finish() }
      try await withHost(try configuration(rules)) { host in
        opened.continuation.yield(host.port)
        for await _ in ended.stream { break }
      }
    }
    var ports = opened.stream.makeAsyncIterator()
    let port = try #require(await ports.next())
    try await withPlayer(at: port) { bob in
      var events = bob.events.makeAsyncIterator()
      _ = try await event(&events, hand)
      ended.continuation.yield()
      try await hosting.value
      #expect(try await event(&events, wait) <= .milliseconds(1))
      await time.advance(to: .milliseconds(1))
      let closing = try await event(&events) { if case .closed(let reason) = $0 { reason.code } else { nil } }
      #expect(closing == .lost)
    }
    try FileManager.default.removeItem(atPath: path)
  }

  @Test func `nobody comes in without the passcode, unless with the link`() async throws {
    try await withHost(try configuration()) { host in
      func enter(_ knowledge: PlayerSecurity.Knowledge, pins: PinStore = PinStore()) async throws -> RoomEvent? {
        let security = PlayerSecurity(knowledge, identity: nil, pins: pins)
        let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: host.port))
        return try await RoomPlayer.withRoom(
          at: [address], called: "Ada's game", as: PlayerEntry(name: try PlayerName("Bob")), security: security
        ) { player in
          for await event in player.events { return event }
          return nil
        }
      }
      func code(_ knowledge: PlayerSecurity.Knowledge) async -> RoomError.Code? {
        do { _ = try await enter(knowledge) } catch { return (error as? RoomError)?.code }
        return nil
      }
      let refused = try await enter(.key)
      guard case .closed(let reason)? = refused else { throw Missing() }
      #expect(reason.code == .passcode)
      #expect(await code(.passcode("471124")) == .wrongPasscode)
      #expect(await code(.plaintext) == nil)
      let text = try #require(host.link(named: "Ada's game")?.description)
      let link = try #require(RoomLink(text))
      #expect(link.name == "Ada's game")
      let entered = try await enter(.link(link))
      guard case .open? = entered else { throw Missing() }
      let other = RoomLink(name: link.name, key: try Identity.ephemeral().fingerprint, invitation: link.invitation)
      #expect(await code(.link(other)) == .otherKey)
      // Whoever has the key of the link is remembered in place of a former host, and whoever knows the passcode for the first time.
      let pins = (former: PinStore(), none: PinStore())
      let name = PlayerSecurity.name(ofRoomAt: "Ada's game")
      try pins.former.pin(other.key, for: name)
      for pins in [pins.former, pins.none] { _ = try await enter(.link(link), pins: pins) }
      #expect(pins.former.key(of: name) == link.key && pins.none.key(of: name) == link.key)
      let guest = PinStore()
      _ = try await enter(.passcode("471123"), pins: guest)
      #expect(guest.key(of: name) == link.key)
      #expect(host.passcode == "471123")
    }
  }

  @Test func `a spectator comes back to a room with a passcode, and nobody follows another key`() async throws {
    let opened = AsyncStream<UInt16>.makeStream()
    let ended = AsyncStream<Void>.makeStream()
    let hosting = Task {
      defer { opened.continuation.finish() }
      try await withHost(try configuration()) { host in
        opened.continuation.yield(host.port)
        for await _ in ended.stream { break }
      }
    }
    var ports = opened.stream.makeAsyncIterator()
    guard let port = await ports.next() else { return try await hosting.value }
    try await withPlayer(at: port, spectates: true) { eve in
      var events = eve.events.makeAsyncIterator()
      _ = try await event(&events, hand)
      ended.continuation.yield()
      _ = try await event(&events, wait)
      try await hosting.value
      try await withHost(try configuration()) { _ in
        let isBack: Bool = try await event(&events) { if case .resumed = $0 { true } else { nil } }
        #expect(isBack)
      }
    }
    // Whoever knows the passcode is not taken for the host: the key is known from before.
    var other = try configuration()
    other.protection = .passcode("471123", try .ephemeral())
    other.state = nil
    other.port = port
    let code = try await withHost(other) { host in
      do {
        try await withPlayer(at: host.port) { _ in }
        return nil as RoomError.Code?
      } catch {
        return (error as? RoomError)?.code
      }
    }
    #expect(code == .otherKey)
    try FileManager.default.removeItem(atPath: path)
  }

  @Test func `what the closure of a room throws is thrown as it is`() async throws {
    // Even an error of the kind that advertising throws.
    func check(_ name: String) throws { _ = try InstanceName(name) }
    let error = try #require(throws: DiscoveryError.self) { try check("") }
    await #expect(throws: error) { try await withHost(try configuration()) { _ in try check("") } }
  }

  @Test func `spectators see the round`() async throws {
    var configuration = try self.configuration()
    configuration.state = nil
    try await withHost(configuration) { host in
      try await withPlayer(at: host.port, spectates: true) { eve in
        var events = eve.events.makeAsyncIterator()
        let first = await events.next()
        #expect(first == .open(room: host.room, player: nil, rules: RoomRules(Match.Rules())))
        _ = try await event(&events, hand)
        await eve.answer("1")
        #expect(
          try await event(&events) { if case .refused(let reason) = $0 { reason.code } else { nil } }
            == RoomReason.Code.watching)
      }
    }
  }

  @Test func `a state that cannot be used, or not be kept, is told before anything is opened`() async throws {
    for (text, part) in [
      (#"{"port":1,"room":{"format":1}}"#, "has format 1"), (#"{"format":4,"all":"different"}"#, "has format 4"),
      (#"{"format":2,"port":1}"#, "has format 2"),
      ("{", "is damaged"), ("", "is damaged"), (#"{"format":3,"port":1}"#, "is damaged"),
    ] {
      try Data(text.utf8).write(to: URL(filePath: path))
      let error = await #expect(throws: RoomError.self) { try await withHost(try self.configuration()) { _ in } }
      #expect(error?.code == .unusableState)
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
      // It is left for the person to look at.
      #expect(try Data(contentsOf: URL(filePath: path)) == Data(text.utf8))
    }
    try FileManager.default.removeItem(atPath: path)
    var configuration = try self.configuration()
    configuration.state = "/nonexistent/room.json"
    let error = await #expect(throws: RoomError.self) { try await withHost(configuration) { _ in } }
    #expect(error?.code == .cannotKeepState)
    #expect(error?.message.contains("No such file or directory") == true)
    // A directory is not a state.
    configuration.state = "/"
    #expect(await #expect(throws: RoomError.self) { try await withHost(configuration) { _ in } }?.code == .unusableState)
  }
}

extension Hand {
  fileprivate var solution: String { Solver.firstSolution(of: self)?.description ?? "" }
}
