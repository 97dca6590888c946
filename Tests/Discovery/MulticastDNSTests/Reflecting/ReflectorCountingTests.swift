import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What a reflector counts.
@Suite struct ReflectorCountingTests {
  private let printer = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")
  private let web = ReflectedService("Pages", "_http._tcp.local", on: "server.local")

  @Test func `each question, record and datagram is counted once`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    links.ask([DNSQuestion(printer.instance, .srv)], on: 2, port: 40_000, id: 1)
    links.say([printer.location, web.pointer], on: 1)
    links.say([printer.location.goodbye], on: 1)
    var response = DNSMessage(isResponse: true)
    response.answers = [printer.pointer]
    links.say(response, on: 1, port: 40_000)
    links.send([1, 2, 3], on: 1, from: ReflectedLinks.address(ofHost: 9, on: 1))
    links.run(for: .milliseconds(10))

    var expected = ReflectionCounters()
    var passage = ReflectionCounters.Passage()
    (passage.questions, passage.records, passage.goodbyes, passage.unicastRecords) = (1, 1, 1, 1)
    passage.kept = [.type: 1]
    expected.passages = [.init(from: 1, to: 2): passage, .init(from: 2, to: 1): ReflectionCounters.Passage()]
    (expected.queriesHeard, expected.responsesHeard, expected.ignored, expected.malformed) = (1, 2, 1, 1)
    // A question on one link; a record, the same for the resolver alone, and a goodbye on the other.
    for (link, count) in [(1, 1), (2, 3)] as [(UInt32, Int)] {
      let sent = links.datagrams.filter { $0.source == ReflectedLinks.address(of: 0, on: link) }
      var counted = ReflectionCounters.Sent()
      (counted.datagrams, counted.bytes) = (count, sent.reduce(0) { $0 + $1.bytes.count })
      #expect(sent.count == count)
      expected.sent[link] = counted
    }
    // What went to the groups came back.
    expected.own = 3
    #expect(links.reflectors[0].counters == expected)
  }
}
