import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The responder, clause by clause of RFC 6762 and RFC 6763.
@Suite struct AnsweringTests {
  let type: DNSName = "_x._tcp.local"
  let instance: DNSName = "mine._x._tcp.local"
  let pointer = DNSRecord("_x._tcp.local", .ptr("mine._x._tcp.local"), timeToLive: 4500)
  let text = DNSRecord("mine._x._tcp.local", .txt([0]), timeToLive: 4500, cacheFlush: true)
  let service = DNSRecord(
    "mine._x._tcp.local", .srv(DNSService(target: "me.local", port: 1)), timeToLive: 120, cacheFlush: true)
  let address = DNSRecord("me.local", .address(LoneEngine.address), timeToLive: 120, cacheFlush: true)
  let noOther = DNSRecord(
    "me.local", .nsec(next: "me.local", types: DNSTypeSet([.a])!), timeToLive: 120, cacheFlush: true)

  func engine(seed: UInt64 = 1) -> LoneEngine {
    let engine = LoneEngine(seed: seed, hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    return engine
  }

  // §6
  @Test func `a unique answer comes at once and a shared one after a while`() {
    for seed in UInt64(0)..<50 {
      let engine = engine(seed: seed)
      engine.hear(question: instance, .srv)
      #expect(engine.responses.map(\.message.answers) == [[service]])
      engine.run(for: .seconds(2))
      engine.clear()
      let start = engine.now
      engine.hear(question: type, .ptr)
      engine.run(for: .seconds(1))
      #expect(engine.responses.count == 1)
      #expect((.milliseconds(20) ... .milliseconds(120)).contains(engine.responses[0].time - start), "seed \(seed)")
    }
  }

  // §6.3, §6.4
  @Test func `answers to several questions wait and go together`() {
    let engine = engine()
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(instance, .srv), DNSQuestion("me.local", .a)]
    engine.hear(message)
    #expect(engine.responses.isEmpty)
    engine.hear(question: type, .ptr, from: 3)
    engine.run(for: .seconds(1))
    #expect(engine.responses.count == 1)
    #expect(Set(engine.responses[0].message.answers) == [service, address, pointer])
  }

  // §6, §18.4
  @Test func `responses have no questions and no ID`() {
    let engine = engine()
    engine.hear(question: instance, .srv)
    #expect(engine.responses[0].message.questions.isEmpty)
    #expect(engine.responses[0].bytes.prefix(4) == [0, 0, 0x84, 0])
  }

