import TestSupport
import Testing

@testable import _BonjourishDiscovery

struct LookupStateTests {
  private let start = ContinuousClock.now
  private let question = RecordQuestion(.domain("_services._dns-sd._udp.local"), .ptr)
  private var types: LookupState<DiscoveredServiceType>

  init() {
    types = LookupState([question], .types)
  }

  private func pointer(_ target: DomainName, on link: Link = eth0v4) -> ResourceRecord {
    ResourceRecord(.pointer(target), on: link)
  }

  private func found(_ type: ServiceType, _ interfaces: NetworkInterface...) -> DiscoveredServiceType {
    DiscoveredServiceType(type, interfaces: interfaces)
  }

  private mutating func handle(_ event: LookupEvent, at time: Duration = .zero) -> [DiscoveryChange<DiscoveredServiceType>] {
    types.handle(event, to: question, at: start + time)
  }

  private mutating func advance(to time: Duration) -> [DiscoveryChange<DiscoveredServiceType>] {
    types.advance(to: start + time)
  }

  @Test mutating func `records of several links are one element`() {
    #expect(handle(.added(pointer("_http._tcp.local"))) == [.found(found("_http._tcp", eth0))])
    #expect(handle(.added(pointer("_HTTP._tcp.LOCAL"))) == [], "case does not matter")
    #expect(handle(.added(pointer("_http._tcp.local", on: eth0v6))) == [], "the same interface")
    #expect(handle(.added(pointer("_http._tcp.local", on: wlan0v4))) == [.updated(found("_http._tcp", eth0, wlan0))])
    #expect(handle(.removed(pointer("_http._tcp.local", on: eth0v6))) == [])
    #expect(handle(.removed(pointer("_http._tcp.local"))) == [.updated(found("_http._tcp", wlan0))])
    #expect(handle(.removed(pointer("_http._tcp.local"))) == [], "it is gone there already")
    #expect(handle(.removed(pointer("_http._tcp.local", on: wlan0v4))) == [.lost(found("_http._tcp", wlan0))])
  }

  @Test(arguments: ["_http.local", "http._tcp.local", "_http._sctp.local", "_http._tcp", "x._http._tcp.local", "_._tcp.local"])
  mutating func `what is no type is passed over`(_ target: String) throws {
    #expect(handle(.added(pointer(try DomainName(target)))) == [])
  }

  @Test mutating func `types that break RFC 6335 are found`() throws {
    for text in ["_nvstream_dbd._tcp", "_androidtvremote2._tcp", #"_a\.b._udp"#] {
      let type = try ServiceType(text)
      #expect(handle(.added(pointer(try DomainName("\(type.dnsText).local")))) == [.found(found(type, eth0))])
    }
  }

  @Test mutating func `what does not come back after an interruption is lost in time`() {
    _ = handle(.added(pointer("_http._tcp.local")))
    _ = handle(.added(pointer("_ipp._tcp.local")))
    #expect(handle(.settled) == [.settled])
    #expect(handle(.interrupted(daemonIsGone)) == [.interrupted(daemonIsGone)])
    #expect(handle(.interrupted(noRoom)) == [], "it is known")
    #expect(handle(.settled) == [])
    #expect(handle(.restarted, at: .seconds(4)) == [.restored])
    #expect(handle(.added(pointer("_http._tcp.local")), at: .seconds(4)) == [])
    #expect(handle(.settled, at: .seconds(5)) == [], "not all is seen again")
    #expect(types.nextDeadline == start + .seconds(9))
    #expect(advance(to: .seconds(8)) == [])
    #expect(advance(to: .seconds(9)) == [.lost(found("_ipp._tcp", eth0)), .settled])
    #expect(types.nextDeadline == nil)
  }

