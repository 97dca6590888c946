import Testing

@testable import _BonjourishDiscovery

/// Names are the keys of tables: if all had one hash, a table of thousands would be a list.
struct HashTests {
  private func areDistinct(_ values: AnyHashable...) -> Bool { Set(values.map(\.hashValue)).count == values.count }

  @Test func `names that differ hash differently`() {
    let domains: [DomainName] = ["a.local", "b.local"]
    #expect(areDistinct(domains[0], domains[1]) && areDistinct(ada, bob))
    let names: [InstanceName] = ["a", "b"]
    #expect(areDistinct(names[0], names[1]))
    let types: [ServiceType] = ["_a._tcp", "_b._tcp", "_a._udp"]
    #expect(areDistinct(types[0], types[1], types[2]))
    let subtypes: [ServiceSubtype] = ["_a", "_b"]
    #expect(areDistinct(subtypes[0], subtypes[1]))
  }

  @Test func `questions and texts that differ hash differently`() {
    let (instance, domain) = (RecordQuestion.Name.instance(ada), RecordQuestion.Name.domain("a.local"))
    #expect(
      areDistinct(
        RecordQuestion(instance, .srv), RecordQuestion(instance, .txt), RecordQuestion(.instance(bob), .srv),
        RecordQuestion(domain, .srv), RecordQuestion(.domain("b.local"), .srv)))
    let texts: [TXTRecord] = [["a": "1"], ["a": "2"], ["b": "1"]]
    #expect(areDistinct(texts[0], texts[1], texts[2]))
    #expect(areDistinct(DiscoveryError(.refused, "a"), DiscoveryError(.refused, "b"), DiscoveryError(.timedOut, "a")))
  }
}