  // §6
  @Test func `a record goes out once a second`() {
    let engine = engine()
    for _ in 0..<50 {
      engine.hear(question: instance, .srv)
      engine.hear(question: type, .ptr)
      engine.run(for: .milliseconds(100))
    }
    engine.run(for: .seconds(3))
    for record in [service, pointer, address, text] {
      let times = engine.responses.filter { ($0.message.answers + $0.message.additionals).contains(record) }.map(\.time)
      #expect(times.count >= 3)
      for (later, earlier) in zip(times.dropFirst(), times) { #expect(later - earlier >= .seconds(1), "\(record)") }
    }
  }

  // §6.1
  @Test func `what an owned name does not have is denied`() {
    let engine = engine()
    engine.hear(question: "me.local", .aaaa)
    #expect(engine.responses.map(\.message.answers) == [[noOther]])
    engine.clear()
    engine.hear(question: instance, .a)
    let types = DNSTypeSet([.srv, .txt])!
    #expect(engine.responses.first?.message.answers.map(\.data) == [.nsec(next: instance, types: types)])
    engine.clear()
    // Of a shared name nobody can say what is not.
    engine.hear(question: type, .txt)
    engine.hear(question: "other.local", .a)
    engine.run(for: .seconds(1))
    #expect(engine.responses.isEmpty)
  }

  // §6.1: the denial follows what there is.
  @Test func `both families are told together`() {
    let six = IPAddress.ipv6(high: 0xFE80 << 48, low: 1)
    let engine = LoneEngine(
      addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 24), InterfaceAddress(six, prefixLength: 64)],
      hostName: "me.local")
    engine.hear(question: "me.local", .a)
    // §6.2
    #expect(engine.responses.first?.message.answers == [address])
    #expect(engine.responses.first?.message.additionals.map(\.data) == [.address(six)])
    engine.clear()
    engine.hear(question: "me.local", .txt)
    #expect(engine.responses.first?.message.answers.map(\.data) == [.nsec(next: "me.local", types: DNSTypeSet([.a, .aaaa])!)])
  }

  // §6.5
  @Test func `any means all`() {
    let engine = engine()
    engine.hear(question: instance, .any)
    #expect(Set(engine.responses.flatMap(\.message.answers)) == [service, text])
  }

  // §6.6
  @Test func `a twin that makes our record expire too soon is corrected`() {
    let engine = engine()
    engine.hear(DNSRecord(type, pointer.data, timeToLive: 2250))
    engine.run(for: .seconds(1))
    #expect(engine.responses.isEmpty)
    engine.hear(DNSRecord(type, pointer.data, timeToLive: 0))
    engine.run(for: .milliseconds(900))
    #expect(engine.responses.map(\.message.answers) == [[pointer]])
  }

  // §6.7
  @Test func `a legacy resolver is answered as by a server`() throws {
    let engine = engine()
    var message = DNSMessage(isResponse: false)
    message.id = 4711
    message.questions = [DNSQuestion(instance, .srv)]
    engine.hear(message, port: 40_000)
    let sent = try #require(engine.sent.first)
    #expect(sent.destination == .unicast(MulticastSource(.ipv4(0x0A00_0002), port: 40_000, link: engine.link)))
    #expect(sent.message.id == 4711 && sent.message.questions == message.questions)
    #expect(sent.message.answers == [DNSRecord(instance, service.data, timeToLive: 10)])
    #expect(sent.message.additionals.allSatisfy { $0.timeToLive <= 10 && !$0.cacheFlush })
    // §18.14: the target of the service is written out.
    let target: [UInt8] = [2, 0x6D, 0x65, 5, 0x6C, 0x6F, 0x63, 0x61, 0x6C, 0]
    #expect(sent.bytes.indices.contains { sent.bytes[$0...].starts(with: [0, 1] + target) })
    // What an owned name lacks is answered too, without records.
    engine.clear()
    message.questions = [DNSQuestion("me.local", .aaaa)]
    engine.hear(message, port: 40_000)
    #expect(engine.sent.first?.message.questions == message.questions && engine.sent.first?.message.answers == [])
    message.questions = [DNSQuestion("other.local", .a)]
    engine.hear(message, port: 40_000)
    #expect(engine.sent.count == 1)
    // §11: nobody off the link.
    engine.clear()
    message.questions = [DNSQuestion(instance, .srv)]
    engine.hear(message, port: 40_000, address: .ipv4(0xC0A8_0001))
    #expect(engine.sent.isEmpty)
  }

  // §7.1
  @Test func `what is known is not said`() {
    let engine = engine()
    engine.hear(question: type, .ptr, knowing: [DNSRecord(type, pointer.data, timeToLive: 2250)])
    engine.run(for: .seconds(1))
    #expect(engine.responses.isEmpty)
    engine.hear(question: type, .ptr, knowing: [DNSRecord(type, pointer.data, timeToLive: 2249)])
    engine.run(for: .seconds(1))
    #expect(engine.responses.count == 1)
  }

  // §7.2
  @Test func `a query that goes on is awaited`() {
    for seed in UInt64(0)..<20 {
      let engine = engine(seed: seed)
      let start = engine.now
      engine.hear(question: type, .ptr, truncated: true)
      engine.run(for: .milliseconds(399))
      #expect(engine.responses.isEmpty)
      engine.run(for: .milliseconds(102))
      #expect(engine.responses.count == 1 && engine.responses[0].time - start <= .milliseconds(500))
    }
  }

  // §7.2
  @Test func `later known answers take the answer back`() {
    let engine = engine()
    engine.hear(question: type, .ptr, truncated: true)
    engine.run(for: .milliseconds(300))
    var more = DNSMessage(isResponse: false)
    more.isTruncated = true
    more.answers = [DNSRecord(type, .ptr("other._x._tcp.local"), timeToLive: 4500)]
    engine.hear(more)
    engine.run(for: .milliseconds(390))
    #expect(engine.responses.isEmpty)
    more.isTruncated = false
    more.answers = [pointer]
    // Another host's known answers do not count.
    engine.hear(more, from: 9)
    engine.hear(more)
    engine.run(for: .seconds(1))
    #expect(engine.responses.isEmpty)
  }

  // §7.2: another asker still waits.
  @Test func `known answers of one do not silence the answer to another`() {
    let engine = engine()
    engine.hear(question: type, .ptr, truncated: true, from: 2)
    engine.hear(question: type, .ptr, from: 3)
    var more = DNSMessage(isResponse: false)
    more.answers = [pointer]
    engine.hear(more, from: 2)
    engine.run(for: .seconds(1))
    #expect(engine.responses.count == 1)
  }

  // §7.4
  @Test func `what another host said is not said again`() {
    let engine = engine()
    engine.hear(question: type, .ptr)
    engine.hear(pointer)
    engine.run(for: .seconds(1))
    #expect(engine.responses.isEmpty)
    engine.hear(question: type, .ptr)
    engine.hear(DNSRecord(type, pointer.data, timeToLive: 4000))
    engine.run(for: .seconds(1))
    #expect(engine.responses.count == 1)
  }

  // §5.4
  @Test func `a question for unicast is answered by unicast if the last multicast is recent`() {
    let engine = engine()
    engine.run(for: .seconds(30))
    engine.hear(question: instance, .srv, unicast: true)
    // A quarter of 120 seconds has passed since the announcements.
    #expect(engine.responses.map(\.destination) == [.multicast])
    engine.run(for: .seconds(5))
    engine.clear()
    engine.hear(question: instance, .srv, unicast: true)
    let asker = MulticastSource(.ipv4(0x0A00_0002), port: 5353, link: engine.link)
    #expect(engine.responses.map(\.destination) == [.unicast(asker)])
    #expect(engine.responses[0].message.answers == [service])
  }

  // §5.4, §11, §15.1: who could not take a unicast answer is answered by multicast.
  @Test func `a host off the link or on this machine is answered by multicast`() {
    for source in [IPAddress.ipv4(0xC0A8_0001), LoneEngine.address] {
      let engine = engine()
      engine.run(for: .seconds(2))
      var message = DNSMessage(isResponse: false)
      message.questions = [DNSQuestion(instance, .srv, wantsUnicast: true)]
      engine.hear(message, address: source)
      #expect(engine.responses.map(\.destination) == [.multicast])
    }
  }

  // §5.5
  @Test func `a question to us alone is answered on the link only`() {
    let engine = engine()
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(instance, .srv)]
    engine.hear(message, to: .unicast)
    #expect(engine.responses.count == 1 && engine.responses[0].destination != .multicast)
    engine.clear()
    engine.hear(message, to: .unicast, address: .ipv4(0xC0A8_0001))
    engine.run(for: .seconds(1))
    #expect(engine.sent.isEmpty)
  }

  // §10.2
}
