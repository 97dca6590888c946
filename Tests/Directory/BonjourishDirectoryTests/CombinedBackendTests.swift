import Bonjourish
import TestSupport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// The local network, which says what the test makes it say, and a directory on a real server.
@Suite(.timeLimit(.minutes(2))) struct CombinedBackendTests {
  private static let lan = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)

  @Test func `what both worlds show is one instance, and a lost directory is no interruption`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let local = try FakeBackend()
    let guest = try await combined(local, server)
    let game = ServiceInstance("Game", type: "_game._tcp")
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 4242) { _ in
      try await host.withPublishedService(named: "Far", type: "_game._tcp", port: 4243) { _ in
        try await guest.withBrowser(for: "_game._tcp") { browser in
          var snapshots = browser.snapshots.makeAsyncIterator()
          func until(_ condition: (BrowseSnapshot) -> Bool) async throws -> BrowseSnapshot {
            while let snapshot = try await snapshots.next() {
              if condition(snapshot) { return snapshot }
            }
            throw Surprise()
          }
          _ = try await until { $0.services.count == 2 }
          await local.sayToBrowsers(.appeared(game, Self.lan), .settled)
          let both = try await until { $0.isSettled && $0.services.contains { $0.links.count == 2 } }
          #expect(both.services.map(\.instance.name) == ["Far", "Game"])
          #expect(both.services[1].links.map(\.source.name) == ["eth0", "directory:world"])
          server.kill()
          // What only the directory has shown goes after five seconds; what the local network shows stays.
          let left = try await until { $0.services.count == 1 }
          #expect(left.services[0].instance == game)
          #expect(left.interruption == nil)
          try await server.start()
          _ = try await until { $0.services.count == 2 }
        }
      }
    }
  }

  @Test func `metrics count the directory beside the local network, also after a watch has ended`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let guest = try await combined(try FakeBackend(), server)
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 4242) { _ in
      try await guest.withBrowser(for: "_game._tcp", resolving: true) { browser in
        for try await change in browser.changes {
          guard case .found(let service) = change else { continue }
          #expect(service.endpoint?.port == 4242)
          break
        }
        let metrics = await guest.metrics
        #expect(metrics.browsers == 1)
        #expect(metrics.directory.connections == 1 && metrics.directory.watches == 1 && metrics.directory.records == 1)
        #expect(metrics.directory.messages >= 1)
        // What the directory lists is not asked for.
        #expect(metrics.lookups == 0)
      }
      let after = await guest.metrics.directory
      #expect(after.watches == 0 && after.records == 0 && after.messages >= 1)
      #expect(await guest.metrics.list.contains { $0.name == "bonjourish_directory_connections_total" && $0.value == 1 })
    }
  }

  @Test func `a directory is no interface: it stays when interfaces are named, and goes when it is left out`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let local = try FakeBackend()
    let guest = try await combined(local, server)
    try await host.withPublishedService(named: "Far", type: "_game._tcp", port: 4243, interfaces: .only("eth0")) { _ in
      try await guest.withBrowser(for: "_game._tcp", interfaces: .only("eth0")) { browser in
        var changes = browser.changes.makeAsyncIterator()
        let first = try await changes.next()
        let far = ServiceInstance("Far", type: "_game._tcp")
        #expect(first == .found(DiscoveredService(instance: far, links: [Link(.directory("world"), .ipv4)])))
      }
      try await guest.withBrowser(for: "_game._tcp", interfaces: .only("eth0").withoutDirectory) { browser in
        var changes = browser.changes.makeAsyncIterator()
        await local.sayToBrowsers(.settled)
        let first = try await changes.next()
        #expect(first == .settled)
      }
    }
  }

  @Test func `one name holds in both worlds`() async throws {
    let server = try await NATSServer()
    let other = try await Bonjour(server)
    let local = try FakeBackend()
    let host = try await combined(local, server)
    try await other.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { _ in
      async let said: Void = local.commands { commands in
        commands.contains { if case .publish(let registration) = $0 { registration.name == "Game #2" } else { false } }
      }
      async let published = host.withPublishedService(named: "Game", type: "_game._tcp", port: 2) { service in
        #expect(await host.metrics.registrations == 1)
        return await (service.name, try other.services(of: "_game._tcp").map(\.instance.name))
      }
      await said
      await local.sayToPublishers(.established("Game #2"))
      let (name, seen) = try await published
      #expect(name == "Game #2")
      #expect(seen == ["Game", "Game #2"])
    }
  }

  @Test func `what is done on the local network is handed on, and ended there`() async throws {
    let server = try await NATSServer()
    let local = try FakeBackend()
    let host = try await combined(local, server)
    let backend = try #require(host.backend as? CombinedBackend)
    let (service, reach) = (OperationID(), OperationID())
    let registration = Registration("Game", type: "_game._tcp", domain: .local, port: 1, txt: [:])
    let (events, event) = AsyncStream<RegistrationEvent>.makeStream()
    backend.publish(registration, as: service) { event.yield($0) }
    await local.commands { $0.contains(.publish(registration)) }
    await local.sayToPublishers(.established("Game"))
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == .established("Game"))
    backend.update(["a": "1"], of: service)
    let game = ServiceInstance("Game", type: "_game._tcp")
    backend.reconfirm(game, interfaces: .all)
    backend.followReach(of: "eth0", as: reach) { _ in }
    await local.follows { $0 == ["eth0"] }
    await local.commands { $0.suffix(2) == [.update(["a": "1"]), .reconfirm(game)] }
    backend.end(reach)
    await local.follows { $0.isEmpty }
    backend.end(service)
    await local.commands { $0.contains(.endPublish(registration)) }
    #expect(await backend.metrics.registrations == 0)
    await backend.close()
    await local.commands { $0.last == .close }
  }

  @Test func `owned values need a directory`() async throws {
    let bonjour = Bonjour(backend: try FakeBackend(), time: .system, filter: .kernel)
    let error = await #expect(throws: OwnedValueError.self) { try await bonjour.withOwnedValues { _ in } }
    #expect(error?.code == .noDirectory)
    #expect("\(OwnedValueError.Code.noDirectory)" == "noDirectory")
  }

  @Test func `a service that the directory does not permit is told once, and stays on the local network`() async throws {
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        authorization: { users: [ { user: operator, password: o }, { user: guest, password: g, permissions: {
          publish: ["$JS.API.STREAM.INFO.KV_bonjourish"], subscribe: "_INBOX.>" } } ] }
        """)
    try await StreamOperator(server, .password(user: "operator", "o")).makeBucket(watches: -1)
    let local = try FakeBackend()
    let (denials, denied) = AsyncStream<DiscoveryError>.makeStream()
    let host = try await combined(local, server, denied: { denied.yield($0) }) {
      $0.credentials = .password(user: "guest", "g")
    }
    async let published = host.withPublishedService(named: "Game", type: "_game._tcp", port: 2) { service in
      let error = await denials.first { _ in true }
      #expect(error?.code == .notPermitted && error?.message.contains("may not publish to $KV.bonjourish.world.") == true)
      return await service.name
    }
    await local.commands { $0.contains { if case .publish = $0 { true } else { false } } }
    await local.sayToPublishers(.established("Game"))
    #expect(try await published == "Game")
  }

  private func combined(
    _ local: FakeBackend, _ server: NATSServer, denied: @escaping @Sendable (DiscoveryError) -> Void = { _ in },
    _ change: (inout DirectoryConfiguration) -> Void = { _ in }
  ) async throws -> Bonjour {
    var configuration = DirectoryConfiguration(servers: [server.url])
    configuration.allowsLoopback = true
    // A browser is told after a third of a lease that the directory is lost.
    configuration.lease = RecordLease(duration: .seconds(6))
    change(&configuration)
    let home = try #require(local.executor as? EventLoop)
    let directory = DirectoryBackend(
      try DirectorySettings(configuration), on: try EventLoop(name: "directory"),
      connectingOn: try EventLoop(name: "dial"), handlersOn: home, isAlone: false, denied: denied,
      ownAddresses: { [.ipv4(0x7F00_0001)] }, stateChanged: { _ in }, log: { _ in })
    return Bonjour(backend: CombinedBackend(local, directory, on: home), time: .system, filter: .kernel)
  }
}
