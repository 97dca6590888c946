import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Many services on both links.
@Suite struct ReflectorLoadTests {
  @Test func `a thousand services are found from both sides`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    let seekers = [ReflectedHost(3, on: 1, of: links), ReflectedHost(3, on: 2, of: links)]
    for seeker in seekers { seeker.ask("_ipp._tcp.local", .ptr) }
    for (link, number) in [(UInt32(1), UInt32(10)), (2, 10), (1, 11), (2, 11), (1, 12)] {
      let host = ReflectedHost(number, on: link, of: links, named: DNSName(literal: "host-\(link)-\(number).local"))
      for id in 0..<200 {
        host.publish(
          UInt64(id), ReflectedService("Printer \(id) on \(link)-\(number)", "_ipp._tcp.local", on: "unused.local").published)
      }
    }
    links.run(for: .seconds(20))
    for seeker in seekers { #expect(seeker.known().count == 1000) }
    let counters = links.reflectors[0].counters
    #expect(counters.passages.values.allSatisfy { $0.kept[.budget] == nil })
  }
}
