import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Records that several hosts may have, above all those that list types (RFC 6763 §9): what one host withdraws, another may still have.
@Suite struct SharedRecordTests {
  private static let list: DNSName = "_services._dns-sd._udp.local"
  private static let pages: DNSName = "_http._tcp.local"
  private static let instance: DNSName = "Ada._http._tcp.local"
  private static let type = DNSRecord(list, .ptr(pages), timeToLive: 4500)

  private static var service: [PublishedRecord] {
    [
      PublishedRecord(pages, .data(.ptr(instance)), .shared), PublishedRecord(instance, .data(.txt([0])), .unique),
      PublishedRecord(list, .data(.ptr(pages)), .shared),
    ]
  }

  /// An engine that publishes a service and asks for types and for services of its type.
  private func engine() -> LoneEngine {
    let engine = LoneEngine()
    engine.establish(Self.service)
    engine.do(.ask(.init(1), Self.list, .ptr))
    engine.do(.ask(.init(2), Self.pages, .ptr))
    engine.run(for: .seconds(10))
    engine.clear()
    return engine
  }

  private func changes(of id: UInt64, in engine: LoneEngine) -> [String] {
    engine.effects.compactMap { effect in
      guard case .answer(.init(id), let change) = effect else { return nil }
      return switch change {
      case .added: "added"
      case .removed: "removed"
      case .leaving, .suspect, .confirmed: nil
      }
    }
  }

  // RFC 6762 §10.1
  @Test func `a type stays when the last service of this host goes and another host has one`() {
    let engine = engine()
    engine.do(.withdraw(.init(1)))
    engine.run(for: .milliseconds(900))
    engine.hear(Self.type)
    engine.run(for: .seconds(60))
    #expect(changes(of: 1, in: engine) == [])
    #expect(changes(of: 2, in: engine) == ["removed"])
  }

  @Test func `a type that no other host has goes after a second, a service at once`() {
    let engine = engine()
    engine.do(.withdraw(.init(1)))
    #expect(changes(of: 2, in: engine) == ["removed"])
    engine.run(for: .milliseconds(999))
    #expect(changes(of: 1, in: engine) == [])
    engine.run(for: .milliseconds(1))
    #expect(changes(of: 1, in: engine) == ["removed"])
  }

  @Test func `a type stays while its only service is published anew`() {
    let engine = engine()
    engine.do(.withdraw(.init(1)))
    engine.do(.publish(.init(2), Self.service))
    engine.run(for: .seconds(60))
    #expect(changes(of: 1, in: engine) == [])
    #expect(changes(of: 2, in: engine) == ["removed", "added"])
    engine.do(.withdraw(.init(2)))
    engine.run(for: .seconds(2))
    #expect(changes(of: 1, in: engine) == ["removed"])
  }

  // RFC 6762 §9
  @Test func `a type stays while this host takes another name`() {
    let engine = LoneEngine(hostName: "h1.local")
    engine.establish(Self.service + [PublishedRecord(Self.instance, .serviceOfThisHost(port: 80), .unique)])
    engine.do(.ask(.init(1), Self.list, .ptr))
    engine.run(for: .seconds(10))
    engine.clear()
    // The other host still has the name when this one probes for it again.
    for _ in 0..<2 {
      engine.hear(DNSRecord("h1.local", .address(.ipv4(9)), timeToLive: 120, cacheFlush: true))
      engine.run(for: .milliseconds(400))
    }
    engine.run(for: .seconds(60))
    #expect(engine.effects.contains(.hostName(.established("h1-2.local"))))
    #expect(changes(of: 1, in: engine) == [])
  }

  // RFC 6762 §5.2
  @Test(arguments: [1, 2] as [UInt64])
  func `all hosts know a type while one has it, also when it is asked for again and another comes and goes`(seed: UInt64) {
    let network = VirtualNetwork(seed: seed)
    let hosts = (1...3).map { number in
      network.addHost([VirtualInterface(1, on: 0, addresses: [.ipv4(number, on: 0), .linkLocal(number)])])
    }
    for (number, host) in hosts.enumerated() { host.do(.setHostName(DNSName(literal: "h\(number).local"))) }
    _ = hosts[1].publish("Always")
    network.run(for: .seconds(10))
    let lists = hosts.map { $0.ask("_services._dns-sd._udp.local", .ptr) }
    network.run(for: .seconds(10))
    for _ in 0..<3 {
      let service = hosts[0].publish("At times")
      network.run(for: .seconds(1800))
      hosts[0].do(.withdraw(service))
      network.run(for: .seconds(1800))
    }
    for (host, list) in zip(hosts, lists) {
      let lost = host.effects.filter { if case .answer(list, .removed) = $0.effect { true } else { false } }
      #expect(lost.isEmpty && host.answers[list]?.count == 1, "host \(host.index)")
    }
  }

  // RFC 6762 §10.1: a goodbye of another host does not count for what this one has.
  @Test func `what this host publishes of what another host said is its own from then on`() {
    let engine = LoneEngine()
    let theirs = DNSRecord(Self.pages, .ptr(Self.instance), timeToLive: 120)
    engine.do(.ask(.init(1), Self.pages, .ptr))
    engine.run(for: .seconds(10))
    engine.hear(theirs)
    engine.hear(DNSRecord(theirs.name, theirs.data, timeToLive: 0))
    engine.do(.ask(.init(2), Self.pages, .ptr))
    engine.clear()
    engine.do(.publish(.init(1), [PublishedRecord(Self.pages, .data(theirs.data), .shared)]))
    engine.run(for: .milliseconds(300))
    #expect(
      engine.effects == [
        .answer(.init(1), .confirmed(theirs, engine.link)), .answer(.init(2), .added(theirs, engine.link)),
        .registration(.init(1), .established),
      ])
    engine.clear()
    engine.run(for: .seconds(3600))
    #expect(engine.effects.isEmpty && engine.questions(Self.pages, .ptr).allSatisfy { $0.message.answers.isEmpty })
    engine.do(.withdraw(.init(1)))
    let own = DNSRecord(Self.pages, theirs.data, timeToLive: 4500)
    let removal = MulticastEngine.AnswerChange.removed(own, engine.link)
    #expect(engine.effects == [.answer(.init(1), removal), .answer(.init(2), removal)])
  }
}
