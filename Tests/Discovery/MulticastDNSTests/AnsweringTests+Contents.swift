import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What an answer holds: whole sets, what is asked for next, types and subtypes, and as much as fits.
extension AnsweringTests {
  @Test func `a unique set is sent as a whole`() {
    let second = IPAddress.ipv4(0x0A00_0063)
    let engine = LoneEngine(
      addresses: [LoneEngine.address, second].map { InterfaceAddress($0, prefixLength: 24) }, hostName: "me.local")
    engine.hear(question: "me.local", .a, knowing: [DNSRecord("me.local", .address(second), timeToLive: 120)])
    #expect(Set(engine.responses.flatMap(\.message.answers).map(\.data)) == [.address(second), .address(LoneEngine.address)])
    #expect(engine.responses.flatMap(\.message.answers).allSatisfy { $0.cacheFlush })
  }

  // RFC 6763 §12.1, §12.2
  @Test func `what is asked for next comes along`() {
    let engine = engine()
    engine.run(for: .seconds(1))
    engine.hear(question: type, .ptr)
    engine.run(for: .milliseconds(130))
    #expect(engine.responses.first?.message.answers == [pointer])
    #expect(Set(engine.responses[0].message.additionals) == [service, text, address, noOther])
    engine.run(for: .seconds(2))
    engine.clear()
    engine.hear(question: instance, .srv)
    #expect(Set(engine.responses.flatMap(\.message.additionals)) == [address, noOther])
  }

  // RFC 6763 §9
  @Test func `a type is listed once as long as a service of it is there`() {
    let engine = engine()
    engine.establish(VirtualHost.service("second"), as: 2)
    let listed = DNSRecord("_services._dns-sd._udp.local", .ptr(type), timeToLive: 4500)
    engine.hear(question: listed.name, .ptr)
    engine.run(for: .seconds(1))
    #expect(engine.responses.flatMap(\.message.answers) == [listed])
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.do(.flush)
    #expect(!engine.responses.flatMap(\.message.answers).contains { $0.name == listed.name })
    engine.do(.withdraw(.init(2)))
    engine.do(.flush)
    #expect(engine.responses.flatMap(\.message.answers).contains(DNSRecord(listed.name, listed.data, timeToLive: 0)))
  }

  // RFC 6763 §7.1
  @Test func `subtypes are names like others`() {
    let engine = LoneEngine(hostName: "me.local")
    let subtype: DNSName = "_printer._sub._x._tcp.local"
    engine.establish(VirtualHost.service("mine") + [PublishedRecord(subtype, .data(.ptr(instance)), .shared)])
    engine.hear(question: subtype, .ptr)
    engine.run(for: .seconds(1))
    #expect(engine.responses.flatMap(\.message.answers).map(\.data) == [.ptr(instance)])
    #expect(engine.responses.flatMap(\.message.additionals).contains(service))
  }

  // §17
  @Test func `many answers are packed and one that is too long goes alone`() {
    let engine = LoneEngine(hostName: "me.local")
    for number in 0..<100 { engine.do(.publish(.init(UInt64(number)), VirtualHost.service("s\(number)"))) }
    let long = VirtualHost.service(
      "long", txt: Array(repeating: [9] + Array(repeating: 0x61, count: 9), count: 300).flatMap(\.self))
    engine.do(.publish(.init(1000), long))
    engine.run(for: .seconds(10))
    let big = engine.responses.filter { $0.bytes.count > 1440 }
    #expect(!big.isEmpty)
    for sent in big { #expect(sent.message.answers.count == 1 && sent.message.additionals.isEmpty) }
    engine.clear()
    engine.hear(question: type, .ptr)
    engine.run(for: .seconds(1))
    #expect(Set(engine.responses.flatMap(\.message.answers).filter { $0.type == .ptr }).count == 101)
    #expect(engine.responses.count < 12)
  }

  // §17
  @Test(arguments: [(576, 516), (100, 512), (9000, 1440)])
  func `datagrams fit into the interface's frames`(mtu: Int, limit: Int) {
    let engine = LoneEngine()
    engine.do(.mtuChanged(engine.link, bytes: mtu))
    engine.do(.setHostName("me.local"))
    for number in 0..<50 { engine.do(.publish(.init(UInt64(number)), VirtualHost.service("s\(number)"))) }
    for number in 0..<100 {
      engine.hear(DNSRecord(type, .ptr(DNSName(literal: "other \(number)._x._tcp.local")), timeToLive: 4500))
    }
    engine.run(for: .seconds(10))
    engine.do(.ask(.init(1), type, .ptr))
    engine.hear(question: type, .ptr)
    engine.hear(question: type, .ptr, unicast: true)
    var legacy = DNSMessage(isResponse: false)
    legacy.questions = [DNSQuestion(type, .ptr)]
    engine.hear(legacy, port: 4000)
    engine.do(.shutDown)
    engine.run(for: .seconds(10))
    let lengths = engine.sent.map(\.bytes.count)
    #expect(lengths.allSatisfy { $0 <= limit })
    #expect(lengths.contains { $0 > limit - 100 }, "nor are they shorter than need be")
    let told = Set(engine.responses.flatMap(\.message.answers).filter { $0.type == .ptr && $0.timeToLive == 4500 }.map(\.data))
    #expect(told.count == 51, "the services and their type")
  }

  // §6, §14: each link tells its own addresses.
  @Test func `a link is told the addresses that belong there`() {
    let engine = LoneEngine()
    let other = MulticastLink(interface: 2, family: .ipv4)
    let elsewhere = IPAddress.ipv4(0xC0A8_0001)
    engine.do(.linkUp(other, addresses: [InterfaceAddress(elsewhere, prefixLength: 24)]))
    engine.do(.setHostName("me.local"))
    engine.run(for: .seconds(5))
    for (link, address) in [(engine.link, LoneEngine.address), (other, elsewhere)] {
      let told = engine.sent.filter { $0.link == link }.flatMap { $0.message.answers + $0.message.authorities }
        .filter { $0.name == "me.local" }
      #expect(!told.isEmpty && told.allSatisfy { $0.data == .address(address) })
    }
  }
}
