import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What happens to the records of a host or service while it gets another name (RFC 6762 §8.1, §8.2, §9).
@Suite struct RenamingTests {
  private let instance: DNSName = "mine._x._tcp.local"

  private func address(of name: DNSName) -> DNSRecord {
    DNSRecord(name, .address(.ipv4(99)), timeToLive: 120, cacheFlush: true)
  }

  private func targets(_ sent: LoneEngine.Sent) -> [DNSName] {
    (sent.message.answers + sent.message.additionals).compactMap { record in
      guard case .srv(let service) = record.data, record.timeToLive > 0 else { return nil }
      return service.target
    }
  }

  @Test func `services are told at a new host name only after it has been probed for`() throws {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    engine.hear(address(of: "me.local"))
    engine.run(for: .milliseconds(300))
    engine.clear()
    engine.hear(address(of: "me.local"))
    #expect(engine.effects == [.hostName(.renamed(from: "me.local", to: "me-2.local"))])
    // Nor to those who ask meanwhile, and the former name belongs to another host.
    engine.hear(question: instance, .srv)
    engine.run(for: .milliseconds(500))
    engine.hear(question: instance, .any)
    engine.run(for: .seconds(5))
    let probes = engine.questions("me-2.local", .any)
    #expect(probes.count == 3)
    let told = engine.responses.filter { !targets($0).isEmpty }
    #expect(Set(told.flatMap(targets)) == ["me-2.local"])
    #expect(try #require(told.first).time >= #require(probes.last).time + .milliseconds(250))
    // No goodbye: others keep the service in their lists.
    #expect(engine.responses.flatMap(\.message.answers).allSatisfy { $0.timeToLive > 0 })
    #expect(engine.effects.dropFirst() == [.hostName(.established("me-2.local"))])
  }

  @Test func `a service that waits after a lost tie-break keeps waiting when its host is renamed`() throws {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    while engine.questions(instance, .any).isEmpty { engine.run(for: .milliseconds(1)) }
    let text = DNSRecord(instance, .txt([255] + Array(repeating: 255, count: 255)), timeToLive: 4500)
    engine.hear(question: instance, .any, proposing: [text])
    let loss = engine.now
    engine.clear()
    engine.run(for: .milliseconds(100))
    engine.hear(address(of: "me.local"))
    engine.run(for: .seconds(3))
    let probes = engine.questions(instance, .any)
    #expect(probes.map { $0.time - loss } == [1000, 1250, 1500].map { .milliseconds($0) })
    let proposed = try #require(probes.first).message.authorities.filter { $0.type == .srv }.map(\.data)
    #expect(proposed == [.srv(DNSService(target: "me-2.local", port: 1))])
    #expect(engine.effects.last == .registration(.init(1), .established))
  }

  // §8.2: the host that won has the name by then, and is not awaited for a second.
  @Test func `the announcement of the winner ends the wait of the loser`() {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    let theirs = DNSRecord("me.local", .address(.ipv4(0xFFFF_FFFF)), timeToLive: 120)
    engine.hear(question: "me.local", .any, proposing: [theirs])
    engine.hear(theirs)
    #expect(engine.effects == [.hostName(.renamed(from: "me.local", to: "me-2.local"))])
  }

  // §8.2: an opponent that wins each time, but never announces the name.
  @Test func `a name is given up after five lost tie-breaks`() {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    let theirs = DNSRecord("me.local", .address(.ipv4(0xFFFF_FFFF)), timeToLive: 120)
    let start = engine.now
    for number in 1...5 {
      #expect(engine.effects.isEmpty, "after \(number - 1)")
      engine.clear()
      while engine.questions("me.local", .any).isEmpty { engine.run(for: .milliseconds(1)) }
      engine.hear(question: "me.local", .any, proposing: [theirs])
    }
    #expect(engine.effects == [.hostName(.renamed(from: "me.local", to: "me-2.local"))])
    #expect(engine.now - start < .seconds(5))
    engine.run(for: .seconds(3))
    #expect(engine.effects.last == .hostName(.established("me-2.local")))
  }

