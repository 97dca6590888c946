import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Which questions are asked on the other link, and when.
@Suite struct ReflectorQuestionTests {
  private let type: DNSName = "_ipp._tcp.local"
  private let printer = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")
  private let near = ReflectedService("Near", "_ipp._tcp.local", on: "near.local")

  private func links() -> ReflectedLinks {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    return links
  }

  // RFC 6762 §5.4, §6.7, §7.3
  @Test(arguments: [true, false])
  func `a question whose answers go to its asker alone is asked for others too`(isLegacy: Bool) {
    let links = links()
    links.ask([DNSQuestion(type, .ptr, wantsUnicast: !isLegacy)], on: 1, port: isLegacy ? 40_000 : 5353)
    links.run(for: .milliseconds(100))
    links.ask([DNSQuestion(type, .ptr)], on: 2, from: 5)
    #expect(links.questions(on: 1).isEmpty, "it may be an echo")
    links.run(for: .milliseconds(200))
    links.ask([DNSQuestion(type, .ptr)], on: 2, from: 5)
    #expect(links.questions(on: 1) == [DNSQuestion(type, .ptr)])
    // The group has been asked now.
    links.run(for: .milliseconds(300))
    links.ask([DNSQuestion(type, .ptr)], on: 2, from: 6)
    #expect(links.questions(on: 1).count == 1)
  }

  @Test func `a question is asked once for all times that a query has it, and a query asks for a limited number`() {
    let links = links()
    links.ask((0..<1000).map { DNSQuestion(type, .ptr, wantsUnicast: $0 != 500) }, on: 2)
    #expect(links.questions(on: 1) == [DNSQuestion(type, .ptr)])
    links.clear()
    links.ask((0..<300).map { DNSQuestion(DNSName(literal: "host-\($0).local"), .a) }, on: 2)
    #expect(links.questions(on: 1).count == 64)
  }

  // RFC 6762 §8.2: mDNSResponder sends probes and other questions in one datagram.
  @Test func `a question beside a probe is asked with its known answers`() {
    let links = links()
    links.say(printer.records, on: 1)
    links.run(for: .seconds(2))
    links.clear()
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(near.instance, .any, wantsUnicast: true), DNSQuestion(type, .ptr)]
    message.answers = [printer.pointer]
    message.authorities = [near.location]
    for _ in 0..<3 {
      links.say(message, on: 2)
      links.run(for: .milliseconds(230))
    }
    let crossed = links.crossed(to: 1)
    #expect(crossed.flatMap(\.authorities) == [near.location, near.location, near.location])
    #expect(crossed.flatMap(\.answers) == [printer.pointer])
    #expect(crossed.flatMap(\.questions).count { $0 == DNSQuestion(type, .ptr) } == 1)
  }

  @Test func `known types are told, wherever they are from`() {
    let links = links()
    let types: DNSName = "_services._dns-sd._udp.local"
    let known = DNSRecord(types, .ptr(type), timeToLive: 4500)
    links.ask([DNSQuestion(types, .ptr)], knowing: [known], on: 2)
    #expect(links.crossed(to: 1).map(\.answers) == [[known]])
  }

  @Test func `a query that waits for known answers is asked when too many wait`() {
    let links = links()
    for number in 0..<40 {
      var message = DNSMessage(isResponse: false)
      message.questions = [DNSQuestion(DNSName(literal: "host-\(number).local"), .a)]
      message.isTruncated = true
      links.send(message.written(), on: 2, from: ReflectedLinks.address(ofHost: 10 + UInt32(number), on: 2))
    }
    links.run(for: .milliseconds(5))
    #expect(links.questions(on: 1).map(\.name) == (0..<8).map { DNSName(literal: "host-\($0).local") })
    links.run(for: .seconds(1))
    #expect(links.questions(on: 1).count == 40)
  }
}
