import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastBackend
@testable import _BonjourishMulticastDNS

/// Two engines on one link, and a resolving browser on one of them. The other host vanishes without a goodbye.
@Suite struct CrashTests {
  @Test func `a crashed service is suspect when its records expire and lost seconds later`() throws {
    let network = BrowsedNetwork()
    network.run(until: .seconds(5))
    #expect(network.presence == .present && network.endpoint?.port == 4242)
    // All that lives is asked for again in time.
    network.run(until: .seconds(1000))
    #expect(network.changes.count == 1 && network.presence == .present)

    network.isServiceUp = false
    network.run(until: .seconds(1130))
    let times = network.changes.map(\.time)
    let names = network.changes.map(\.name)
    #expect(names == ["found", "suspect", "lost"])
    let suspected = try #require(names.firstIndex(of: "suspect").map { times[$0] })
    // Its SRV record was sent again at most 120 s before.
    #expect(suspected <= .seconds(1121))
    #expect(times.last == suspected + .seconds(5))
    // And the engine itself forgets the pointer, which would live for 75 minutes.
    network.run(until: suspected + .seconds(11))
    #expect(network.pointers == 0)
  }

  @Test func `a service that comes back in time is not lost`() {
    let network = BrowsedNetwork()
    network.run(until: .seconds(1000))
    network.isServiceUp = false
    network.run(until: .seconds(1130), orUntil: { network.changes.last?.name == "suspect" })
    network.isServiceUp = true
    network.run(until: network.now + .seconds(60))
    #expect(network.changes.map(\.name) == ["found", "suspect", "present"])
  }
}

private final class BrowsedNetwork {
  private static let type: ServiceType = "_x._tcp"
  private static let link = MulticastLink(interface: 1, family: .ipv4)
  private static let seen = Link(NetworkInterface(index: 1, name: "lan"), .ipv4)
  private static let browsing = MulticastEngine.QueryID(1)

  private(set) var now: Duration = .zero
  private let start = ContinuousClock.now
  private var service = MulticastEngine(seed: 1)
  private var watcher = MulticastEngine(seed: 2)
  var isServiceUp = true

  private let query = BrowseQuery(BrowsedNetwork.type, domain: .local)
  private var browser = BrowserState(tellsDoubts: true)
  private var resolver = ResolverState()
  private var questions: [MulticastEngine.QueryID: RecordQuestion] = [:]
  private var nextID: UInt64 = 1
  private var events: [MulticastEngine.Event] = []

  private(set) var changes: [(time: Duration, name: String)] = []
  private(set) var presence: DiscoveredService.Presence?
  private(set) var endpoint: Endpoint?
  private(set) var pointers = 0

  init() {
    let registration = Registration("Ada", type: Self.type, domain: .local, port: 4242, txt: [:])
    for event in [
      .linkUp(Self.link, addresses: [InterfaceAddress(.ipv4(0x0A00_0001), prefixLength: 24)]),
      .setHostName(try! DNSName("ada.local")), .publish(.init(1), try! registration.records()),
    ] as [MulticastEngine.Event] {
      tellService(event)
    }
    tellWatcher(.linkUp(Self.link, addresses: [InterfaceAddress(.ipv4(0x0A00_0002), prefixLength: 24)]))
    tellWatcher(.ask(Self.browsing, try! query.question().dnsName(), .ptr))
  }

  func run(until end: Duration, orUntil isDone: () -> Bool = { false }) {
    while !isDone() {
      let deadlines = [
        isServiceUp ? service.nextDeadline : nil, watcher.nextDeadline, resolver.nextDeadline.map { $0 - start },
      ]
      guard let next = deadlines.compactMap(\.self).min(), next <= end else { break }
      now = max(now, next)
      if isServiceUp { tellService(.timePassed) }
      tellWatcher(.timePassed)
      carryOut(resolver.advance(to: start + now))
    }
    if !isDone() { now = end }
  }

  private func tellService(_ event: MulticastEngine.Event) {
    guard isServiceUp else { return }
    for case .send(let bytes, _, .multicast) in service.handle(event, at: now) {
      tellWatcher(.received(bytes, from: MulticastSource(.ipv4(0x0A00_0001), port: 5353, link: Self.link), to: .multicast))
    }
  }

  /// Hands events to the watching engine one after the other, those that its effects bring about too.
  private func tellWatcher(_ event: MulticastEngine.Event) {
    events.append(event)
    guard events.count == 1 else { return }
    while let next = events.first {
      for effect in watcher.handle(next, at: now) { take(effect) }
      events.removeFirst()
    }
  }

  private func take(_ effect: MulticastEngine.Effect) {
    switch effect {
    case .send(let bytes, _, _):
      tellService(.received(bytes, from: MulticastSource(.ipv4(0x0A00_0002), port: 5353, link: Self.link), to: .multicast))
    case .answer(let id, let change):
      guard let record = ResourceRecord(change.record, on: Self.seen) else { return }
      let event = change.event(record)
      guard id == Self.browsing else { return tellResolver(event, of: id) }
      switch event {
      case .added: pointers += 1
      case .removed: pointers -= 1
      default: break
      }
      if let event = query.event(event) { carryOut(browser.handle(event, at: start + now)) }
    case .cacheExhausted(let id): tellResolver(.cacheExhausted, of: id)
    case .settled(let id): tellResolver(.settled, of: id)
    case .registration, .hostName: break
    }
  }

  private func tellResolver(_ event: LookupEvent, of id: MulticastEngine.QueryID) {
    if let question = questions[id] { carryOut(resolver.handle(event, to: question, at: start + now)) }
  }

  private func carryOut(_ changes: [BrowseChange]) {
    for change in changes {
      switch change {
      case .found(let service):
        carryOut(resolver.want(service.instance, at: start + now))
      case .updated(let service):
        if presence != nil, presence != service.presence { note("\(service.presence)", service.presence) }
      case .lost(let service):
        carryOut(resolver.forget(service.instance, at: start + now))
      case .settled, .interrupted, .restored: break
      }
    }
  }

  private func carryOut(_ effects: [ResolverState.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let question):
        nextID += 1
        questions[.init(nextID)] = question
        tellWatcher(.ask(.init(nextID), try! question.dnsName(), question.dnsType))
      case .endAsking(let question):
        guard let id = questions.first(where: { $0.value == question })?.key else { continue }
        questions[id] = nil
        tellWatcher(.endAsking(id))
      case .resolved(let instance, let endpoint):
        self.endpoint = endpoint
        if presence == nil { note("found", .present) }
        carryOut(browser.setUnanswered(instance, false))
      case .suspected(let instance):
        carryOut(browser.setUnanswered(instance, true))
        tellWatcher(.reconfirm(try! query.question().dnsName(), .ptr, .ptr(try! instance.dnsName())))
      case .lost:
        note("lost", nil)
      }
    }
  }

  private func note(_ name: String, _ presence: DiscoveredService.Presence?) {
    changes.append((now, name))
    self.presence = presence
  }
}
