import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Rules of RFC 6762 and RFC 6763 that belong to none of the other suites.
@Suite struct LesserRulesTests {
  private let type: DNSName = "_x._tcp.local"
  private let instance: DNSName = "mine._x._tcp.local"

  private func engine() -> LoneEngine {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    return engine
  }

  // RFC 6762 §4
  @Test func `names of link-local addresses are asked for by multicast`() {
    let engine = LoneEngine()
    let names: [DNSName] = ["7.1.254.169.in-addr.arpa", "1.0.0.0.8.e.f.ip6.arpa"]
    for (id, name) in names.enumerated() { engine.do(.ask(.init(UInt64(id)), name, .ptr)) }
    engine.run(for: .seconds(60))
    for name in names { #expect(engine.questions(name, .ptr).count > 3) }
    #expect(engine.sent.allSatisfy { $0.destination == .multicast })
  }

  // RFC 6762 §6
  @Test func `records of others are not passed on`() {
    let engine = engine()
    let other = DNSRecord(type, .ptr("other._x._tcp.local"), timeToLive: 4500)
    engine.hear(other, DNSRecord("other.local", .address(.ipv4(0x0A00_0002)), timeToLive: 120, cacheFlush: true))
    engine.do(.ask(.init(1), "other.local", .a))
    engine.run(for: .seconds(2))
    engine.clear()
    engine.hear(question: type, .ptr, from: 3)
    engine.hear(question: "other.local", .a, from: 3)
    engine.run(for: .seconds(2))
    #expect(engine.responses.flatMap(\.message.answers).map(\.data) == [.ptr(instance)])
    #expect(!engine.responses.flatMap(\.message.additionals).contains { $0.name == "other.local" })
  }

  // RFC 6762 §6
  @Test func `questions in a response are not answered`() {
    let engine = engine()
    var message = DNSMessage(isResponse: true)
    message.questions = [DNSQuestion(instance, .srv)]
    message.answers = [DNSRecord("other.local", .address(.ipv4(0x0A00_0002)), timeToLive: 120, cacheFlush: true)]
    engine.hear(message)
    engine.run(for: .seconds(2))
    #expect(engine.sent.isEmpty)
    engine.do(.ask(.init(1), "other.local", .a))
    #expect(engine.answered(.added(message.answers[0], engine.link)), "its records are read")
  }

  // RFC 6762 §6
  @Test func `answers to usual questions go to the group`() {
    let engine = engine()
    engine.hear(question: type, .ptr)
    engine.hear(question: instance, .txt)
    engine.run(for: .seconds(2))
    #expect(engine.responses.count == 2 && engine.responses.allSatisfy { $0.destination == .multicast })
  }

  // RFC 6762 §6.5
  @Test(arguments: [(0, 1), (0, 255), (0x80, 1), (0x80, 255)] as [(UInt8, UInt8)])
  func `a question of any class is answered like one of our class`(high: UInt8, low: UInt8) throws {
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(instance, .srv)]
    let bytes = message.written().dropLast(2) + [high, low]
    let question = DNSQuestion(instance, .srv, wantsUnicast: high == 0x80, isOfAnyClass: low == 255)
    #expect(try DNSMessage(parsing: Array(bytes)).questions == [question])
    let engine = engine()
    engine.do(.received(Array(bytes), from: MulticastSource(.ipv4(0x0A00_0002), port: 5353, link: engine.link), to: .multicast))
    #expect(engine.responses.first?.message.answers.map(\.type) == [.srv])
  }

  // RFC 6762 §6.1: the restricted form cannot name the type, so it would deny it.
  @Test func `nothing is denied of a name with a type above 255`() {
    let engine = LoneEngine()
    let records = [DNSData.txt([0]), .other(DNSType(rawValue: 999), [1])]
    engine.do(.publish(.init(1), records.map { PublishedRecord(instance, .data($0), .unique) }))
    engine.run(for: .seconds(10))
    for type in [DNSType.a, .any] {
      engine.hear(question: instance, type)
      engine.run(for: .seconds(2))
    }
    #expect(engine.responses.contains { $0.message.answers.count == 2 })
    #expect(!engine.responses.contains { ($0.message.answers + $0.message.additionals).contains { $0.type == .nsec } })
  }

