import Testing

@testable import _BonjourishDiscovery

/// Pointers (PTR records) to what is no instance and no type, with which browsers of others were ended.
struct HostilePointerTests {
  private let query = BrowseQuery(game, domain: .local)
  private let start = ContinuousClock.now

  /// Of hosts, types, other domains, reverse mapping, and the name that was asked for; and names that no instance can have.
  static let targets: [DomainName] = [
    "ada.local", "local", "_twentyfour._tcp.local", "_services._dns-sd._udp.local", "_x._sub._twentyfour._tcp.local",
    "Q._woot._tcp.local", "Q._twentyfour._udp.local", "Q._twentyfour._tcp.example.org", "Q._twentyfour._tcp",
    "bogus.service.local", "255.20.254.169.in-addr.arpa", "0.1.9.1.8.8.e.f.ip6.arpa", "Q._twentyfour._sctp.local",
    "Q.twentyfour._tcp.local", "Q.R._twentyfour._tcp.local", #"Q\._twentyfour._tcp.local"#,
  ]

  private func pointer(_ target: DomainName, from name: DomainName = "_twentyfour._tcp.local") -> ResourceRecord {
    ResourceRecord(name: name, type: .ptr, bytes: target.wire, on: eth0v4)
  }

  /// Avahi's browsers ended with an assertion: avahi/avahi#679 (an instance of another type), avahi/avahi#212 (no type at all).
  @Test(arguments: targets)
  func `a pointer to another type, domain or host, or to itself, is no service (avahi/avahi#679)`(target: DomainName) {
    var state = BrowserState(tellsDoubts: true)
    let record = pointer(target)
    for event in [LookupEvent.added(record), .doubted(record, .suspect), .doubted(record, .present), .removed(record)] {
      #expect(query.event(event) == nil)
    }
    // Beside it, the true one is found, and lost, once.
    let real = pointer("Ada's game._twentyfour._tcp.local")
    let events = [LookupEvent.added(record), .added(real), .added(record), .removed(record), .removed(real), .removed(real)]
    let changes = events.compactMap { query.event($0) }.flatMap { state.handle($0, at: start) }
    #expect(changes == [.found(seen(ada, on: eth0)), .lost(seen(ada, on: eth0))])
  }

  /// avahi/avahi#581: `_services._dns-sd._udp.local` that points to itself was browsed as a type.
  @Test(arguments: targets.filter { $0.labels.count != 3 || !$0.text.hasPrefix("_") })
  func `a pointer to what is no type is none (avahi/avahi#581)`(target: DomainName) {
    let question = RecordQuestion(.domain("_services._dns-sd._udp.local"), .ptr)
    var types = LookupState([question], .types)
    let record = pointer(target, from: "_services._dns-sd._udp.local")
    for event in [LookupEvent.added(record), .doubted(record, .leaving), .removed(record)] {
      let changes = types.handle(event, to: question, at: start)
      #expect(changes == [])
    }
    let real = DiscoveredServiceType(game, interfaces: [eth0])
    let type = pointer("_twentyfour._tcp.local", from: "_services._dns-sd._udp.local")
    let changes = types.handle(.added(type), to: question, at: start)
    #expect(changes == [.found(real)])
  }

  @Test func `in a domain other than local, an instance may be in a further one, and is told in the case of the query`() {
    let query = BrowseQuery(game, domain: "office.example")
    func event(_ target: DomainName) -> BrowseEvent? { query.event(.added(pointer(target))) }
    guard case .appeared(let here, eth0v4)? = event("Ada's game._TwentyFour._tcp.Office.Example"),
      case .appeared(let there, eth0v4)? = event("Ada's game._twentyfour._tcp.example.org")
    else {
      Issue.record("nothing appeared")
      return
    }
    #expect(here.domain.text == "office.example" && here.type.name == "twentyfour")
    #expect(there == ServiceInstance(ada.name, type: game, domain: "example.org"))
  }
}
