import TestSupport
import Testing

@testable import _BonjourishDiscovery

/// Instances that were resolved and whose records then expire, because the service has crashed.
@Suite("Absence") struct AbsenceTests {
  typealias Effect = ResolverState.Effect

  private let start = ContinuousClock.now
  private let host: DomainName = "ada.local"
  private var resolver = ResolverState()

  private var srv: RecordQuestion { RecordQuestion(.instance(ada), .srv) }
  private var txt: RecordQuestion { RecordQuestion(.instance(ada), .txt) }
  private var a: RecordQuestion { RecordQuestion(.domain(host), .a) }
  private var aaaa: RecordQuestion { RecordQuestion(.domain(host), .aaaa) }
  private var server: ResourceRecord { ResourceRecord(.server(host: host, port: 42, priority: 0, weight: 0), on: eth0v4) }
  private let address = ResourceRecord(.address(v4(10, 0, 0, 1)), on: eth0v4)
  private var endpoint: Endpoint { Endpoint(host: host, port: 42, txt: [:], addresses: [v4(10, 0, 0, 1)]) }

  private mutating func handle(_ events: LookupEvent..., to question: RecordQuestion, at time: Duration) -> [Effect] {
    events.flatMap { resolver.handle($0, to: question, at: start + time) }
  }

  private mutating func advance(to time: Duration) -> [Effect] { resolver.advance(to: start + time) }

  private mutating func resolve(at time: Duration = .zero) {
    _ = resolver.want(ada, at: start + time)
    _ = handle(.added(server), .settled, to: srv, at: time)
    _ = handle(.added(ResourceRecord(.text([:]), on: eth0v4)), .settled, to: txt, at: time)
    _ = handle(.added(address), .settled, to: a, at: time)
    _ = handle(.settled, to: aaaa, at: time)
    #expect(resolver.endpoint(of: ada) == endpoint)
  }

  @Test mutating func `an instance without its server record is suspected and lost`() {
    resolve()
    #expect(handle(.removed(server), to: srv, at: .seconds(120)) == [.suspected(ada)])
    #expect(handle(.removed(address), to: a, at: .seconds(121)) == [], "suspected already")
    #expect(resolver.nextDeadline == start + .seconds(125))
    #expect(advance(to: .seconds(124.9)) == [])
    #expect(advance(to: .seconds(125)) == [.lost(ada)])
    #expect(resolver.nextDeadline == nil)
    #expect(resolver.endpoint(of: ada) == endpoint, "the last known one")
  }

  @Test mutating func `an instance whose host has no addresses is suspected and lost`() {
    resolve()
    let second = ResourceRecord(.address(v6(1)), on: eth0v4)
    _ = handle(.added(second), to: aaaa, at: .seconds(1))
    #expect(handle(.removed(address), to: a, at: .seconds(120)) == [.resolved(ada, resolver.endpoint(of: ada))])
    #expect(resolver.endpoint(of: ada)?.addresses == [v6(1)])
    #expect(handle(.removed(second), to: aaaa, at: .seconds(121)) == [.suspected(ada)])
    #expect(advance(to: .seconds(126)) == [.lost(ada)])
  }

  @Test mutating func `an instance whose records come back is resolved again`() {
    resolve()
    for (removal, comesLate) in [(120, false), (200, true)] {
      _ = handle(.removed(server), to: srv, at: .seconds(removal))
      if comesLate { #expect(advance(to: .seconds(removal + 5)) == [.lost(ada)]) }
      #expect(handle(.added(server), to: srv, at: .seconds(removal + 6)) == [.resolved(ada, endpoint)])
      #expect(resolver.nextDeadline == nil)
    }
  }

  @Test mutating func `an instance that moves to another host is suspected only when that host is silent`() {
    resolve()
    let bob: DomainName = "bob.local"
    let moved = ResourceRecord(.server(host: bob, port: 42, priority: 0, weight: 0), on: eth0v4)
    let addresses = [RecordType.a, .aaaa].map { RecordQuestion(.domain(bob), $0) }
    _ = handle(.added(moved), to: srv, at: .seconds(1))
    #expect(handle(.removed(server), to: srv, at: .seconds(2)) == [])
    #expect(handle(.settled, to: addresses[0], at: .seconds(3)) == [])
    #expect(handle(.settled, to: addresses[1], at: .seconds(3)) == [.suspected(ada)])
    #expect(
      handle(.added(address), to: addresses[0], at: .seconds(4))
        == [.resolved(ada, Endpoint(host: bob, port: 42, txt: [:], addresses: endpoint.addresses))])
  }