  // RFC 6762 §8.1
  @Test func `what is known of a name does not decide whether it is free`() {
    let engine = LoneEngine()
    engine.hear(DNSRecord(instance, .txt([1, 0x61]), timeToLive: 4500, cacheFlush: true))
    engine.do(.ask(.init(1), instance, .txt))
    engine.run(for: .seconds(5))
    engine.do(.publish(.init(1), [PublishedRecord(instance, .data(.txt([1, 0x62])), .unique)]))
    engine.run(for: .seconds(2))
    #expect(engine.questions(instance, .any).count == 3)
    #expect(engine.effects.contains(.registration(.init(1), .established)))
  }

  // RFC 6762 §16
  @Test func `a byte order mark is a character like others`() throws {
    let name: DNSName = "\u{FEFF}a\u{FEFF}.local"
    #expect(name != "a.local" && name.firstLabel?.unicodeScalars.elementsEqual("\u{FEFF}a\u{FEFF}".unicodeScalars) == true)
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(name, .a)]
    #expect(try DNSMessage(parsing: message.written()) == message)
    let marked: InstanceName = "\u{FEFF}a"
    #expect(marked.text.utf8.elementsEqual([0xEF, 0xBB, 0xBF, 0x61]) && marked != "a")
  }

  // RFC 6762 §17
  @Test(arguments: [(8900, true), (9000, false)])
  func `no message exceeds 9,000 bytes with its headers`(length: Int, isSent: Bool) {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    let long = DNSData.other(DNSType(rawValue: 99), [UInt8](repeating: 1, count: length))
    engine.do(.publish(.init(2), [PublishedRecord("long.local", .data(long), .shared)]))
    engine.run(for: .seconds(10))
    engine.hear(question: "long.local", .any)
    engine.run(for: .seconds(2))
    engine.do(.withdraw(.init(2)))
    engine.run(for: .seconds(5))
    #expect(engine.responses.contains { $0.message.answers.contains { $0.data == long } } == isSent)
    #expect(engine.sent.allSatisfy { $0.bytes.count <= DNSMessage.maximumBytes })
  }

  // RFC 6762 §18.5
  @Test func `the truncated bit of a response means nothing`() {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), type, .ptr))
    let records = (0..<100).map { DNSRecord(type, .ptr(DNSName(literal: "number \($0)._x._tcp.local")), timeToLive: 4500) }
    var message = DNSMessage(isResponse: true)
    message.isTruncated = true
    message.answers = records
    engine.hear(message)
    #expect(engine.answered(.added(records[0], engine.link)))
    // Ours do not have it, however many they are.
    engine.establish(records.map { PublishedRecord(type, .data($0.data), .shared) }, as: 2)
    engine.hear(question: type, .ptr)
    engine.run(for: .seconds(2))
    #expect(engine.responses.count > 1 && !engine.responses.contains { $0.message.isTruncated })
  }

  // RFC 6762 §18.5, §6.7
  @Test func `a legacy answer that does not fit is marked as truncated`() throws {
    let engine = LoneEngine(hostName: "me.local")
    let long = [UInt8](repeating: 200, count: 201)
    engine.establish(VirtualHost.service("mine", txt: (0..<10).flatMap { _ in long }))
    var message = DNSMessage(isResponse: false)
    message.id = 7
    message.questions = [DNSQuestion(instance, .txt)]
    engine.hear(message, port: 40_000)
    let answer = try #require(engine.sent.first?.message)
    #expect(answer.isTruncated && answer.answers.isEmpty && answer.id == 7)
  }

  // RFC 6763 §11
  @Test func `nothing is asked of the engine's own accord but whether names are free`() {
    let linkLocal = InterfaceAddress(.ipv4(0xA9FE_0107), prefixLength: 16)
    let engine = LoneEngine(addresses: [linkLocal, InterfaceAddress(LoneEngine.address, prefixLength: 24)])
    engine.do(.setHostName("me.local"))
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .seconds(3600))
    let questions = engine.sent.flatMap(\.message.questions)
    let own: Set<DNSName> = ["me.local", "7.1.254.169.in-addr.arpa", "1.0.0.10.in-addr.arpa", instance]
    #expect(Set(questions.map(\.name)) == own && questions.count == 12)
  }

  // RFC 6763 §12.3
  @Test func `nothing comes along with a text record`() {
    let engine = engine()
    engine.hear(question: instance, .txt)
    #expect(engine.responses.map(\.message.additionals) == [[]])
    #expect(engine.responses.first?.message.answers.map(\.data) == [.txt([0])])
  }
}
