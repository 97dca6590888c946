import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

private let ada = ServiceInstance("Ada", type: "_http._tcp")
private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
private let broken = DiscoveryError(.unavailable, "gone")

@Suite(.timeLimit(.minutes(1))) struct ResolutionTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  private let srv = RecordQuestion(.instance(ada), .srv)
  private let txt = RecordQuestion(.instance(ada), .txt)
  private let a = RecordQuestion(.domain("h1.local"), .a)
  private let aaaa = RecordQuestion(.domain("h1.local"), .aaaa)
  private let address = IPAddress.ipv4(0x0A4D_0001)

  private func server(port: UInt16) -> ResourceRecord {
    ResourceRecord(.server(host: "h1.local", port: port, priority: 0, weight: 0), on: link)
  }

  private func endpoint(port: UInt16, _ text: TXTRecord = [:]) -> Endpoint {
    Endpoint(host: "h1.local", port: port, txt: text, addresses: [address])
  }

  private func answer() async {
    await backend.commands { [txt] in $0.contains(.lookUp(txt)) }
    await backend.say(.added(server(port: 1)), .settled, to: srv)
    await backend.say(.added(ResourceRecord(.text([:]), on: link)), .settled, to: txt)
    await backend.say(.added(ResourceRecord(.address(address), on: link)), .settled, to: a)
    await backend.say(.settled, to: aaaa)
  }

  private func expect(
    _ expected: ResolutionChange, from changes: inout ResolutionChanges.Iterator,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let change = try await changes.next()
    #expect(change == expected, sourceLocation: sourceLocation)
  }

  @Test(arguments: [true, false]) func `addresses of the other family are waited for as long as is wanted`(
    areTold: Bool
  ) async throws {
    let resolving = Task {
      try await bonjour.resolve(ada, within: .seconds(5), waitingForFamilies: .milliseconds(1_600))
    }
    await backend.commands { [txt] in $0.contains(.lookUp(txt)) }
    await backend.say(.added(server(port: 1)), to: srv)
    await backend.say(.added(ResourceRecord(.text([:]), on: link)), to: txt)
    await backend.say(.added(ResourceRecord(.address(address), on: link)), .settled, to: a)
    await time.pass(to: .milliseconds(1_500))
    let other = IPAddress.ipv6(high: 0x2001_0DB8 << 32, low: 1)
    if areTold {
      await backend.say(.added(ResourceRecord(.address(other), on: link)), .settled, to: aaaa)
    } else {
      await time.advance(to: .milliseconds(1_600))
    }
    #expect(Set(try await resolving.value.addresses) == (areTold ? [address, other] : [address]))
  }

  @Test func `addresses that this machine does not reach are told beside the lack of an endpoint`() async throws {
    let filter = AddressFilter(route: { _ in .nowhere }, side: { _ in .network([]) })
    let bonjour = Bonjour(backend: backend, time: time.clock, filter: filter)
    try await bonjour.withResolution(of: ada) { resolution in
      var changes = resolution.changes.makeAsyncIterator()
      #expect(await resolution.refusedAddresses == [])
      await answer()
      await time.advance(to: .seconds(5))
      try await expect(.lost, from: &changes)
      #expect(await resolution.refusedAddresses == [address])
    }
  }

  @Test func `an endpoint is followed while it changes`() async throws {
    try await bonjour.withResolution(of: ada) { resolution in
      var changes = resolution.changes.makeAsyncIterator()
      #expect(await resolution.endpoint == nil)
      await answer()
      try await expect(.resolved(endpoint(port: 1)), from: &changes)
      await backend.say(.added(server(port: 2)), .removed(server(port: 1)), to: srv)
      try await expect(.resolved(endpoint(port: 2)), from: &changes)
      await backend.say(.added(ResourceRecord(.text(["k": "v"]), on: link)), to: txt)
      try await expect(.resolved(endpoint(port: 2, ["k": "v"])), from: &changes)
      #expect(await resolution.endpoint == endpoint(port: 2, ["k": "v"]))
      var again = resolution.changes.makeAsyncIterator()
      try await expect(.resolved(endpoint(port: 2, ["k": "v"])), from: &again)
    }
    for question in [srv, txt, a, aaaa] { #expect(backend.commands.contains(.endLookUp(question))) }
  }

  @Test func `an endpoint whose records expire is lost, and resolved again when a host answers`() async throws {
    try await bonjour.withResolution(of: ada) { resolution in
      var changes = resolution.changes.makeAsyncIterator()
      await answer()
      try await expect(.resolved(endpoint(port: 1)), from: &changes)
      await backend.say(.removed(server(port: 1)), to: srv)
      #expect(backend.commands.contains(.reconfirm(ada)))
      await time.advance(to: .seconds(5))
      try await expect(.lost, from: &changes)
      #expect(await resolution.endpoint == nil)
      var again = resolution.changes.makeAsyncIterator()
      try await expect(.lost, from: &again)
      await backend.say(.added(server(port: 1)), to: srv)
      try await expect(.resolved(endpoint(port: 1)), from: &changes)
    }
  }

  @Test func `an instance for which no host answers is lost after five seconds`() async throws {
    try await bonjour.withResolution(of: ada) { resolution in
      var changes = resolution.changes.makeAsyncIterator()
      await time.advance(to: .seconds(5))
      try await expect(.lost, from: &changes)
      await answer()
      try await expect(.resolved(endpoint(port: 1)), from: &changes)
    }
  }

  @Test func `an interruption is told once, and is over when all questions are asked again`() async throws {
    try await bonjour.withResolution(of: ada) { resolution in
      var changes = resolution.changes.makeAsyncIterator()
      await answer()
      try await expect(.resolved(endpoint(port: 1)), from: &changes)
      for question in [srv, txt, a, aaaa] { await backend.say(.interrupted(broken), to: question) }
      try await expect(.interrupted(broken), from: &changes)
      var late = resolution.changes.makeAsyncIterator()
      try await expect(.resolved(endpoint(port: 1)), from: &late)
      try await expect(.interrupted(broken), from: &late)
      for question in [srv, txt, a] { await backend.say(.restarted, to: question) }
      var later = resolution.changes.makeAsyncIterator()
      try await expect(.resolved(endpoint(port: 1)), from: &later)
      try await expect(.interrupted(broken), from: &later)
      await backend.say(.restarted, to: aaaa)
      try await expect(.restored, from: &changes)
      await answer()
      await backend.say(.added(server(port: 3)), to: srv)
      try await expect(.resolved(endpoint(port: 3)), from: &changes)
    }
  }

  @Test func `answers that lead elsewhere are named in the error`() async throws {
    let filter = AddressFilter(route: { _ in .here }, side: { _ in .network([]) })
    let bonjour = Bonjour(backend: backend, time: time.clock, filter: filter)
    let resolving = Task { try await bonjour.resolve(ada, within: .seconds(2)) }
    await answer()
    await time.advance(to: .seconds(2))
    let error = await #expect(throws: DiscoveryError.self) { try await resolving.value }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("there is no way to its addresses (10.77.0.1) through") == true, "\(error?.message ?? "")")
  }

  @Test func `a failure is thrown`() async throws {
    try await bonjour.withResolution(of: ada) { resolution in
      var changes = resolution.changes.makeAsyncIterator()
      await answer()
      await backend.say(.failed(broken), to: srv)
      try await expect(.resolved(endpoint(port: 1)), from: &changes)
      await #expect(throws: broken) { try await changes.next() }
    }
  }

  @Test func `a question that a new host makes needless is no longer waited for`() async throws {
    try await bonjour.withResolution(of: ada) { resolution in
      var changes = resolution.changes.makeAsyncIterator()
      await answer()
      try await expect(.resolved(endpoint(port: 1)), from: &changes)
      await backend.say(.interrupted(broken), to: a)
      try await expect(.interrupted(broken), from: &changes)
      let moved = ResourceRecord(.server(host: "h2.local", port: 2, priority: 0, weight: 0), on: link)
      await backend.say(.added(moved), to: srv)
      try await expect(.restored, from: &changes)
      #expect(backend.commands.suffix(4).contains(.endLookUp(a)))
    }
  }
}