  @Test mutating func `an interruption is no absence`() {
    resolve()
    _ = handle(.removed(server), to: srv, at: .seconds(120))
    #expect(handle(.interrupted(daemonIsGone), .restarted, to: srv, at: .seconds(121)) == [])
    #expect(advance(to: .seconds(125)) == [], "the engine is still asking")
    #expect(handle(.settled, to: srv, at: .seconds(126)) == [.suspected(ada)])
    #expect(advance(to: .seconds(131)) == [.lost(ada)])
  }

  @Test mutating func `a question that fails is no absence`() {
    resolve()
    #expect(handle(.failed(noRoom), to: a, at: .seconds(1)) == [])
    #expect(handle(.removed(address), to: a, at: .seconds(120)) == [])
    #expect(handle(.failed(noRoom), to: srv, at: .seconds(121)) == [])
    #expect(handle(.removed(server), to: srv, at: .seconds(122)) == [])
    #expect(resolver.nextDeadline == nil)
  }

  @Test mutating func `an instance that is refreshed in rotation is suspected when its timeout ends`() {
    var limits = ResolverState.Limits()
    limits.kept = 0
    resolver = ResolverState(limits: limits)
    resolve()
    #expect(advance(to: .seconds(2)) == [.ask(srv), .ask(txt)])
    #expect(handle(.settled, to: srv, at: .seconds(3)) == [], "one question may be lost")
    #expect(advance(to: .seconds(7)) == [.endAsking(srv), .endAsking(txt), .suspected(ada)])
    #expect(advance(to: .seconds(12)).contains(.lost(ada)))
    resolver = ResolverState(limits: limits)
    resolve(at: .seconds(20))
    _ = advance(to: .seconds(22))
    _ = handle(.settled, to: srv, at: .seconds(23))
    _ = advance(to: .seconds(27))
    _ = advance(to: .seconds(29))
    for question in [srv, txt, a, aaaa] { _ = handle(.cacheExhausted, to: question, at: .seconds(29)) }
    #expect(handle(.added(server), to: srv, at: .seconds(29)) == [.ask(a), .ask(aaaa)])
    _ = handle(.added(ResourceRecord(.text([:]), on: eth0v4)), to: txt, at: .seconds(29))
    _ = handle(.settled, to: aaaa, at: .seconds(29))
    #expect(handle(.added(address), .settled, to: a, at: .seconds(29)).contains(.resolved(ada, endpoint)))
  }

  @Test mutating func `a suspected instance that is forgotten is not lost`() {
    resolve()
    _ = handle(.removed(server), to: srv, at: .seconds(120))
    _ = resolver.forget(ada, at: start + .seconds(121))
    #expect(resolver.nextDeadline == nil && advance(to: .seconds(125)) == [])
  }

  @Test func `an instance that nobody answers for is suspect`() {
    let suspect = DiscoveredService(instance: ada, interfaces: [eth0], presence: .suspect)
    var browser = BrowserState(tellsDoubts: true)
    #expect(browser.setUnanswered(ada, true) == [], "not known")
    _ = browser.handle(.appeared(ada, eth0v4), at: start)
    #expect(browser.setUnanswered(ada, true) == [.updated(suspect)])
    #expect(browser.handle(.doubted(ada, eth0v4, .suspect), at: start) == [])
    #expect(browser.handle(.doubted(ada, eth0v4, .present), at: start) == [], "the pointer is there, but not the service")
    #expect(browser.service(ada) == suspect)
    #expect(browser.setUnanswered(ada, false) == [.updated(seen(ada, on: eth0))])
    var silent = BrowserState()
    _ = silent.handle(.appeared(ada, eth0v4), at: start)
    #expect(silent.setUnanswered(ada, true) == [])
  }
}
