import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

private let game: ServiceType = "_twentyfour._tcp"
private let ada = ServiceInstance("Ada", type: game)
private let bob = ServiceInstance("Bob", type: game)
private let eth0 = NetworkInterface(index: 2, name: "eth0")
private let link = Link(eth0, .ipv4)
private let link6 = Link(eth0, .ipv6)
private let broken = DiscoveryError(.unavailable, "gone")

private func service(_ instance: ServiceInstance, _ endpoint: Endpoint? = nil) -> DiscoveredService {
  DiscoveredService(instance: instance, interfaces: [eth0], endpoint: endpoint)
}

/// Resolving, by a browser or alone.
extension BrowserTests {
  func srv(_ instance: ServiceInstance) -> RecordQuestion { RecordQuestion(.instance(instance), .srv) }
  func txt(_ instance: ServiceInstance) -> RecordQuestion { RecordQuestion(.instance(instance), .txt) }
  private var host: DomainName { "h1.local" }
  private var a: RecordQuestion { RecordQuestion(.domain(host), .a) }
  private var aaaa: RecordQuestion { RecordQuestion(.domain(host), .aaaa) }
  private var v4: IPAddress { .ipv4(0x0A4D_0001) }
  private var v6: IPAddress { .ipv6(high: 0xFE80 << 48, low: 1).seen(on: eth0) }

  private func answer(_ instance: ServiceInstance, port: UInt16, text: TXTRecord) async {
    await backend.commands { [txt = txt(instance)] in $0.contains(.lookUp(txt)) }
    await backend.say(
      .added(ResourceRecord(.server(host: host, port: port, priority: 0, weight: 0), on: link)), .cacheExhausted,
      to: srv(instance))
    await backend.say(.added(ResourceRecord(.text(text), on: link)), .cacheExhausted, to: txt(instance))
  }

  private func answerAddresses() async {
    await backend.commands { [aaaa] in $0.contains(.lookUp(aaaa)) }
    await backend.say(.added(ResourceRecord(.address(v4), on: link)), .cacheExhausted, to: a)
    await backend.say(.added(ResourceRecord(.address(v6), on: link6)), .cacheExhausted, to: aaaa)
  }

