import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

private let game: ServiceType = "_twentyfour._tcp"
private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)

@Suite(.timeLimit(.minutes(1))) struct MetricsTests {
  let backend: FakeBackend
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock)
  }

  @Test func `changes are counted once and wait for each task that iterates`() async throws {
    let ada = ServiceInstance("Ada", type: game)
    try await bonjour.withBrowser(for: game) { browser in
      #expect(await bonjour.metrics.browsers == 1)
      await backend.sayToBrowsers(.appeared(ada, link))
      #expect(await bonjour.metrics.waitingChanges == 0)
      var slow = browser.changes.makeAsyncIterator()
      var quick = browser.changes.makeAsyncIterator()
      _ = try await (slow.next(), quick.next())
      #expect(await bonjour.metrics.waitingChanges == 0)
      let bob = ServiceInstance("Bob", type: game)
      await backend.sayToBrowsers(.appeared(bob, link), .settled)
      #expect(await bonjour.metrics.waitingChanges == 4)
      // What cancels out waits no more.
      await backend.sayToBrowsers(.vanished(bob, link))
      #expect(await bonjour.metrics.waitingChanges == 2)
      _ = try await quick.next()
      #expect(await bonjour.metrics.waitingChanges == 1)
      #expect(await bonjour.metrics.changes == 4)
    }
  }

  @Test func `what waits for a task is forgotten with it`() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      do {
        var changes = browser.changes.makeAsyncIterator()
        await backend.sayToBrowsers(.appeared(ServiceInstance("Ada", type: game), link))
        _ = try await changes.next()
        await backend.sayToBrowsers(.appeared(ServiceInstance("Bob", type: game), link))
        #expect(await bonjour.metrics.waitingChanges == 1)
      }
    }
    // The iterator's subscription ends in a task of its own.
    for _ in 0..<10_000 where await bonjour.metrics.waitingChanges > 0 { await Task.yield() }
    #expect(await bonjour.metrics.waitingChanges == 0)
  }

  @Test func `look-ups, resolutions and published services count what they tell, and forget who has gone`() async throws {
    let instance = ServiceInstance("Ada", type: game)
    let gone = DiscoveryError(.unavailable, "gone")
    func expectForgotten(changes: Int, _ location: SourceLocation = #_sourceLocation) async {
      #expect(await bonjour.metrics.waitingChanges == 1, sourceLocation: location)
      #expect(await bonjour.metrics.changes == changes, sourceLocation: location)
    }
    func untilForgotten() async {
      for _ in 0..<10_000 where await bonjour.metrics.waitingChanges > 0 { await Task.yield() }
      #expect(await bonjour.metrics.waitingChanges == 0)
    }
    let question = RecordQuestion(.domain("x.local"), .hinfo)
    try await bonjour.withRecords(of: "x.local", type: .hinfo) { lookup in
      do {
        var changes = lookup.changes.makeAsyncIterator()
        await backend.say(.settled, to: question)
        _ = try await changes.next()
        await backend.say(.interrupted(gone), to: question)
        await expectForgotten(changes: 2)
      }
      await untilForgotten()
    }
    try await bonjour.withResolution(of: instance) { resolution in
      let srv = RecordQuestion(.instance(instance), .srv)
      do {
        var changes = resolution.changes.makeAsyncIterator()
        await backend.say(.interrupted(gone), to: srv)
        _ = try await changes.next()
        await backend.say(.restarted, to: srv)
        await expectForgotten(changes: 4)
      }
      await untilForgotten()
    }
    async let published: Void = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      do {
        var events = service.events.makeAsyncIterator()
        await backend.sayToPublishers(.interrupted(gone))
        _ = try await events.next()
        await backend.sayToPublishers(.established("Ada"))
        await expectForgotten(changes: 6)
      }
      await untilForgotten()
    }
    await backend.commands { $0.last.map { if case .publish = $0 { true } else { false } } ?? false }
    await backend.sayToPublishers(.established("Ada"))
    try await published
  }

  @Test func `services that get another name are counted`() async throws {
    async let renames = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { _ in
      await bonjour.metrics.renames
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.renamed(from: "Ada", to: "Ada #2"), .established("Ada #2"))
    #expect(try await renames == 1)
  }

  @Test func `the list has every number once, and those of one name together`() async throws {
    let list = await bonjour.metrics.list
    #expect(Set(list.map { "\($0.name)\($0.labels.sorted { $0.key < $1.key })" }).count == list.count)
    var names: [String] = []
    for metric in list where names.last != metric.name { names.append(metric.name) }
    #expect(Set(names).count == names.count)
    for metric in list {
      #expect(metric.name.wholeMatch(of: /bonjourish(_[a-z]+)+/) != nil)
      #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter))
    }
  }
}