  @Test func `lost tie-breaks are counted for each attempt`() {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    for _ in 1...4 {
      engine.clear()
      while engine.questions("me.local", .any).isEmpty { engine.run(for: .milliseconds(1)) }
      engine.hear(
        question: "me.local", .any,
        proposing: [DNSRecord("me.local", .address(.ipv4(0xFFFF_FFFF)), timeToLive: 120)])
    }
    engine.run(for: .seconds(3))
    #expect(engine.effects == [.hostName(.established("me.local"))])
  }

  // §9: the numbers of the first conflicts follow each other, those of the others are random.
  @Test func `many conflicts lead to random numbers`() {
    func names(seed: UInt64) -> [DNSName] {
      let engine = LoneEngine(seed: seed)
      engine.do(.setHostName("me.local"))
      var names: [DNSName] = ["me.local"]
      for _ in 1...7 {
        engine.clear()
        while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
        engine.hear(address(of: names.last!))
        if case .hostName(.renamed(_, let next))? = engine.effects.last { names.append(next) }
      }
      return names
    }
    let (first, second) = (names(seed: 1), names(seed: 2))
    #expect(first.prefix(5) == ["me.local", "me-2.local", "me-3.local", "me-4.local", "me-5.local"])
    #expect(second.prefix(5) == first.prefix(5))
    #expect(Set(first).count == 8 && Set(second).count == 8)
    #expect(first.dropFirst(5) != second.dropFirst(5))
  }

  /// A stranger who forges a conflict about every name that this host asks for, by an answer or by probes of their own.
  @Test(arguments: [true, false]) func `a stranger who disputes every name cannot keep a host from having one`(answers: Bool)
    throws
  {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    engine.do(.publish(.init(1), VirtualHost.service("mine", isUnique: false)))
    let start = engine.now
    // Whatever is asked for, the stranger has it.
    while engine.now - start < .seconds(60), !engine.effects.contains(.registration(.init(1), .established)) {
      let count = engine.sent.count
      engine.run(for: .milliseconds(5))
      for sent in engine.sent.dropFirst(count) where !sent.message.isResponse {
        for name in Set(sent.message.authorities.map(\.name)) {
          let theirs = DNSRecord(name, .address(.ipv4(0xFFFF_FFFF)), timeToLive: 120, cacheFlush: answers)
          if answers { engine.hear(theirs) } else { engine.hear(question: name, .any, proposing: [theirs]) }
        }
      }
    }
    guard
      case .hostName(.established(let name))? = engine.effects.last(where: { if case .hostName = $0 { true } else { false } })
    else {
      Issue.record("no name after a minute: \(engine.effects)")
      return
    }
    let label = String(decoding: try #require(name.labels.first), as: UTF8.self)
    #expect(label.hasPrefix("me-") && label.count == 11, "\(label)")
    #expect(engine.effects.contains(.registration(.init(1), .established)))
    Attachment.record("\(engine.now - start)", named: "until-published.txt")
    // From then on, nobody takes it away.
    engine.clear()
    for _ in 1...100 {
      engine.hear(DNSRecord(name, .address(.ipv4(0xFFFF_FFFF)), timeToLive: 120, cacheFlush: true))
      engine.hear(question: name, .any, proposing: [DNSRecord(name, .address(.ipv4(0xFFFF_FFFF)), timeToLive: 120)])
      engine.run(for: .milliseconds(100))
    }
    #expect(engine.effects.isEmpty)
    engine.hear(question: name, .a)
    engine.run(for: .seconds(1))
    #expect(engine.responses.contains { $0.message.answers.contains { $0.data == .address(LoneEngine.address) } })
  }

  // RFC 1035 §2.3.4: 255 bytes.
  @Test(arguments: [(40, 18), (39, 19), (38, 20), (30, 20)])
  func `a host name that is as long as names can be is cut for its number`(_ last: Int, _ kept: Int) throws {
    func name(_ first: String) throws -> DNSName {
      try DNSName(labels: [Array(first.utf8)] + [63, 63, 63, last].map { [UInt8](repeating: 0x62, count: $0) })
    }
    let long = try name(String(repeating: "a", count: 20))
    let engine = LoneEngine()
    engine.do(.setHostName(long))
    engine.run(for: .milliseconds(300))
    engine.hear(address(of: long))
    let next = try name(String(repeating: "a", count: kept) + "-2")
    #expect(engine.effects == [.hostName(.renamed(from: long, to: next))])
  }
}