  @Test func `a resolving browser reports an instance when its endpoint is known`() async throws {
    try await bonjour.withBrowser(for: game, resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .settled)
      await answer(ada, port: 4242, text: ["players": "1"])
      await answerAddresses()
      let endpoint = Endpoint(host: host, port: 4242, txt: ["players": "1"], addresses: [v4, v6])
      try await expect(.found(service(ada, endpoint)), from: &changes)
      try await expect(.settled, from: &changes)

      await backend.say(.added(ResourceRecord(.text(["players": "2"]), on: link)), to: txt(ada))
      let changed = Endpoint(host: host, port: 4242, txt: ["players": "2"], addresses: [v4, v6])
      try await expect(.updated(service(ada, changed)), from: &changes)
      await backend.sayToBrowsers(.vanished(ada, link))
      try await expect(.lost(service(ada, changed)), from: &changes)
    }
    // Every question that was asked has been taken back.
    for question in [srv(ada), txt(ada), a, aaaa] {
      #expect(backend.commands.filter { $0 == .lookUp(question) }.count == 1)
      #expect(backend.commands.filter { $0 == .endLookUp(question) }.count == 1)
    }
  }

  @Test func `an instance whose records expire is suspect then lost and found again when it answers`() async throws {
    try await bonjour.withBrowser(for: game, resolving: true, hints: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .settled)
      await answer(ada, port: 4242, text: [:])
      await answerAddresses()
      for question in [srv(ada), txt(ada), a, aaaa] { await backend.say(.settled, to: question) }
      var present = service(ada, Endpoint(host: host, port: 4242, txt: [:], addresses: [v4, v6]))
      var suspect = present
      suspect.presence = .suspect
      try await expect(.found(present), from: &changes)
      try await expect(.settled, from: &changes)
      let server = ResourceRecord(.server(host: host, port: 4242, priority: 0, weight: 0), on: link)
      await backend.say(.removed(server), to: srv(ada))
      try await expect(.updated(suspect), from: &changes)
      #expect(backend.commands.contains(.reconfirm(ada)))
      await time.advance(to: .seconds(5))
      try await expect(.lost(suspect), from: &changes)
      await backend.sayToBrowsers(.appeared(ada, link6))
      await backend.say(.added(server), to: srv(ada))
      (suspect.links, present.links) = ([link, link6], [link, link6])
      try await expect(.found(present), from: &changes)
      await backend.say(.removed(server), to: srv(ada))
      try await expect(.updated(suspect), from: &changes)
      await time.advance(to: .seconds(10))
      try await expect(.lost(suspect), from: &changes)
      await backend.sayToBrowsers(.vanished(ada, link), .vanished(ada, link6), .appeared(bob, link), .failed(broken))
      await #expect(throws: broken) { try await changes.next() }
    }
  }

  @Test func `an instance without an answer is reported without an endpoint`() async throws {
    try await bonjour.withBrowser(for: game, resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .settled)
      await time.advance(to: .seconds(5))
      try await expect(.found(service(ada)), from: &changes)
      try await expect(.settled, from: &changes)
      #expect(backend.commands.contains(.reconfirm(ada)))
    }
  }

  @Test func `an instance whose host has no address that counts is reported with those that do not`() async throws {
    let filter = AddressFilter(route: { _ in .nowhere }, side: { _ in .network([]) })
    let bonjour = Bonjour(backend: backend, time: time.clock, filter: filter)
    try await bonjour.withBrowser(for: game, resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .settled)
      await answer(ada, port: 4242, text: [:])
      await backend.commands { [a] in $0.contains(.lookUp(a)) }
      await backend.say(.added(ResourceRecord(.address(v4), on: link)), .cacheExhausted, to: a)
      await time.advance(to: .seconds(5))
      var refused = service(ada)
      refused.refusedAddresses = [v4]
      try await expect(.found(refused), from: &changes)
      try await expect(.settled, from: &changes)
      await backend.sayToBrowsers(.appeared(ada, link6))
      refused.links = [link, link6]
      try await expect(.updated(refused), from: &changes)
      await backend.say(.added(ResourceRecord(.address(v6), on: link6)), to: aaaa)
      refused.endpoint = Endpoint(host: host, port: 4242, txt: [:], addresses: [v6])
      refused.refusedAddresses = []
      try await expect(.updated(refused), from: &changes)
    }
  }

  @Test func `resolve returns the endpoint`() async throws {
    async let endpoint = bonjour.resolve(ada)
    await answer(ada, port: 7, text: [:])
    await answerAddresses()
    #expect(try await endpoint == Endpoint(host: host, port: 7, txt: [:], addresses: [v4, v6]))
    #expect(backend.commands.filter { if case .endLookUp = $0 { true } else { false } }.count == 4)
  }

  @Test func `resolve gives up in time`() async throws {
    let endpoint = Task { try await bonjour.resolve(ada, within: .seconds(2)) }
    await time.advance(to: .seconds(2))
    let error = await #expect(throws: DiscoveryError.self) { try await endpoint.value }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("Ada._twentyfour._tcp.local") == true)
    #expect(backend.commands.contains(.endLookUp(srv(ada))))
  }

  @Test func `resolve reports that the backend was out of reach`() async throws {
    for (isBack, code) in [(false, DiscoveryError.Code.unavailable), (true, .timedOut)] {
      let time = ManualTime()
      let bonjour = Bonjour(backend: backend, time: time.clock)
      let before = backend.commands.count
      let endpoint = Task { try await bonjour.resolve(ada, within: .seconds(2)) }
      await backend.commands { $0.count >= before + 2 }
      await backend.say(.interrupted(broken), to: srv(ada))
      if isBack { await backend.say(.restarted, to: srv(ada)) }
      await time.advance(to: .seconds(2))
      let error = await #expect(throws: DiscoveryError.self) { try await endpoint.value }
      #expect(error?.code == code)
      #expect(error?.message.contains("still unavailable") == !isBack)
      #expect(error?.underlyingError as? DiscoveryError == (isBack ? nil : broken))
    }
  }

  @Test func `resolve can be cancelled`() async throws {
    let task = Task { try await bonjour.resolve(ada) }
    await backend.commands { $0.count >= 2 }
    task.cancel()
    let error = await #expect(throws: DiscoveryError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(backend.commands.contains(.endLookUp(srv(ada))))
  }

  @Test func `reconfirm is passed to the backend`() async throws {
    bonjour.reconfirm(ada)
    #expect(backend.commands == [.reconfirm(ada)])
  }

  @Test func `a browser that resolves is interrupted, and settles when the backend has done so again`() async throws {
    try await bonjour.withBrowser(for: game, resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .settled, .interrupted(broken))
      try await expect(.interrupted(broken), from: &changes)
      await backend.sayToBrowsers(.restored, .appeared(ada, link))
      try await expect(.restored, from: &changes)
      await answer(ada, port: 4242, text: [:])
      await answerAddresses()
      let endpoint = Endpoint(host: host, port: 4242, txt: [:], addresses: [v4, v6])
      try await expect(.found(service(ada, endpoint)), from: &changes)
      await backend.sayToBrowsers(.settled)
      try await expect(.settled, from: &changes)
    }
  }
}
