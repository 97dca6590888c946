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

/// Takes the next change, and compares it.
func expect(
  _ expected: BrowseChange, from changes: inout BrowseChanges.Iterator, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let change = try await changes.next()
  #expect(change == expected, sourceLocation: sourceLocation)
}

@Suite(.timeLimit(.minutes(1))) struct BrowserTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  @Test func `changes come in order, with links folded into instances`() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link), .appeared(ada, link6), .appeared(bob, link), .settled)
      try await expect(.found(DiscoveredService(instance: ada, links: [link, link6])), from: &changes)
      try await expect(.found(service(bob)), from: &changes)
      try await expect(.settled, from: &changes)
      await backend.sayToBrowsers(.vanished(ada, link), .vanished(ada, link6))
      try await expect(.lost(DiscoveredService(instance: ada, links: [link6])), from: &changes)
    }
    let query = BrowseQuery(game, domain: .local)
    #expect(backend.commands == [.browse(query), .endBrowse(query)])
  }

  @Test func `a waiting consumer is woken`() async throws {
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

  @Test func `what a directory lists with its endpoint needs no questions, until the local network shows it too`() async throws
  {
    let directory = DiscoverySource.directory("world")
    let far = Endpoint(host: "ada.directory.alt", port: 7, txt: ["state": "open"], addresses: [.ipv4(0x0A00_0001)])
    let near = Endpoint(host: "ada.local", port: 8, txt: TXTRecord(), addresses: [.ipv4(0x0A00_0002)])
    func listed(_ endpoint: Endpoint, _ links: Link...) -> DiscoveredService {
      DiscoveredService(instance: ada, links: links, endpoint: endpoint)
    }
    func questions(_ type: RecordType) -> RecordQuestion { RecordQuestion(.instance(ada), type) }
    try await bonjour.withBrowser(for: game, resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      let cloud = Link(directory, .ipv4)
      await backend.sayToBrowsers(.described(ada, far, directory), .appeared(ada, cloud), .settled)
      try await expect(.found(listed(far, cloud)), from: &changes)
      try await expect(.settled, from: &changes)
      // What is written down changes.
      let moved = Endpoint(host: far.host, port: 9, txt: far.txt, addresses: far.addresses)
      await backend.sayToBrowsers(.described(ada, moved, directory))
      try await expect(.updated(listed(moved, cloud)), from: &changes)
      #expect(backend.commands.count == 1, "nothing was asked")
      // The local network's answers go first.
      await backend.sayToBrowsers(.appeared(ada, link))
      try await expect(.updated(listed(moved, link, cloud)), from: &changes)
      #expect(backend.commands.contains(.lookUp(questions(.srv))))
      await backend.sayToBrowsers(.described(ada, far, directory))
      let host = RecordQuestion.Name.domain("ada.local")
      func record(_ name: DomainName, _ type: RecordType, _ bytes: [UInt8]) -> ResourceRecord {
        ResourceRecord(name: name, type: type, bytes: bytes, on: link)
      }
      let name = try ada.fullName
      await backend.say(
        .added(record(name, .srv, [0, 0, 0, 0, 0, 8] + [3] + Array("ada".utf8) + [5] + Array("local".utf8) + [0])), .settled,
        to: questions(.srv))
      await backend.say(.added(record(name, .txt, [0])), .settled, to: questions(.txt))
      await backend.say(.added(record("ada.local", .a, [10, 0, 0, 2])), .settled, to: RecordQuestion(host, .a))
      await backend.say(.settled, to: RecordQuestion(host, .aaaa))
      try await expect(.updated(listed(near, link, cloud)), from: &changes)
      await backend.sayToBrowsers(.vanished(ada, link), .vanished(ada, cloud))
      try await expect(.lost(listed(near, cloud)), from: &changes)
    }
  }

  @Test func `an endpoint of a directory without an address that counts is asked for`() async throws {
    let directory = DiscoverySource.directory("world")
    let nowhere = Endpoint(host: "ada.directory.alt", port: 7, txt: TXTRecord(), addresses: [])
    try await bonjour.withBrowser(for: game, resolving: true) { browser in
      await backend.sayToBrowsers(.described(ada, nowhere, directory), .appeared(ada, Link(directory, .ipv4)))
      await backend.commands { $0.contains(.lookUp(RecordQuestion(.instance(ada), .srv))) }
    }
  }

  @Test func `every iteration begins with the known services`() async throws {
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

  @Test func `a failure is thrown after the earlier changes`() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      var changes = browser.changes.makeAsyncIterator()
      await backend.sayToBrowsers(.appeared(ada, link))
      try await expect(.found(service(ada)), from: &changes)
      await backend.sayToBrowsers(.failed(broken))
      await #expect(throws: broken) { try await changes.next() }
    }
  }

  @Test func `cancellation ends the sequence and the scope`() async throws {
    let task = Task {
      try await bonjour.withBrowser(for: game) { browser in
        for try await _ in browser.changes {}
        return Task.isCancelled
      }
    }
    await backend.commands { $0.count == 1 }
    task.cancel()
    #expect(try await task.value)
    #expect(backend.commands.last == .endBrowse(BrowseQuery(game, domain: .local)))
  }

  @Test func `an error in the body ends the scope`() async throws {
    struct Oops: Error {}
    await #expect(throws: Oops.self) { try await bonjour.withBrowser(for: game) { _ in throw Oops() } }
    #expect(backend.commands.last == .endBrowse(BrowseQuery(game, domain: .local)))
  }

  @Test func `a service that does not come back after an interruption is lost in time`() async throws {
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
  @Test func `a takeover does not lose a service that is still there`() async throws {
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

  @Test func `a snapshot combines changes that come together`() async throws {
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

  @Test func `whoever is cancelled while changes are gathered gets no snapshot`() async throws {
    try await bonjour.withBrowser(for: game) { browser in
      let task = Task { [backend] in
        var snapshots = browser.snapshots.makeAsyncIterator()
        _ = try await snapshots.next()
        await backend.sayToBrowsers(.appeared(ada, link))
        return try await snapshots.next()
      }
      await time.sleepers(until: .milliseconds(30))
      task.cancel()
      let snapshot = try await task.value
      #expect(snapshot == nil)
    }
  }

  @Test func `hints are reported only on request`() async throws {
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

  @Test func `the backend is closed with the last reference`() async throws {
    let backend = try FakeBackend()
    do { _ = Bonjour(backend: backend, time: time.clock) }
    await backend.commands { $0 == [.close] }
  }
}