  @Test mutating func `it settles at once when all has come back`() {
    _ = handle(.added(pointer("_http._tcp.local")))
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restarted)
    #expect(handle(.removed(pointer("_http._tcp.local"))) == [], "the former engine's goodbye")
    #expect(handle(.settled) == [])
    #expect(handle(.added(pointer("_http._tcp.local"))) == [.settled])
    #expect(types.nextDeadline == nil)
    #expect(handle(.removed(pointer("_http._tcp.local"))) == [.lost(found("_http._tcp", eth0))])
  }

  @Test mutating func `an engine that stays away loses all after five seconds`() {
    for target in ["_c._tcp.local", "_a._tcp.local", "_b._tcp.local"] as [DomainName] { _ = handle(.added(pointer(target))) }
    _ = handle(.interrupted(daemonIsGone))
    #expect(
      advance(to: .seconds(5)) == [.lost(found("_a._tcp", eth0)), .lost(found("_b._tcp", eth0)), .lost(found("_c._tcp", eth0))])
    #expect(advance(to: .seconds(50)) == [])
  }

  @Test func `it is settled and restored when all of its questions are`() throws {
    let now = start
    var questions: [RecordQuestion] = []
    for purpose in DiscoveredDomain.Purpose.allCases {
      questions.append(RecordQuestion(.domain(try purpose.name(in: .local)), .ptr))
    }
    var domains = LookupState(questions, .domains)
    for question in questions.dropLast() { #expect(domains.handle(.settled, to: question, at: now) == []) }
    #expect(domains.handle(.settled, to: questions[4], at: now) == [.settled])
    func record(_ purpose: DiscoveredDomain.Purpose) throws -> ResourceRecord {
      ResourceRecord(.pointer("example.org"), name: try purpose.name(in: .local), on: eth0v4)
    }
    func domain(_ purposes: Set<DiscoveredDomain.Purpose>) -> DiscoveredDomain {
      DiscoveredDomain("example.org", purposes: purposes, interfaces: [eth0])
    }
    #expect(domains.handle(.added(try record(.browsing)), to: questions[0], at: now) == [.found(domain([.browsing]))])
    #expect(
      domains.handle(.added(try record(.automaticBrowsing)), to: questions[2], at: now)
        == [.updated(domain([.browsing, .automaticBrowsing]))])
    #expect(
      domains.handle(.removed(try record(.browsing)), to: questions[0], at: now) == [.updated(domain([.automaticBrowsing]))])
    #expect(domains.handle(.interrupted(noRoom), to: questions[2], at: now) == [.interrupted(noRoom)])
    #expect(domains.handle(.interrupted(noRoom), to: questions[0], at: now) == [])
    #expect(domains.handle(.restarted, to: questions[2], at: now) == [])
    #expect(domains.handle(.restarted, to: questions[0], at: now) == [.restored])
    #expect(domains.handle(.settled, to: questions[0], at: now) == [])
    #expect(domains.handle(.settled, to: questions[2], at: now) == [], "what was known is not seen again")
    #expect(domains.advance(to: now + .seconds(5)) == [.lost(domain([.automaticBrowsing])), .settled])
  }

  @Test func `a record is one on each link, and its lifetime is no part of its identity`() {
    let question = RecordQuestion(.domain("x.local"), .hinfo)
    var records = LookupState([question], .records)
    func record(_ link: Link, seconds: Int) -> ResourceRecord {
      ResourceRecord(
        name: "x.local", type: .hinfo, bytes: [1, 65, 1, 66], timeToLive: .seconds(seconds), isUnique: true,
        on: link)
    }
    let short = record(eth0v4, seconds: 120)
    #expect(records.handle(.added(short), to: question, at: start) == [.found(short)])
    #expect(records.handle(.added(record(eth0v6, seconds: 120)), to: question, at: start).count == 1)
    #expect(
      records.handle(.added(record(eth0v4, seconds: 60)), to: question, at: start) == [.updated(record(eth0v4, seconds: 60))])
    #expect(records.handle(.removed(short), to: question, at: start) == [.lost(record(eth0v4, seconds: 60))])
  }

  /// 20,000 records take 20 times as long as 1,000, and not 400 times.
  @Test func `the time for a record does not grow with the number of records`() {
    func time(for count: Int) -> Duration {
      let question = RecordQuestion(.domain("_http._tcp.local"), .ptr)
      let all = (0..<count).map {
        ResourceRecord(
          name: "_http._tcp.local", type: .ptr, bytes: [6] + Array(String(100_000 + $0).utf8) + [0], on: Link(eth0, .ipv4))
      }
      return ContinuousClock().measure {
        var records = LookupState([question], .records)
        for record in all { _ = records.handle(.added(record), to: question, at: start) }
        _ = records.handle(.interrupted(daemonIsGone), to: question, at: start)
        _ = records.handle(.restarted, to: question, at: start)
        _ = records.handle(.settled, to: question, at: start)
        for record in all { _ = records.handle(.added(record), to: question, at: start) }
        for record in all { _ = records.handle(.removed(record), to: question, at: start) }
      }
    }
    let small = (0..<3).map { _ in time(for: 1_000) }.min()!
    let large = time(for: 20_000)
    #expect(large < small * 120, "\(small) for 1,000, \(large) for 20,000")
  }
}
