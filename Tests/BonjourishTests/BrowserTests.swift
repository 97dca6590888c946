import Bonjourish
import Discovery
import TestSupport
import Testing

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

private func expect(
  _ expected: BrowseChange, from changes: inout BrowseChanges.Iterator, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let change = try await changes.next()
  #expect(change == expected, sourceLocation: sourceLocation)
}

@Suite("Browsing", .timeLimit(.minutes(1))) struct BrowserTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.timekeeper)
  }

  @Test func changesComeInOrderAndFolded() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .appeared(ada, link6), .appeared(bob, link), .settled)
      try await expect(.found(service(ada)), from: &changes)
      try await expect(.found(service(bob)), from: &changes)
      try await expect(.settled, from: &changes)
      await backend.sayToBrowsers(.vanished(ada, link), .vanished(ada, link6))
      try await expect(.lost(service(ada)), from: &changes)
    }
    let query = BrowseQuery(game, domain: .local, on: nil)
    #expect(backend.commands == [.browse(query), .endBrowse(query)])
  }

  @Test func aWaitingConsumerIsWoken() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      async let first: BrowseChange? = {
        var changes = browser.changes.makeAsyncIterator()
        return try await changes.next()
      }()
      await backend.sayToBrowsers(.appeared(ada, link))
      let change = try await first
      #expect(change == .found(service(ada)))
    }
  }

  @Test func everyIterationBeginsWithWhatIsKnown() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      await backend.sayToBrowsers(.appeared(bob, link), .appeared(ada, link), .settled, .interrupted(broken))
      for _ in 1...2 {
        var changes = browser.changes.makeAsyncIterator()
        try await expect(.found(service(ada)), from: &changes)
        try await expect(.found(service(bob)), from: &changes)
        try await expect(.interrupted(broken), from: &changes)
      }
    }
  }

  @Test func aFailureIsThrownAfterWhatCameBefore() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link))
      try await expect(.found(service(ada)), from: &changes)
      await backend.sayToBrowsers(.failed(broken))
      await #expect(throws: broken) { try await changes.next() }
    }
  }

  @Test func cancellationEndsTheSequenceAndTheScope() async throws {
    let task = Task {
      try await bonjour.withBrowser(for: game) { browser in
        for try await _ in browser.changes {}
        return Task.isCancelled
      }
    }
    await backend.commands { $0.count == 1 }
    task.cancel()
    #expect(try await task.value)
    #expect(backend.commands.last == .endBrowse(BrowseQuery(game, domain: .local, on: nil)))
  }

  @Test func anErrorInTheBodyEndsTheScope() async throws {
    struct Oops: Error {}
    await #expect(throws: Oops.self) { try await bonjour.withBrowser(for: game) { _ in throw Oops() } }
    #expect(backend.commands.last == .endBrowse(BrowseQuery(game, domain: .local, on: nil)))
  }

  @Test func whatDoesNotComeBackAfterAnInterruptionIsLostInTime() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .interrupted(broken))
      try await expect(.found(service(ada)), from: &changes)
      try await expect(.interrupted(broken), from: &changes)
      await time.advance(to: .seconds(5))
      try await expect(.lost(service(ada)), from: &changes)
      await backend.sayToBrowsers(.restored, .appeared(ada, link))
      try await expect(.restored, from: &changes)
      try await expect(.found(service(ada)), from: &changes)
    }
  }

  /// The engine takes back what it said, and the daemon, which has heard that, says it again.
  @Test func aTakeoverLosesNothingThatIsStillThere() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .appeared(bob, link), .settled)
      for change in [BrowseChange.found(service(ada)), .found(service(bob)), .settled] {
        try await expect(change, from: &changes)
      }
      await backend.sayToBrowsers(.interrupted(broken))
      try await expect(.interrupted(broken), from: &changes)
      await backend.sayToBrowsers(.restored, .appeared(ada, link), .appeared(bob, link))
      try await expect(.restored, from: &changes)
      await backend.sayToBrowsers(.vanished(ada, link), .vanished(bob, link), .settled, .appeared(ada, link))
      await time.advance(to: .seconds(5))
      try await expect(.lost(service(bob)), from: &changes)
      try await expect(.settled, from: &changes)
      await backend.sayToBrowsers(.vanished(ada, link))
      try await expect(.lost(service(ada)), from: &changes)
    }
  }

  @Test func snapshotsShowTogetherWhatComesTogether() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      var snapshots = browser.snapshots.makeAsyncIterator()
      let first = try await snapshots.next()
      #expect(first == BrowseSnapshot())
      await backend.sayToBrowsers(.appeared(bob, link))
      async let next = {
        var snapshots = snapshots
        return try await snapshots.next()
      }()
      await time.sleepers(until: .milliseconds(30))
      await backend.sayToBrowsers(.appeared(ada, link), .settled)
      await time.advance(to: .milliseconds(30))
      let second = try await next
      #expect(second == BrowseSnapshot(services: [service(ada), service(bob)], isSettled: true))
    }
  }

  @Test func hintsAreToldToThoseWhoAsk() async throws {
    var leaving = service(ada)
    leaving.presence = .leaving
    for hints in [true, false] {
      try await bonjour.withBrowser(for: game, hints: hints) { browser in
        var changes = browser.changes.makeAsyncIterator()
        await backend.sayToBrowsers(.appeared(ada, link))
        try await expect(.found(service(ada)), from: &changes)
        await backend.sayToBrowsers(.doubted(ada, link, .leaving))
        if hints { try await expect(.updated(leaving), from: &changes) }
        var snapshots = browser.snapshots.makeAsyncIterator()
        let snapshot = try await snapshots.next()
        #expect(snapshot?.services == [hints ? leaving : service(ada)])
        await backend.sayToBrowsers(.vanished(ada, link))
        try await expect(.lost(hints ? leaving : service(ada)), from: &changes)
      }
    }
  }

  // MARK: - Resolving

  private func srv(_ instance: ServiceInstance) -> RecordQuestion { RecordQuestion(.instance(instance), .srv, on: nil) }
  private func txt(_ instance: ServiceInstance) -> RecordQuestion { RecordQuestion(.instance(instance), .txt, on: nil) }
  private let host: DomainName = "h1.local"
  private var a: RecordQuestion { RecordQuestion(.host(host), .a, on: nil) }
  private var aaaa: RecordQuestion { RecordQuestion(.host(host), .aaaa, on: nil) }
  private let v4 = IPAddress(bytes: [10, 77, 0, 1], seenOn: eth0)!
  private let v6 = IPAddress(bytes: [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1], seenOn: eth0)!

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

  @Test func resolvingTellsOfAnInstanceWhenItsEndpointIsKnown() async throws {
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

  @Test func anInstanceThatNobodyAnswersForIsToldOfWithoutAnEndpoint() async throws {
    try await bonjour.withBrowser(for: game, resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .settled)
      await time.advance(to: .seconds(5))
      try await expect(.found(service(ada)), from: &changes)
      try await expect(.settled, from: &changes)
      #expect(backend.commands.contains(.reconfirm(ada)))
    }
  }

  @Test func resolveGivesTheEndpoint() async throws {
    async let endpoint = bonjour.resolve(ada)
    await answer(ada, port: 7, text: [:])
    await answerAddresses()
    #expect(try await endpoint == Endpoint(host: host, port: 7, txt: [:], addresses: [v4, v6]))
    #expect(backend.commands.filter { if case .endLookUp = $0 { true } else { false } }.count == 4)
  }

  @Test func resolveGivesUpInTime() async throws {
    let endpoint = Task { try await bonjour.resolve(ada, within: .seconds(2)) }
    await time.advance(to: .seconds(2))
    let error = await #expect(throws: DiscoveryError.self) { try await endpoint.value }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("Ada._twentyfour._tcp.local") == true)
    #expect(backend.commands.contains(.endLookUp(srv(ada))))
  }

  @Test func resolveSaysWhenNobodyCouldBeAsked() async throws {
    for (isBack, code) in [(false, DiscoveryError.Code.unavailable), (true, .timedOut)] {
      let time = ManualTime()
      let bonjour = Bonjour(backend: backend, time: time.timekeeper)
      let before = backend.commands.count
      let endpoint = Task { try await bonjour.resolve(ada, within: .seconds(2)) }
      await backend.commands { $0.count >= before + 2 }
      await backend.say(.interrupted(broken), to: srv(ada))
      if isBack { await backend.say(.restarted, to: srv(ada)) }
      await time.advance(to: .seconds(2))
      let error = await #expect(throws: DiscoveryError.self) { try await endpoint.value }
      #expect(error?.code == code)
      #expect(error?.message.contains("out of reach") == !isBack)
    }
  }

  @Test func resolveCanBeCancelled() async throws {
    let task = Task { try await bonjour.resolve(ada) }
    await backend.commands { $0.count >= 2 }
    task.cancel()
    let error = await #expect(throws: DiscoveryError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(backend.commands.contains(.endLookUp(srv(ada))))
  }

  @Test func doubtsAreHandedOn() async throws {
    bonjour.reconfirm(ada)
    #expect(backend.commands == [.reconfirm(ada)])
  }

  @Test func theBackendIsClosedWithTheLastReference() async throws {
    let backend = try FakeBackend()
    do { _ = Bonjour(backend: backend, time: time.timekeeper) }
    await backend.commands { $0 == [.close] }
  }
}
