import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

private let web: ServiceType = "_http._tcp"
private let taken = DiscoveryError(.nameTaken, "publishing \"Bob\" as _http._tcp: another host has it")
private let away = DiscoveryError(.unavailable, "gone")

@Suite(.timeLimit(.minutes(1))) struct SeveralServicesTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour
  let address: IPAddress

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
    address = try #require(IPAddress("192.0.2.7"))
  }

  private func wish(_ name: InstanceName, host: DomainName? = nil) -> Registration {
    Registration(name, type: web, domain: .local, port: 80, txt: [:], host: host)
  }

  @Test func `the scope begins when all are established and ends them all`() async throws {
    async let names = bonjour.withPublishedServices([.init("Ada", type: web, port: 80), .init("Bob", type: web, port: 80)]) {
      #expect(backend.commands.count == 2)
      return (await $0[0].name, await $0[1].name)
    }
    await backend.commands { $0.count == 2 }
    await backend.say(.established("Bob"), toPublishersOf: "Bob")
    await backend.say(.renamed(from: "Ada", to: "Ada #2"), .established("Ada #2"), toPublishersOf: "Ada")
    #expect(try await names == ("Ada #2", "Bob"))
    #expect(
      backend.commands == [.publish(wish("Ada")), .publish(wish("Bob")), .endPublish(wish("Ada")), .endPublish(wish("Bob"))])
  }

  @Test func `one that fails fails all, with its name`() async throws {
    let result = Task {
      try await bonjour.withPublishedServices([.init("Ada", type: web, port: 80), .init("Bob", type: web, port: 80)]) { _ in
        Issue.record("one was never established")
      }
    }
    await backend.commands { $0.count == 2 }
    await backend.say(.established("Ada"), toPublishersOf: "Ada")
    await backend.say(.failed(taken), toPublishersOf: "Bob")
    await #expect(throws: taken) { try await result.value }
    #expect(Set(backend.commands.suffix(2)) == [.endPublish(wish("Ada")), .endPublish(wish("Bob"))])
  }

  @Test func `nothing is published if one is invalid`() async throws {
    let large = TXTRecord(data: (1...6).flatMap { _ in [255] + [UInt8](repeating: 1, count: 255) })
    for bad in [Bonjour.Service("Bob", type: web, port: 0), .init("Bob", type: web, port: 1, txt: large)] {
      await #expect(throws: DiscoveryError.self) {
        try await bonjour.withPublishedServices([.init("Ada", type: web, port: 80), bad]) { _ in }
      }
    }
    #expect(backend.commands.isEmpty)
  }

  @Test func `nothing to publish is published at once`() async throws {
    #expect(try await bonjour.withPublishedServices([]) { $0.count } == 0)
  }

  // MARK: - Other hosts

  private var proxied: [Bonjour.Service] {
    ["Ada", "Bob"].map { .init($0, type: web, port: 80, host: .init("printer.local", addresses: [address])) }
  }

  private func host() throws -> Registration {
    try #require(Registration(host: "printer.local", addresses: [address], onConflict: .fail))
  }

  @Test func `the addresses of another host are published once and first`() async throws {
    async let done: Void = bonjour.withPublishedServices(proxied) { _ in }
    await backend.commands { $0.count == 1 }
    #expect(backend.commands == [.publish(try host())])
    await backend.say(.established("printer"), toPublishersOf: "printer")
    await backend.commands { $0.count == 3 }
    await backend.say(.established("Ada"), toPublishersOf: "Ada")
    await backend.say(.established("Bob"), toPublishersOf: "Bob")
    try await done
    let (ada, bob) = (wish("Ada", host: "printer.local"), wish("Bob", host: "printer.local"))
    #expect(backend.commands[1...2] == [.publish(ada), .publish(bob)])
    #expect(backend.commands.suffix(3) == [.endPublish(ada), .endPublish(bob), .endPublish(try host())])
  }

  @Test func `hosts are published in the order of their services, each with all its addresses`() async throws {
    let other = try #require(IPAddress("192.0.2.8"))
    let services: [Bonjour.Service] = [
      .init("Ada", type: web, port: 80, host: .init("b.local", addresses: [address])),
      .init("Bob", type: web, port: 80, host: .init("a.local", addresses: [other])),
      .init("Cyd", type: web, port: 80, host: .init("b.local", addresses: [address, other])),
    ]
    let hosts = [
      Registration(host: "b.local", addresses: [address, other], onConflict: .fail),
      Registration(host: "a.local", addresses: [other], onConflict: .fail),
    ].compactMap(\.self)
    async let done: Void = bonjour.withPublishedServices(services) { _ in }
    await backend.commands { $0.count == 2 }
    #expect(backend.commands == hosts.map { .publish($0) })
    for name in ["b", "a"] as [InstanceName] { await backend.say(.established(name), toPublishersOf: name) }
    await backend.commands { $0.count == 5 }
    for service in services { await backend.say(.established(service.name), toPublishersOf: service.name) }
    try await done
  }

  @Test func `a host without addresses is only referred to`() async throws {
    let service = Bonjour.Service("Ada", type: web, port: 80, host: .init("printer.local"))
    async let done: Void = bonjour.withPublishedServices([service]) { _ in }
    await backend.commands { $0.count == 1 }
    #expect(backend.commands == [.publish(wish("Ada", host: "printer.local"))])
    await backend.sayToPublishers(.established("Ada"))
    try await done
  }

  @Test func `services fail with their host`() async throws {
    async let done: Void = bonjour.withPublishedServices(proxied) { published in
      await backend.say(.failed(taken), toPublishersOf: "printer")
      for service in published {
        var events = service.events.makeAsyncIterator()
        await #expect(throws: taken) { try await events.next() }
      }
      #expect(Set(backend.commands.suffix(2)) == Set(["Ada", "Bob"].map { .endPublish(wish($0, host: "printer.local")) }))
    }
    await backend.commands { $0.count == 1 }
    await backend.say(.established("printer"), toPublishersOf: "printer")
    await backend.commands { $0.count == 3 }
    await backend.say(.established("Ada"), toPublishersOf: "Ada")
    await backend.say(.established("Bob"), toPublishersOf: "Bob")
    try await done
  }

  @Test func `a further name of a host may get a number`() async throws {
    async let name = bonjour.withPublishedHost(named: "wiki.local", addresses: [address], onConflict: .rename) {
      await $0.name
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.renamed(from: "wiki", to: "wiki-2"), .established("wiki-2"))
    #expect(try await name == "wiki-2.local")
  }

  @Test(arguments: [("wiki", "192.0.2.7"), ("wiki.local", "224.0.0.1"), ("wiki.local", "")])
  func `a host needs a domain and addresses`(name: String, address: String) async throws {
    let addresses = [IPAddress(address)].compactMap { $0 }
    await #expect(throws: DiscoveryError.self) {
      try await bonjour.withPublishedHost(named: try DomainName(name), addresses: addresses) { _ in }
    }
    #expect(backend.commands.isEmpty)
  }

  @Test func `records are published together`() async throws {
    let records = [CustomRecord.alias("wiki.local", for: "ada.local")]
    async let interruption = bonjour.withPublishedRecords(records) { await $0.interruption }
    await backend.commands { $0.count == 1 }
    #expect(backend.commands == [.publish(try #require(Registration(records: records)))])
    await backend.sayToPublishers(.established("wiki"))
    #expect(try await interruption == nil)
    await #expect(throws: DiscoveryError.self) { try await bonjour.withPublishedRecords([]) { _ in } }
  }

  // MARK: - Until cancelled

  @Test func `a publisher withdraws its services when its task is cancelled`() async throws {
    let publisher = bonjour.publisher(of: [.init("Ada", type: web, port: 80), .init("Bob", type: web, port: 80)])
    #expect(backend.commands.isEmpty)
    let task = Task { try await publisher.run() }
    await backend.commands { $0.count == 2 }
    await backend.say(.established("Ada"), toPublishersOf: "Ada")
    await backend.say(.established("Bob"), toPublishersOf: "Bob")
    await backend.sayToPublishers(.interrupted(away))
    task.cancel()
    try await task.value
    #expect(backend.commands.suffix(2) == [.endPublish(wish("Ada")), .endPublish(wish("Bob"))])
  }

  @Test func `a publisher that is cancelled early ends without an error`() async throws {
    let task = Task { try await bonjour.publisher(of: [.init("Ada", type: web, port: 80)]).run() }
    await backend.commands { $0.count == 1 }
    task.cancel()
    try await task.value
    #expect(backend.commands.last == .endPublish(wish("Ada")))
    let idle = Task { try await bonjour.publisher(of: []).run() }
    idle.cancel()
    try await idle.value
  }

  @Test func `a publisher ends with the failure of a service`() async throws {
    let task = Task {
      try await bonjour.publisher(of: [.init("Ada", type: web, port: 80), .init("Bob", type: web, port: 80)]).run()
    }
    await backend.commands { $0.count == 2 }
    await backend.say(.established("Ada"), toPublishersOf: "Ada")
    await backend.say(.established("Bob"), toPublishersOf: "Bob")
    await backend.say(.failed(taken), toPublishersOf: "Bob")
    await #expect(throws: taken) { try await task.value }
    #expect(backend.commands.suffix(2).contains(.endPublish(wish("Ada"))))
  }
}
