import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

/// Whatever an app says of what it looks for or publishes reaches the backend, by each way to say it.
@Suite(.timeLimit(.minutes(1))) struct ArgumentTests {
  private static let wlan0 = InterfaceSelection.only(NetworkInterface(index: 3, name: "wlan0"))
  private static let office: DomainName = "office.example"
  private static let ada = ServiceInstance("Ada", type: "_ipp._tcp", domain: office)

  /// What the backend is told first.
  private func commands(
    _ count: Int = 1, _ body: @escaping @Sendable (Bonjour) async throws -> Void
  ) async throws -> Set<FakeBackend.Command> {
    let backend = try FakeBackend()
    let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
    let task = Task { try await body(bonjour) }
    await backend.commands { $0.count >= count }
    let commands = backend.commands.prefix(count)
    task.cancel()
    _ = await task.result
    await bonjour.close()
    return Set(commands)
  }

  @Test func `a browse is of the type, subtype, domain and interfaces`() async throws {
    let (office, wlan0) = (Self.office, Self.wlan0)
    let ways: [@Sendable (Bonjour) async throws -> Void] = [
      { bonjour in
        try await bonjour.withBrowser(for: "_ipp._tcp", subtype: "_printer", domain: office, interfaces: wlan0, resolving: true)
        {
          _ in await untilCancelled()
        }
      },
      { bonjour in
        _ = try await bonjour.openBrowser(
          for: "_ipp._tcp", subtype: "_printer", domain: office, interfaces: wlan0, resolving: true)
        await untilCancelled()
      },
      { bonjour in
        _ = try await bonjour.services(of: "_ipp._tcp", subtype: "_printer", domain: office, resolving: true, interfaces: wlan0)
      },
    ]
    let query = BrowseQuery("_ipp._tcp", subtype: "_printer", domain: office, interfaces: wlan0, wantsEndpoints: true)
    for way in ways { #expect(try await commands(1, way) == [.browse(query)]) }
    let plain = BrowseQuery("_ipp._tcp", domain: .local)
    #expect(try await commands { _ = try await $0.services(of: "_ipp._tcp") } == [.browse(plain)])
    #expect(
      try await commands { bonjour in
        _ = try await bonjour.openBrowser(for: "_ipp._tcp")
        await untilCancelled()
      } == [.browse(plain)])
  }

  @Test func `a look-up is of the name, type and interfaces`() async throws {
    let (office, wlan0, ada) = (Self.office, Self.wlan0, Self.ada)
    func expect(
      _ questions: [RecordQuestion], _ way: @escaping @Sendable (Bonjour) async throws -> Void,
      _ location: SourceLocation = #_sourceLocation
    ) async throws {
      #expect(try await commands(questions.count, way) == Set(questions.map { .lookUp($0) }), sourceLocation: location)
    }
    func question(_ name: DomainName, _ type: RecordType) -> RecordQuestion {
      RecordQuestion(.domain(name), type, interfaces: wlan0)
    }
    let host = [question("h.local", .hinfo)]
    try await expect(host) { _ = try await $0.records(of: "h.local", type: .hinfo, interfaces: wlan0) }
    try await expect(host) {
      try await $0.withRecords(of: "h.local", type: .hinfo, interfaces: wlan0) { _ in await untilCancelled() }
    }
    try await expect(host) { bonjour in
      _ = try await bonjour.openRecords(of: "h.local", type: .hinfo, interfaces: wlan0)
      await untilCancelled()
    }
    let types = [question("_services._dns-sd._udp.office.example", .ptr)]
    try await expect(types) { _ = try await $0.serviceTypes(domain: office, interfaces: wlan0) }
    try await expect(types) {
      try await $0.withServiceTypeBrowser(domain: office, interfaces: wlan0) { _ in await untilCancelled() }
    }
    try await expect(types) { bonjour in
      _ = try await bonjour.openServiceTypeBrowser(domain: office, interfaces: wlan0)
      await untilCancelled()
    }
    let domains = [question("r._dns-sd._udp.office.example", .ptr), question("dr._dns-sd._udp.office.example", .ptr)]
    try await expect(domains) {
      _ = try await $0.domains(for: [.publishing, .defaultPublishing], domain: office, interfaces: wlan0)
    }
    try await expect(domains) {
      try await $0.withDomainBrowser(for: [.publishing, .defaultPublishing], domain: office, interfaces: wlan0) { _ in
        await untilCancelled()
      }
    }
    try await expect(domains) { bonjour in
      _ = try await bonjour.openDomainBrowser(for: [.publishing, .defaultPublishing], domain: office, interfaces: wlan0)
      await untilCancelled()
    }
    try await expect([question("h.local", .a), question("h.local", .aaaa)]) {
      _ = try await $0.addresses(ofHost: "h.local", interfaces: wlan0)
    }
    try await expect([question("1.0.0.10.in-addr.arpa", .ptr)]) {
      _ = try await $0.hostNames(of: .ipv4(0x0A00_0001), interfaces: wlan0)
    }
    let instance = [RecordType.srv, .txt].map { RecordQuestion(.instance(ada), $0, interfaces: wlan0) }
    try await expect(instance) { _ = try await $0.resolve(ada, interfaces: wlan0) }
    try await expect(instance) { try await $0.withResolution(of: ada, interfaces: wlan0) { _ in await untilCancelled() } }
    try await expect(instance) { bonjour in
      _ = try await bonjour.openResolution(of: ada, interfaces: wlan0)
      await untilCancelled()
    }
  }

  @Test func `what is published has the name, content, policy and interfaces`() async throws {
    let (office, wlan0) = (Self.office, Self.wlan0)
    func registration(_ way: @escaping @Sendable (Bonjour) async throws -> Void) async throws -> Registration? {
      for case .publish(let registration) in try await commands(1, way) { return registration }
      return nil
    }
    let services: [@Sendable (Bonjour) async throws -> Void] = [
      { bonjour in
        try await bonjour.withPublishedService(
          named: "Ada", type: "_ipp._tcp", subtypes: ["_printer"], domain: office, port: 631, txt: ["a": "1"],
          onConflict: .fail,
          interfaces: wlan0
        ) { _ in await untilCancelled() }
      },
      { bonjour in
        _ = try await bonjour.openPublishedService(
          named: "Ada", type: "_ipp._tcp", subtypes: ["_printer"], domain: office, port: 631, txt: ["a": "1"],
          onConflict: .fail,
          interfaces: wlan0)
      },
    ]
    for way in services {
      let made = try #require(try await registration(way))
      #expect(made.name == "Ada" && made.domain == office && made.conflictPolicy == .fail && made.interfaces == wlan0)
      let service = try #require(made.service)
      #expect(
        service.type == "_ipp._tcp" && service.subtypes == ["_printer"] && service.port == 631 && service.txt == ["a": "1"])
    }
    let hosts: [@Sendable (Bonjour) async throws -> Void] = [
      { bonjour in
        try await bonjour.withPublishedHost(
          named: "h.local", addresses: [.ipv4(0x0A00_0001)], onConflict: .rename, interfaces: wlan0
        ) { _ in await untilCancelled() }
      },
      { bonjour in
        _ = try await bonjour.openPublishedHost(
          named: "h.local", addresses: [.ipv4(0x0A00_0001)], onConflict: .rename, interfaces: wlan0)
      },
    ]
    for way in hosts {
      let made = try #require(try await registration(way))
      #expect(made.name == "h" && made.content == .host([.ipv4(0x0A00_0001)]))
      #expect(made.conflictPolicy == .rename && made.interfaces == wlan0)
    }
  }
}
