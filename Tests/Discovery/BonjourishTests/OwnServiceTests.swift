import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

private let game: ServiceType = "_twentyfour._tcp"
private let ada = ServiceInstance("Ada", type: game)
private let eth0 = NetworkInterface(index: 2, name: "eth0")
private let link = Link(eth0, .ipv4)

private func service(_ instance: ServiceInstance, isOwn: Bool) -> DiscoveredService {
  DiscoveredService(instance: instance, interfaces: [eth0], isOwn: isOwn)
}

@Suite(.timeLimit(.minutes(1))) struct OwnServiceTests {
  let backend: FakeBackend
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock)
  }

  /// Runs a body while this program publishes "Ada"; the name is established unless the body has to do that.
  private func whilePublishing(establish: Bool = true, _ body: @escaping @Sendable () async throws -> Void) async throws {
    let commands = backend.commands.count
    async let published: Void = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      let instance = await service.instance
      #expect(instance == ada)
      if establish { try await body() }
    }
    await backend.commands { $0.count > commands }
    if establish { await backend.sayToPublishers(.established("Ada")) } else { try await body() }
    try await published
  }

  @Test func `a browser recognises the program's own services until it loses them`() async throws {
    try await bonjour.withBrowser(for: game) { [backend] browser in
      var changes = browser.changes.makeAsyncIterator()
      try await whilePublishing {
        await backend.sayToBrowsers(.appeared(ada, link), .appeared(ServiceInstance("Bob", type: game), link))
      }
      try await expect(.found(service(ada, isOwn: true)), from: &changes)
      try await expect(.found(service(ServiceInstance("Bob", type: game), isOwn: false)), from: &changes)
      // The goodbye of a withdrawn service is on its way.
      await backend.sayToBrowsers(.vanished(ada, link))
      try await expect(.lost(service(ada, isOwn: true)), from: &changes)
      await backend.sayToBrowsers(.appeared(ada, link))
      try await expect(.found(service(ada, isOwn: false)), from: &changes)
    }
  }

  @Test func `a service that is seen before its name is established becomes the program's own`() async throws {
    try await bonjour.withBrowser(for: game) { [backend] browser in
      try await whilePublishing(establish: false) {
        var changes = browser.changes.makeAsyncIterator()
        await backend.sayToBrowsers(.appeared(ada, link))
        try await expect(.found(service(ada, isOwn: false)), from: &changes)
        await backend.sayToPublishers(.established("Ada"))
        try await expect(.updated(service(ada, isOwn: true)), from: &changes)
      }
    }
  }

  @Test func `a service that lost its name to another host is not the program's own`() async throws {
    let second = ServiceInstance("Ada #2", type: game)
    try await bonjour.withBrowser(for: game) { [backend] browser in
      var changes = browser.changes.makeAsyncIterator()
      try await whilePublishing {
        var changes = browser.changes.makeAsyncIterator()
        await backend.sayToBrowsers(.appeared(ada, link))
        try await expect(.found(service(ada, isOwn: true)), from: &changes)
        await backend.sayToPublishers(.renamed(from: "Ada", to: "Ada #2"))
        try await expect(.updated(service(ada, isOwn: false)), from: &changes)
        await backend.sayToPublishers(.established("Ada #2"))
        await backend.sayToBrowsers(.appeared(second, link))
        try await expect(.found(service(second, isOwn: true)), from: &changes)
      }
      try await expect(.found(service(ada, isOwn: false)), from: &changes)
    }
  }

  @Test func `two services of one name are counted`() async throws {
    try await bonjour.withBrowser(for: game) { [backend] browser in
      var changes = browser.changes.makeAsyncIterator()
      try await whilePublishing {
        try await whilePublishing {}
        await backend.sayToBrowsers(.appeared(ada, link))
      }
      try await expect(.found(service(ada, isOwn: true)), from: &changes)
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct ServicesTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour
  let query = BrowseQuery(game, domain: .local)

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  private func names(resolving: Bool = false) -> Task<[String], any Error> {
    Task { try await bonjour.services(of: game, resolving: resolving, within: .seconds(2)).map(\.instance.name.text) }
  }

  @Test func `looking once gives what is there when all is settled, in the order of the names`() async throws {
    let names = names()
    await backend.commands { $0.count == 1 }
    await backend.sayToBrowsers(.appeared(ServiceInstance("Bob", type: game), link), .appeared(ada, link), .settled)
    #expect(try await names.value == ["Ada", "Bob"])
    #expect(backend.commands == [.browse(query), .endBrowse(query)])
  }

  @Test(arguments: [false, true])
  func `looking once ends at the limit with what was found by then`(resolving: Bool) async throws {
    let names = names(resolving: resolving)
    await backend.commands { $0.count == 1 }
    await backend.sayToBrowsers(.appeared(ada, link))
    await time.advance(to: .seconds(2))
    #expect(try await names.value == ["Ada"])
    #expect(backend.commands.contains { if case .endBrowse = $0 { true } else { false } })
  }

  @Test func `one that is not resolved at the limit is told with all of its links`() async throws {
    let link6 = Link(eth0, .ipv6)
    let found = Task { try await bonjour.services(of: game, resolving: true, within: .seconds(2)) }
    await backend.commands { $0.count == 1 }
    await backend.sayToBrowsers(.appeared(ada, link), .appeared(ada, link6))
    await time.advance(to: .seconds(2))
    #expect(try await found.value == [DiscoveredService(instance: ada, links: [link, link6])])
  }

  @Test func `looking once throws when discovery fails, is out of reach or cancelled`() async throws {
    let gone = DiscoveryError(.refused, "gone")
    let failing = names()
    await backend.commands { $0.count == 1 }
    await backend.sayToBrowsers(.failed(gone))
    await #expect(throws: gone) { try await failing.value }

    let cut = names()
    await backend.commands { $0.count == 3 }
    await backend.sayToBrowsers(.interrupted(gone))
    await time.advance(to: .seconds(2))
    let error = await #expect(throws: DiscoveryError.self) { try await cut.value }
    #expect(error?.code == .unavailable && error?.message.hasSuffix("; gone") == true)
    #expect(error?.underlyingError as? DiscoveryError == gone)

    let alone = Task { try await bonjour.services(of: game, within: .seconds(4)) }
    await backend.commands { $0.count == 5 }
    await backend.sayToBrowsers(.interrupted(DiscoveryError(.noNetwork, "no cable")))
    await time.advance(to: .seconds(6))
    let outage = await #expect(throws: DiscoveryError.self) { try await alone.value }
    #expect(outage?.code == .noNetwork && outage?.message.hasSuffix("; no cable") == true)

    let cancelled = names()
    await backend.commands { $0.count == 7 }
    cancelled.cancel()
    let cancellation = await #expect(throws: DiscoveryError.self) { try await cancelled.value }
    #expect(cancellation?.code == .cancelled)
  }
}
