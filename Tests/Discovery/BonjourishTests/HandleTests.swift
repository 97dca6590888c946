import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

private let game: ServiceType = "_twentyfour._tcp"

@Suite(.timeLimit(.minutes(1))) struct HandleTests {
  let backend: FakeBackend
  let messages = Observed<[LogMessage]>([])
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock) { [messages] message in
      messages.change { $0.append(message) }
    }
  }

  private let registration = Registration("Ada", type: game, domain: .local, port: 4242, txt: [:])
  private let records = RecordQuestion(.domain("printer.local"), .hinfo)

  /// Publishes Ada, which the backend establishes.
  private func openAda() async throws -> Bonjour.Handle<PublishedService> {
    async let handle = bonjour.openPublishedService(named: "Ada", type: game, port: 4242)
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    return try await handle
  }

  @Test func `a handle publishes until it is closed`() async throws {
    let handle = try await openAda()
    #expect(handle.isOpen)
    #expect(await handle.value.name == "Ada")
    #expect(backend.commands == [.publish(registration)])
    await handle.close()
    #expect(!handle.isOpen)
    #expect(backend.commands == [.publish(registration), .endPublish(registration)])
    var events = handle.value.events.makeAsyncIterator()
    #expect(try await events.next() == nil)
    #expect(messages.value { $0 }.isEmpty)
  }

  @Test func `a handle that is closed by several tasks ends once, and all of them wait for that`() async throws {
    let handle = try await openAda()
    await withDiscardingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { [backend, registration] in
          await handle.close()
          #expect(backend.commands.last == .endPublish(registration))
        }
      }
    }
    #expect(backend.commands == [.publish(registration), .endPublish(registration)])
  }

  @Test func `a handle that is released withdraws the service, and says that nobody has closed it`() async throws {
    var handle: Bonjour.Handle<PublishedService>? = try await openAda()
    #expect(handle != nil)
    handle = nil
    await backend.commands { $0.last == .endPublish(registration) }
    let said = messages.value { $0 }
    #expect(said.map(\.level) == [.warning])
    #expect(said[0].text.hasPrefix("the published service \"Ada\" was not closed"))
  }

  @Test func `a handle keeps the discovery that it uses`() async throws {
    let other = try FakeBackend()
    var handle: Bonjour.Handle<Browser>? = try await Bonjour(backend: other, time: ManualTime().clock).openBrowser(for: game)
    await other.drain()
    #expect(!other.commands.contains(.close))
    await handle?.close()
    handle = nil
    await other.commands { $0.contains(.close) }
  }

  @Test func `a browser in a handle tells what it finds until the handle is closed`() async throws {
    let handle = try await bonjour.openBrowser(for: game)
    var changes = handle.value.changes.makeAsyncIterator()
    let ada = ServiceInstance("Ada", type: game)
    let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
    await backend.commands { $0.count == 1 }
    await backend.sayToBrowsers(.appeared(ada, link))
    #expect(try await changes.next() == .found(DiscoveredService(instance: ada, links: [link])))
    await handle.close()
    #expect(try await changes.next() == nil)
  }

  @Test func `lookups and resolutions in handles end with them`() async throws {
    let lookup = try await bonjour.openRecords(of: "printer.local", type: .hinfo)
    let types = try await bonjour.openServiceTypeBrowser()
    let domains = try await bonjour.openDomainBrowser(for: [.browsing])
    let resolution = try await bonjour.openResolution(of: ServiceInstance("Ada", type: game))
    await backend.drain()
    let begun = Set(backend.commands)
    #expect(begun.contains(.lookUp(records)))
    await lookup.close()
    #expect(backend.commands.last == .endLookUp(records))
    await types.close()
    await domains.close()
    await resolution.close()
    let ended = backend.commands.filter { if case .endLookUp = $0 { true } else { false } }
    #expect(ended.count == begun.count)
    var changes = resolution.value.changes.makeAsyncIterator()
    #expect(try await changes.next() == nil)
  }

  @Test func `what cannot be published throws, and leaves no handle`() async throws {
    let opening = Task { try await bonjour.openPublishedService(named: "Ada", type: game, port: 4242, onConflict: .fail) }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.failed(DiscoveryError(.nameTaken, "taken")))
    await #expect(throws: DiscoveryError(.nameTaken, "taken")) { try await opening.value }
    #expect(messages.value { $0 }.isEmpty)
  }

  @Test func `hosts and records in handles tell their reach`() async throws {
    let address = IPAddress.ipv4(0x0A00_0007)
    async let host = bonjour.openPublishedHost(named: "wiki.local", addresses: [address])
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("wiki"))
    let published = try await host
    async let reach = published.value.reach
    await backend.follows { $0.count == 1 }
    let told = Reach([Reach.Item(Link(NetworkInterface(index: 2, name: "eth0"), .ipv4), .works)])
    await backend.sayReach(told)
    #expect(await reach == told)
    await published.close()
    #expect(backend.followedReaches.isEmpty)
    #expect(await published.value.reach == told, "the last one")
    let alias = CustomRecord.alias("wiki.local", for: "ada.local")
    async let records = bonjour.openPublishedRecords([alias], interfaces: "eth0")
    await backend.commands { $0.count == 3 }
    await backend.sayToPublishers(.established("wiki"))
    let aliases = try await records
    var changes = aliases.value.reachChanges.makeAsyncIterator()
    async let first = changes.next()
    await backend.follows { $0 == ["eth0"] }
    await backend.sayReach(told)
    #expect(await first == told)
    await aliases.close()
    #expect(await changes.next() == nil && backend.followedReaches.isEmpty)
  }

  @Test func `several services in a handle keep their order, and end together`() async throws {
    async let handle = bonjour.openPublishedServices([.init("Ada", type: game, port: 1), .init("Bob", type: game, port: 2)])
    await backend.commands { $0.count == 2 }
    for name in ["Bob", "Ada"] as [InstanceName] { await backend.say(.established(name), toPublishersOf: name) }
    let opened = try await handle
    var names: [InstanceName] = []
    for service in opened.value { names.append(await service.name) }
    #expect(names == ["Ada", "Bob"])
    await opened.close()
    #expect(backend.commands.count == 4)
  }

  @Test func `a service that is withdrawn or has failed gets no other name`() async throws {
    let handle = try await openAda()
    await handle.close()
    let error = await #expect(throws: DiscoveryError.self) { try await handle.value.rename(to: "Bob") }
    #expect(error?.code == .cancelled && error?.message.contains("has been withdrawn") == true)
    #expect(await handle.value.interruption == nil)
    #expect(backend.commands == [.publish(registration), .endPublish(registration)])
  }

  // MARK: - The end of all

  @Test func `closing ends handles and scopes, and then the backend`() async throws {
    let handle = try await openAda()
    try await bonjour.withBrowser(for: game) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await bonjour.close()
      #expect(backend.commands.last == .close)
      let next = try await changes.next()
      #expect(next == nil)
    }
    #expect(!handle.isOpen)
    #expect(backend.commands.contains(.endPublish(registration)))
    #expect(backend.commands.filter { $0 == .close }.count == 1)
    await bonjour.close()
    await handle.close()
    #expect(backend.commands.last == .close)
    #expect(messages.value { $0 }.isEmpty)
  }

  @Test func `nothing can be opened or asked for after the end`() async throws {
    await bonjour.close()
    func expectClosed(_ body: () async throws -> Void) async throws {
      let error = await #expect(throws: DiscoveryError.self) { try await body() }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("was closed") == true)
    }
    try await expectClosed { try await bonjour.withBrowser(for: game) { _ in } }
    try await expectClosed { _ = try await bonjour.services(of: game) }
    try await expectClosed { _ = try await bonjour.resolve(ServiceInstance("Ada", type: game)) }
    try await expectClosed { _ = try await bonjour.records(of: "printer.local", type: .hinfo) }
    try await expectClosed { _ = try await bonjour.openBrowser(for: game) }
    try await expectClosed { _ = try await bonjour.openRecords(of: "printer.local", type: .hinfo) }
    try await expectClosed { _ = try await bonjour.openResolution(of: ServiceInstance("Ada", type: game)) }
    try await expectClosed { _ = try await openPublished() }
    // What is invalid besides does not matter.
    try await expectClosed { _ = try await bonjour.openPublishedServices([.init("Ada", type: game, port: 0)]) }
    try await expectClosed { _ = try await bonjour.openPublishedHost(named: "wiki", addresses: []) }
    try await expectClosed { _ = try await bonjour.openPublishedRecords([]) }
    #expect(backend.commands == [.close])
  }

  private func openPublished() async throws -> Bonjour.Handle<PublishedService> {
    try await bonjour.openPublishedService(named: "Ada", type: game, port: 4242)
  }

  @Test func `the last release ends a discovery that nobody has closed`() async throws {
    let other = try FakeBackend()
    do { _ = Bonjour(backend: other, time: ManualTime().clock) }
    await other.commands { $0 == [.close] }
  }
}
