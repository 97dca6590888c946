import Bonjourish
import CBonjourishLinux
import Testing
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

/// The built-in engine over real sockets, on the loopback interface, where nobody else hears it. What is waited for is an event.
@Suite(.serialized, .timeLimit(.minutes(1))) struct LoopbackTests {
  /// Of this process, for others on the machine may be testing too.
  private let type: ServiceType
  private let interface: NetworkInterface
  private let interfaces: InterfaceSelection = "lo"
  private let near: Bonjour
  private let far: Bonjour

  init() async throws {
    type = try ServiceType("_lo-\(getpid())._tcp")
    interface = try NetworkInterface(named: "lo")
    // Two engines that know each other by what they hear only, as two programs would.
    near = try await Bonjour(.init(backend: .builtin))
    far = try await Bonjour(.init(backend: .builtin))
  }

  @Test func `what is published is found resolved updated and lost`() async throws {
    try await far.withBrowser(for: type, interfaces: interfaces, resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      try await near.withPublishedService(named: "Ada", type: type, port: 4242, txt: ["v": "1"], interfaces: interfaces) {
        service in
        let found = try await next(&changes, after: [.settled])
        guard case .found(let discovered) = found else { return unexpected(found) }
        let endpoint = try #require(discovered.endpoint)
        #expect(discovered.instance.name == "Ada")
        #expect(discovered.interfaces == [interface])
        #expect(endpoint.port == 4242)
        #expect(endpoint.txt == ["v": "1"])
        #expect(endpoint.addresses.map(\.description).contains("127.0.0.1"))
        let resolved = try await far.resolve(discovered.instance, interfaces: interfaces)
        #expect(resolved == endpoint)

        try await service.update(txt: ["v": "2"])
        let updated = try await next(&changes, after: [.settled])
        guard case .updated(let changed) = updated else { return unexpected(updated) }
        #expect(changed.endpoint?.txt == ["v": "2"])
      }
      let lost = try await next(&changes, after: [.settled])
      guard case .lost(let gone) = lost else { return unexpected(lost) }
      #expect(gone.instance.name == "Ada")
    }
  }

  @Test func `what is sent and received is counted`() async throws {
    try await far.withBrowser(for: type, interfaces: interfaces) { browser in
      var changes = browser.changes.makeAsyncIterator()
      try await near.withPublishedService(named: "Ada", type: type, port: 4242, interfaces: interfaces) { _ in
        _ = try await next(&changes, after: [.settled])
        let (sender, receiver) = await (near.metrics, far.metrics)
        #expect(sender.backend == "builtin" && sender.registrations == 1 && sender.browsers == 0)
        #expect(receiver.browsers == 1 && receiver.registrations == 0)
        let (sent, received) = (sender.builtin, receiver.builtin)
        #expect(sent.links > 0 && sent.messages.probesSent >= 3 && sent.messages.announcementsSent > 0)
        #expect(sent.messages.echoes > 0)
        #expect(sent.ipv4.sent > 3 && sent.ipv4.bytesSent > 100 && sent.ipv4.failed == 0)
        #expect(received.messages.responsesReceived > 0 && received.cachedRecords > 0)
        #expect(received.ipv4.received > 0 && received.ipv4.bytesReceived > 100)
      }
    }
    #expect(await near.metrics.builtin.messages.goodbyesSent > 0)
  }

  @Test func `datagrams that the system drops are counted`() throws {
    let counter = DatagramCounter()
    let socket = try MulticastSocket(.ipv4, counting: counter)
    // The least that the system allows: room for a few.
    var size: CInt = 1
    setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    try socket.join(interface.index)
    for _ in 0..<40 { try socket.test(on: interface.index, isLoopback: true) }
    #expect(counter.counters.sent == 40 && counter.counters.bytesSent == 480)
    #expect(socket.dropped > 0)
  }

  @Test func `hints report doubts and goodbyes`() async throws {
    let cleo = ServiceInstance("Cleo", type: type)
    try await far.withBrowser(for: type, interfaces: interfaces, hints: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      var presences: [DiscoveredService.Presence] = []
      func follow(until presence: DiscoveredService.Presence) async throws {
        while let change = try await changes.next() {
          switch change {
          case .found(let service) where service.instance == cleo, .updated(let service) where service.instance == cleo:
            presences.append(service.presence)
            if service.presence == presence { return }
          case .found, .updated, .lost, .settled, .interrupted, .restored: continue
          }
        }
      }
      try await near.withPublishedService(named: cleo.name, type: type, port: 1, interfaces: interfaces) { _ in
        try await follow(until: .present)
        far.reconfirm(cleo)
        try await follow(until: .suspect)
        // The publisher answers for itself.
        try await follow(until: .present)
      }
      try await follow(until: .leaving)
      #expect(presences == [.present, .suspect, .present, .leaving])
      let lost = try await next(&changes, after: [.settled])
      guard case .lost(let gone) = lost else { return unexpected(lost) }
      #expect(gone.instance == cleo && gone.presence == .leaving)
    }
  }

  @Test func `a subtype is found by itself`() async throws {
    try await near.withPublishedService(named: "Plain", type: type, port: 1, interfaces: interfaces) { _ in
      try await near.withPublishedService(named: "Fine", type: type, subtypes: ["_fine"], port: 1, interfaces: interfaces) {
        _ in
        for (subtype, names) in [(nil, ["Fine", "Plain"]), ("_fine", ["Fine"]), ("_coarse", [])]
          as [(ServiceSubtype?, [String])]
        {
          try await far.withBrowser(for: type, subtype: subtype, interfaces: interfaces) { browser in
            for try await change in browser.changes where change == .settled { break }
            var snapshots = browser.snapshots.makeAsyncIterator()
            let snapshot = try await snapshots.next()
            #expect(snapshot?.services.map(\.instance) == names.map { ServiceInstance(try! InstanceName($0), type: type) })
          }
        }
      }
    }
  }

  @Test func `a browser recognises the services of its own program, and another program's does not`() async throws {
    let own = ServiceInstance("Own", type: type)
    try await near.withPublishedService(named: own.name, type: type, port: 1, interfaces: interfaces) { _ in
      for (bonjour, isOwn) in [(near, true), (far, false)] {
        let services = try await bonjour.services(of: type, interfaces: interfaces)
        #expect(services.first { $0.instance == own }?.isOwn == isOwn)
      }
    }
  }

  @Test func `other domains than local are not asked for by multicast`() async throws {
    let elsewhere = ServiceInstance("Ada", type: type, domain: "example.com")
    func expectRefusal(_ attempt: () async throws -> Void, _ location: SourceLocation = #_sourceLocation) async {
      let error = await #expect(throws: DiscoveryError.self, sourceLocation: location) { try await attempt() }
      #expect(error?.code == .invalidDomain && error?.message.contains("avahi-daemon") == true, sourceLocation: location)
    }
    await expectRefusal { _ = try await near.resolve(elsewhere, interfaces: interfaces) }
    await expectRefusal {
      try await near.withPublishedService(
        named: elsewhere.name, type: type, domain: elsewhere.domain, port: 1, interfaces: interfaces
      ) { _ in _ = Issue.record("published") }
    }
    // The dot belongs to the label.
    for domain in [elsewhere.domain, "not\\.local", "local.lan"] {
      await expectRefusal {
        try await near.withBrowser(for: type, domain: domain, interfaces: interfaces) { browser in
          for try await change in browser.changes { Issue.record("\(change)") }
        }
      }
    }
    try await near.withBrowser(for: type, domain: "here.LOCAL", interfaces: interfaces) { browser in
      for try await change in browser.changes where change == .settled { break }
    }
  }

  @Test func `of two with one name one is renamed`() async throws {
    let names: [String] = try await near.withPublishedService(named: "Bob", type: type, port: 1, interfaces: interfaces) {
      one in
      try await far.withPublishedService(named: "Bob", type: type, port: 2, interfaces: interfaces) { two in
        [await one.name.text, await two.name.text]
      }
    }
    #expect(names == ["Bob", "Bob #2"])
  }

  @Test func `an unknown name is not resolved`() async throws {
    let error = await #expect(throws: DiscoveryError.self) {
      try await near.resolve(ServiceInstance("Nobody", type: type), interfaces: interfaces, within: .milliseconds(300))
    }
    #expect(error?.code == .timedOut)
  }

  /// Over IPv4: not every machine has IPv6.
  @Test func `a test datagram comes back`() async throws {
    let loop = try EventLoop(name: "test")
    let isTest: Bool = try await withCheckedThrowingContinuation { continuation in
      loop.execute { [interface] in
        do {
          let socket = try MulticastSocket(.ipv4)
          try socket.join(interface.index)
          var isDone = false
          try socket.start(
            on: loop,
            received: { arrival in
              // Others on this machine may send too.
              guard !isDone, arrival.isTest else { return }
              isDone = true
              socket.stop()
              continuation.resume(returning: arrival.reception == .multicast)
            }, failed: { continuation.resume(throwing: $0) })
          try socket.test(on: interface.index, isLoopback: true)
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    #expect(isTest)
    await loop.shutdown()
  }

  private func unexpected(_ change: BrowseChange?) {
    Issue.record("\(String(describing: change))")
  }

  private func next(_ changes: inout BrowseChanges.Iterator, after passedOver: Set<BrowseChange>) async throws -> BrowseChange?
  {
    while let change = try await changes.next() {
      if !passedOver.contains(change) { return change }
    }
    return nil
  }
}
