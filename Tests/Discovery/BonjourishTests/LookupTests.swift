import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

private let eth0 = NetworkInterface(index: 2, name: "eth0")
private let link = Link(eth0, .ipv4)
private let broken = DiscoveryError(.unavailable, "gone")
private let http = DiscoveredServiceType("_http._tcp", interfaces: [eth0])

@Suite(.timeLimit(.minutes(1))) struct LookupTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  private func question(_ name: DomainName, _ type: RecordType) -> RecordQuestion {
    RecordQuestion(.domain(name), type)
  }

  private func asked(_ questions: RecordQuestion...) async {
    await backend.commands { commands in questions.allSatisfy { commands.contains(.lookUp($0)) } }
  }

  private func expectNothingIsOpen() {
    let opened = backend.commands.filter { if case .lookUp = $0 { true } else { false } }.count
    let ended = backend.commands.filter { if case .endLookUp = $0 { true } else { false } }.count
    #expect(opened == ended && opened > 0)
  }

  private let types: DomainName = "_services._dns-sd._udp.local"

  private func type(_ target: DomainName) -> ResourceRecord { ResourceRecord(.pointer(target), on: link) }

  // MARK: - Followed

  @Test func `changes of types come in order, and each iteration begins with what is known`() async throws {
    try await bonjour.withServiceTypeBrowser { browser in
      var changes = browser.changes.makeAsyncIterator()
      let question = question(types, .ptr)
      await backend.say(.added(type("_http._tcp.local")), .settled, to: question)
      for expected in [DiscoveryChange.found(http), .settled] {
        let change = try await changes.next()
        #expect(change == expected)
      }
      await backend.say(.interrupted(broken), to: question)
      let interruption = try await changes.next()
      #expect(interruption == .interrupted(broken))
      var again = browser.changes.makeAsyncIterator()
      for expected in [DiscoveryChange.found(http), .interrupted(broken)] {
        let change = try await again.next()
        #expect(change == expected)
      }
      await time.advance(to: .seconds(5))
      let change = try await changes.next()
      #expect(change == .lost(http))
    }
    expectNothingIsOpen()
  }

  @Test func `snapshots are whole lists`() async throws {
    try await bonjour.withServiceTypeBrowser { browser in
      var snapshots = browser.snapshots.makeAsyncIterator()
      let first = try await snapshots.next()
      #expect(first == LookupSnapshot())
      await backend.say(.added(type("_ipp._tcp.local")), .added(type("_http._tcp.local")), .settled, to: question(types, .ptr))
      async let next = {
        var snapshots = snapshots
        return try await snapshots.next()
      }()
      await time.advance(to: .milliseconds(30))
      let second = try await next
      #expect(second?.elements.map(\.type) == ["_http._tcp", "_ipp._tcp"] && second?.isSettled == true)
    }
  }

  @Test func `a failure is thrown after the earlier changes`() async throws {
    try await bonjour.withRecords(of: "x.local", type: .any) { lookup in
      var changes = lookup.changes.makeAsyncIterator()
      let record = ResourceRecord(.text([:]), on: link)
      await backend.say(.added(record), .failed(broken), to: question("x.local", .any))
      let change = try await changes.next()
      #expect(change == .found(record))
      await #expect(throws: broken) { try await changes.next() }
    }
    expectNothingIsOpen()
  }

  @Test func `cancellation ends the sequence and the scope`() async throws {
    let task = Task {
      try await bonjour.withDomainBrowser { browser in
        for try await _ in browser.changes {}
        return Task.isCancelled
      }
    }
    await backend.commands { $0.count == 5 }
    task.cancel()
    #expect(try await task.value)
    expectNothingIsOpen()
  }

  // MARK: - Once

  @Test func `records are returned when the lookup has settled`() async throws {
    async let records = bonjour.records(of: "x.local", type: .https)
    let record = ResourceRecord(name: "x.local", type: .https, bytes: [1], on: link)
    await asked(question("x.local", .https))
    await backend.say(.added(record), .settled, to: question("x.local", .https))
    #expect(try await records == [record])
    async let none = bonjour.records(of: "y.local", type: .a)
    await asked(question("y.local", .a))
    await backend.say(.settled, to: question("y.local", .a))
    #expect(try await none == [])
    expectNothingIsOpen()
  }

  @Test func `what was found by the end of the limit is returned`() async throws {
    async let types = bonjour.serviceTypes(within: .seconds(2))
    await asked(question(self.types, .ptr))
    await backend.say(.added(type("_http._tcp.local")), to: question(self.types, .ptr))
    await time.advance(to: .seconds(2))
    #expect(try await types == [http])
  }

  @Test func `a lookup that is interrupted at its end fails`() async throws {
    for (reason, code) in [(broken, DiscoveryError.Code.unavailable), (DiscoveryError(.noNetwork, "no"), .noNetwork)] {
      let (time, backend) = (ManualTime(), try FakeBackend())
      let bonjour = Bonjour(backend: backend, time: time.clock)
      let task = Task { try await bonjour.domains(within: .seconds(2)) }
      await backend.commands { $0.count == 5 }
      let question = question("b._dns-sd._udp.local", .ptr)
      await backend.say(.added(ResourceRecord(.pointer("a.b"), on: link)), .interrupted(reason), to: question)
      await time.advance(to: .seconds(2))
      let error = await #expect(throws: DiscoveryError.self) { try await task.value }
      #expect(error?.code == code && error?.message.contains("domains in local") == true)
      #expect(error?.underlyingError as? DiscoveryError == reason)
    }
  }

  @Test func `domains are asked for by their purposes`() async throws {
    async let domains = bonjour.domains(for: [.browsing, .defaultPublishing])
    let (b, dr): (DomainName, DomainName) = ("b._dns-sd._udp.local", "dr._dns-sd._udp.local")
    await asked(question(b, .ptr), question(dr, .ptr))
    #expect(backend.commands.count == 2)
    await backend.say(.added(ResourceRecord(.pointer("example.org"), name: b, on: link)), .settled, to: question(b, .ptr))
    await backend.say(.added(ResourceRecord(.pointer("example.org"), name: dr, on: link)), .settled, to: question(dr, .ptr))
    #expect(
      try await domains == [
        DiscoveredDomain("example.org", purposes: [.browsing, .defaultPublishing], interfaces: [eth0])
      ])
  }

  // MARK: - Hosts

  private let v4 = IPAddress.ipv4(0x0A4D_0001)
  private let autoconfigured = IPAddress.ipv4(0xA9FE_0001)
  private let v6 = IPAddress.ipv6(high: 0xFE80 << 48, low: 1).seen(on: eth0)

  @Test func `addresses are sorted, and the first that works from afar is waited for no longer than 150 ms`() async throws {
    async let addresses = bonjour.addresses(ofHost: "x.local")
    let (a, aaaa) = (question("x.local", .a), question("x.local", .aaaa))
    await asked(a, aaaa)
    await backend.say(
      .added(ResourceRecord(.address(autoconfigured), on: link)),
      .added(ResourceRecord(.address(.ipv4(0xE000_0001)), on: link)),
      to: a)
    await backend.say(.added(ResourceRecord(.address(v6), on: link)), to: aaaa)
    await backend.say(.added(ResourceRecord(.address(v4), on: link)), to: a)
    await time.advance(to: .milliseconds(150))
    #expect(try await addresses == [v4, autoconfigured, v6])
    expectNothingIsOpen()
  }

  @Test func `a link-local address does not end the wait for a better one`() async throws {
    let (events, event) = AsyncStream<String>.makeStream()
    let task = Task {
      defer { event.yield("returned") }
      return try await bonjour.addresses(ofHost: "x.local")
    }
    let a = question("x.local", .a)
    await asked(a, question("x.local", .aaaa))
    await backend.say(.added(ResourceRecord(.address(autoconfigured), on: link)), to: a)
    await time.pass(to: .milliseconds(200))
    await backend.say(.added(ResourceRecord(.address(v4), on: link)), to: a)
    Task {
      await time.sleepers(until: .milliseconds(350))
      event.yield("waits for others")
    }
    var iterator = events.makeAsyncIterator()
    try #require(await iterator.next() == "waits for others")
    await time.advance(to: .milliseconds(350))
    #expect(try await task.value == [v4, autoconfigured])
  }

  @Test func `an address that is lost again is not enough`() async throws {
    let task = Task { try await bonjour.addresses(ofHost: "x.local", within: .seconds(3)) }
    let a = question("x.local", .a)
    await asked(a, question("x.local", .aaaa))
    let record = ResourceRecord(.address(v4), on: link)
    await backend.say(.added(record), .removed(record), to: a)
    await time.pass(to: .milliseconds(200))
    await backend.say(.added(record), to: a)
    await time.advance(to: .milliseconds(350))
    #expect(try await task.value == [v4])
  }

  @Test func `an interruption lets what was enough wait, without a timer that is due`() async throws {
    let task = Task { try await bonjour.addresses(ofHost: "x.local", within: .seconds(3)) }
    let a = question("x.local", .a)
    await asked(a, question("x.local", .aaaa))
    let record = ResourceRecord(.address(v4), on: link)
    await backend.say(.added(record), .interrupted(DiscoveryError(.unavailable, "gone")), to: a)
    await time.advance(to: .milliseconds(150))
    // The next deadlines are those of the limit and of the records, not one that has passed.
    await time.advance(to: .seconds(3))
    let error = await #expect(throws: DiscoveryError.self) { try await task.value }
    #expect(error?.code == .unavailable)
  }

  @Test func `closing ends a lookup that waits for an answer, which says why`() async throws {
    let lookup = Task { try await bonjour.addresses(ofHost: "x.local") }
    await asked(question("x.local", .a), question("x.local", .aaaa))
    let browse = Task { try await bonjour.services(of: "_http._tcp") }
    await backend.commands { $0.count == 3 }
    let resolving = Task { try await bonjour.resolve(ServiceInstance("Ada", type: "_http._tcp")) }
    await backend.commands { $0.count > 3 }
    await bonjour.close()
    for result in [await lookup.result.map { _ in }, await browse.result.map { _ in }, await resolving.result.map { _ in }] {
      let error = #expect(throws: DiscoveryError.self) { try result.get() }
      #expect(error?.code == .unavailable && error?.message.contains("was closed") == true)
    }
  }

  @Test func `link-local addresses are returned when both families have settled`() async throws {
    async let addresses = bonjour.addresses(ofHost: "x.local")
    let (a, aaaa) = (question("x.local", .a), question("x.local", .aaaa))
    await asked(a, aaaa)
    let alias = ResourceRecord(
      name: "x.local", type: .cname, bytes: [1, 0x79, 5] + Array("local".utf8) + [0], on: link)
    await backend.say(.added(alias), .settled, to: a)
    await backend.say(.added(alias), .added(ResourceRecord(.address(v6), name: "y.local", on: link)), .settled, to: aaaa)
    #expect(try await addresses == [v6])
  }

  @Test func `a host that does not answer is waited for until the limit`() async throws {
    let task = Task { try await bonjour.addresses(ofHost: "x.local", within: .seconds(3)) }
    await asked(question("x.local", .a), question("x.local", .aaaa))
    for type in [RecordType.a, .aaaa] { await backend.say(.settled, to: question("x.local", type)) }
    await time.advance(to: .seconds(3))
    let error = await #expect(throws: DiscoveryError.self) { try await task.value }
    #expect(error?.code == .timedOut && error?.message.contains("the addresses of x.local") == true)
    #expect(error?.message.contains("the name may be wrong") == true)
  }

  @Test func `an address has the names of its reverse pointers`() async throws {
    async let names = bonjour.hostNames(of: v4)
    let reverse = question("1.0.77.10.in-addr.arpa", .ptr)
    await asked(reverse)
    await backend.say(
      .added(ResourceRecord(.pointer("b.local"), on: link)), .added(ResourceRecord(.pointer("a.local"), on: link)), .settled,
      to: reverse)
    #expect(try await names == ["a.local", "b.local"])
  }

  @Test func `the zone of an address is the interface to ask on`() async throws {
    let lo = try NetworkInterface(named: "lo")
    for zone in ["lo", "\(lo.index)"] {
      let address = try #require(IPAddress("fe80::1%\(zone)"))
      let before = backend.commands.count
      let task = Task { try await bonjour.hostNames(of: address) }
      await backend.commands { $0.count > before || $0.last == nil }
      task.cancel()
      let error = await #expect(throws: DiscoveryError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      let name: DomainName = "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.e.f.ip6.arpa"
      #expect(backend.commands.last == .endLookUp(RecordQuestion(.domain(name), .ptr, interfaces: .only(lo))))
    }
    let nowhere = try #require(IPAddress("fe80::1%nope0"))
    let error = await #expect(throws: DiscoveryError.self) { try await bonjour.hostNames(of: nowhere) }
    #expect(error?.code == .noSuchInterface)
  }

  // MARK: - Publishing

  @Test func `a type that breaks RFC 6335 is not published`() async throws {
    let error = await #expect(throws: DiscoveryError.self) {
      try await bonjour.withPublishedService(named: "Ada", type: "_nvstream_dbd._tcp", port: 1) { _ in }
    }
    #expect(error?.code == .invalidServiceType)
    #expect(backend.commands.isEmpty)
  }
}
