import Testing
import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor

/// What tells of a reflector.
@Suite struct ReflectorFindingsTests {
  private func seen(_ change: (inout DoctorFacts) -> Void) -> String? {
    var facts = DoctorFacts.healthy()
    change(&facts)
    return facts.report.findings.first { $0.identifier == .reflector }?.seen
  }

  @Test func `who asks what only this machine has asked, and elsewhere, is a reflector`() {
    let change = { (facts: inout DoctorFacts) in
      facts.links[0].repeaters = [DoctorFacts.neighbour]
      facts.links[1].repeaters = [DoctorFacts.neighbour6]
    }
    #expect(findings(change) == ["information reflector"])
    #expect(seen(change)?.hasPrefix("a reflector repeats messages here: 10.0.0.2 and fe80::2 asked on eth0 ") == true)
  }

  @Test func `who tells addresses of other networks is one, as it seems`() throws {
    let names = [try DNSName("printer.local"), try DNSName("tv.local")]
    let one = { (facts: inout DoctorFacts) in facts.links[0].carriers = [DoctorFacts.neighbour: [names[0]]] }
    #expect(findings(one) == ["information reflector"])
    #expect(seen(one)?.contains("10.0.0.2 tells on eth0 the addresses of a host in other networks, printer.local") == true)
    let two = { (facts: inout DoctorFacts) in
      facts.links[0].carriers = [DoctorFacts.neighbour: [names[0]], .ipv4(0x0A00_0003): Set(names)]
    }
    #expect(seen(two)?.contains("10.0.0.2 and 10.0.0.3 tell on eth0 the addresses of 2 hosts in other networks") == true)
  }

  @Test func `a network without one has none`() {
    #expect(seen { _ in } == nil)
  }
}
