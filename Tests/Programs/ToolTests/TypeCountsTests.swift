import Bonjourish
import Testing

@testable import bonjourish_cli

/// How many services of each type there are.
struct TypeCountsTests {
  private static let eth0 = NetworkInterface(index: 2, name: "eth0")
  private static let http = DiscoveredServiceType("_http._tcp", interfaces: [eth0])
  private static let ipp = DiscoveredServiceType("_ipp._tcp", interfaces: [eth0])
  private static let outage = DiscoveryError(.noNetwork, "no network")

  private static func counted(_ type: DiscoveredServiceType, _ instances: Int?) -> CountedType {
    CountedType(found: type, instances: instances)
  }

  @Test func `a type is told when it has been counted, and again when its number changes`() throws {
    var counts = TypeCounts(in: .local)
    #expect(counts.search(.found(Self.http)) == [])
    counts.begin("_http._tcp")
    let (ada, bob) = (try DiscoveredService.sample("Ada"), try DiscoveredService.sample("Bob"))
    #expect(counts.count(.found(ada), of: "_http._tcp") == [])
    #expect(counts.count(.settled, of: "_http._tcp") == [.found(Self.counted(Self.http, 1))])
    #expect(counts.count(.found(bob), of: "_http._tcp") == [.updated(Self.counted(Self.http, 2))])
    #expect(counts.count(.updated(bob), of: "_http._tcp") == [])
    #expect(counts.count(.lost(ada), of: "_http._tcp") == [.updated(Self.counted(Self.http, 1))])
    let elsewhere = DiscoveredServiceType("_http._tcp", interfaces: [])
    #expect(counts.search(.updated(elsewhere)) == [.updated(Self.counted(elsewhere, 1))])
    #expect(counts.search(.lost(elsewhere)) == [.lost(Self.counted(elsewhere, 1))])
    #expect(counts.all == [])
    // Its browser ends afterwards.
    #expect(counts.end("_http._tcp") == [] && counts.all == [])
  }

  @Test func `all is settled when each type has been counted that was found`() {
    var counts = TypeCounts(in: .local)
    _ = counts.search(.found(Self.http))
    counts.begin("_http._tcp")
    #expect(counts.search(.settled) == [])
    _ = counts.search(.found(Self.ipp))
    // It is found, and its browser has not begun.
    #expect(counts.count(.settled, of: "_http._tcp") == [.found(Self.counted(Self.http, 0))])
    counts.begin("_ipp._tcp")
    #expect(counts.count(.settled, of: "_ipp._tcp") == [.found(Self.counted(Self.ipp, 0)), .settled])
    #expect(counts.all == [Self.counted(Self.http, 0), Self.counted(Self.ipp, 0)])
    // A type that comes later is counted, too, and then it is settled again.
    let ssh = DiscoveredServiceType("_ssh._tcp", interfaces: [Self.eth0])
    #expect(counts.search(.found(ssh)) == [])
    counts.begin("_ssh._tcp")
    #expect(counts.count(.settled, of: "_ssh._tcp") == [.found(Self.counted(ssh, 0)), .settled])
  }

  @Test func `a network without types is settled at once`() {
    var counts = TypeCounts(in: .local)
    #expect(counts.search(.settled) == [.settled])
  }

  @Test func `types beyond the limit, of other domains, and that cannot be browsed have no number`() throws {
    var counts = TypeCounts(in: .local, limit: 1)
    let far = DiscoveredServiceType("_http._tcp", domain: "example.org", interfaces: [Self.eth0])
    #expect(counts.search(.found(far)) == [.found(Self.counted(far, nil))])
    _ = counts.search(.found(Self.http))
    counts.begin("_http._tcp")
    _ = counts.search(.found(Self.ipp))
    _ = counts.search(.settled)
    let events = counts.count(.settled, of: "_http._tcp")
    #expect(events == [.found(Self.counted(Self.http, 0)), .found(Self.counted(Self.ipp, nil)), .settled])
    #expect(counts.end("_http._tcp") == [.updated(Self.counted(Self.http, nil))])
  }

  @Test func `what was not counted to the end is told at the end`() throws {
    var counts = TypeCounts(in: .local)
    _ = counts.search(.found(Self.http))
    counts.begin("_http._tcp")
    _ = counts.count(.found(try DiscoveredService.sample("Ada")), of: "_http._tcp")
    #expect(counts.finish() == [.found(Self.counted(Self.http, 1))])
    #expect(counts.finish() == [])
  }

  @Test func `an outage is told once, and its end when it is over for all`() {
    var counts = TypeCounts(in: .local)
    _ = counts.search(.found(Self.http))
    counts.begin("_http._tcp")
    #expect(counts.search(.interrupted(Self.outage)) == [.interrupted(Self.outage)])
    #expect(counts.count(.interrupted(Self.outage), of: "_http._tcp") == [] && counts.outage == Self.outage)
    #expect(counts.search(.restored) == [])
    #expect(counts.count(.restored, of: "_http._tcp") == [.restored] && counts.outage == nil)
    _ = counts.count(.interrupted(Self.outage), of: "_http._tcp")
    #expect(counts.search(.lost(Self.http)) == [.restored] && counts.outage == nil)
    _ = counts.count(.interrupted(Self.outage), of: "_ipp._tcp")
    #expect(counts.end("_ipp._tcp") == [.restored])
  }

  @Test func `a type that comes back before its browser has ended is counted anew`() throws {
    var counts = TypeCounts(in: .local)
    _ = counts.search(.found(Self.http))
    counts.begin("_http._tcp")
    _ = counts.count(.settled, of: "_http._tcp")
    #expect(counts.search(.lost(Self.http)) == [.lost(Self.counted(Self.http, 0))])
    #expect(counts.search(.found(Self.http)) == [])
    #expect(counts.end("_http._tcp") == [])
    counts.begin("_http._tcp")
    #expect(counts.count(.found(try DiscoveredService.sample("Ada")), of: "_http._tcp") == [])
    #expect(counts.count(.settled, of: "_http._tcp") == [.found(Self.counted(Self.http, 1))])
  }

  @Test func `a line has type, interfaces, number and title; a table has columns`() {
    #expect(Types.line(Self.counted(Self.http, 2)) == #"_http._tcp eth0 2 "Web server""#)
    let odd = DiscoveredServiceType("_a\\.b._udp", domain: "x y", interfaces: [])
    #expect(Types.line(Self.counted(odd, nil)) == #""_a\\.b._udp.x y" - -"#)
    #expect(
      Types.table([Self.counted(Self.http, 12), Self.counted(DiscoveredServiceType("_x._tcp", interfaces: []), nil)]).lines == [
        "Type        Services  What it is  On",
        "_http._tcp        12  Web server  eth0",
        "_x._tcp            -",
      ])
  }

  @Test func `domains are shown with their purposes in words`() {
    let domain = DiscoveredDomain("example.org", purposes: [.publishing, .browsing, .defaultBrowsing], interfaces: [Self.eth0])
    #expect(Domains.line(domain) == "example.org b,db,r eth0")
    #expect(
      Domains.table([domain]).lines == [
        "Domain       Recommended for                            On",
        "example.org  browsing, browsing by default, publishing  eth0",
      ])
  }
}
