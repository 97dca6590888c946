import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// For how long a reflector remembers what leads to an instance or a host.
@Suite struct PassageTests {
  private let web = ReflectedService("Pages", "_http._tcp.local", on: "server.local")
  private let subtype: DNSName = "_printer._sub._http._tcp.local"

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func passage(_ filter: ReflectionFilter, _ records: DNSRecord...) -> Passage {
    var passage = Passage(filter, keepsLinkLocal: false)
    passage.learn(records, at: at(0))
    return passage
  }

  private func location(to host: DNSName, timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord(web.instance, .srv(DNSService(target: host, port: 80)), timeToLive: timeToLive)
  }

  /// Checks that a question crosses until a time, in milliseconds, and is kept by a rule from then on.
  private func expect(
    _ passage: Passage, lets question: DNSQuestion, until end: Int64, then rule: ReflectionRule,
    _ place: SourceLocation = #_sourceLocation
  ) {
    if end > 0 { #expect(passage.rule(asking: question, at: at(end - 1)) == nil, sourceLocation: place) }
    #expect(passage.rule(asking: question, at: at(end)) == rule, sourceLocation: place)
  }

  @Test(arguments: [(0, 0), (1, 1_000), (100, 100_000), (.max, 86_400_000)] as [(UInt32, Int64)])
  func `a pointer of a subtype leads to its instance as long as it lives, and for a day at most`(
    _ timeToLive: UInt32, _ end: Int64
  ) {
    let pointer = DNSRecord(subtype, .ptr(web.instance), timeToLive: timeToLive)
    expect(passage(ReflectionFilter(subtype), pointer), lets: DNSQuestion(web.instance, .srv), until: end, then: .type)
  }

  @Test func `a pointer of the type leads to nothing where only a subtype crosses`() {
    let pointer = DNSRecord(web.type, .ptr(web.instance), timeToLive: 100)
    expect(passage(ReflectionFilter(subtype), pointer), lets: DNSQuestion(web.instance, .srv), until: 0, then: .type)
  }

  @Test(arguments: [(0, 0), (1, 1_000), (120, 120_000), (.max, 86_400_000)] as [(UInt32, Int64)])
  func `a service leads to its host as long as it lives`(_ timeToLive: UInt32, _ end: Int64) {
    let passage = passage(ReflectionFilter(web.type), location(to: "server.local", timeToLive: timeToLive))
    expect(passage, lets: DNSQuestion("server.local", .a), until: end, then: .host)
    expect(passage, lets: DNSQuestion("other.local", .a), until: 0, then: .host)
  }

  @Test func `an alias that crosses leads to its host, and another does not`() {
    let alias = DNSRecord("www.local", .cname("server.local"), timeToLive: 1)
    let filter = ReflectionFilter(web.type)
    expect(
      passage(filter, location(to: "www.local"), alias), lets: DNSQuestion("server.local", .a), until: 1_000, then: .host)
    expect(passage(filter, alias), lets: DNSQuestion("server.local", .a), until: 0, then: .host)
    let goodbye = DNSRecord("www.local", alias.data, timeToLive: 0)
    expect(passage(filter, location(to: "www.local"), goodbye), lets: DNSQuestion("server.local", .a), until: 0, then: .host)
  }

  @Test func `a service on a host that is denied is kept back until it says that it is on another`() {
    var passage = passage(ReflectionFilter(denials: [.host(NameGlob("lab")!)]), location(to: "lab.local"))
    let question = DNSQuestion(web.instance, .txt)
    #expect(passage.rule(asking: question, at: at(119_999)) == .host && passage.rule(asking: question, at: at(120_000)) == nil)
    #expect(passage.rule(for: web.text, at: at(119_999)) == .host && passage.rule(for: web.text, at: at(120_000)) == nil)
    passage.learn([location(to: "server.local")], at: at(1))
    #expect(passage.rule(asking: question, at: at(1)) == nil)
  }
}
