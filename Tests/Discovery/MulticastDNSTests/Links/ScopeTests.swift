import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What is published and asked for on some links only, and how that changes.
@Suite("Scopes") struct ScopeTests {
  private let type: DNSName = "_x._tcp.local"
  private let pointer = DNSRecord("_x._tcp.local", .ptr("theirs._x._tcp.local"), timeToLive: 4500)
  private let own = DNSRecord("_x._tcp.local", .ptr("mine._x._tcp.local"), timeToLive: 4500)
  private let other = MulticastLink(interface: 2, family: .ipv4)
  private let scope = MulticastEngine.ScopeID(1)

  /// An engine with two links. Only the second is in the scope.
  private func engine(hostName: DNSName? = nil) -> LoneEngine {
    let engine = LoneEngine()
    engine.do(.linkUp(other, addresses: [InterfaceAddress(.ipv4(0x0A01_0001), prefixLength: 24)]))
    engine.do(.setScope(scope, [other]))
    if let hostName { engine.do(.setHostName(hostName, in: scope)) }
    return engine
  }

  private func goodbyes(_ engine: LoneEngine) -> [LoneEngine.Sent] {
    engine.responses.filter { $0.message.answers.contains { $0.timeToLive == 0 } }
  }

  @Test func `a service and the host's name are published on the links of their scope alone`() {
    let engine = engine(hostName: "me.local")
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope))
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.registration(.init(1), .established)))
    #expect(engine.effects.contains(.hostName(.established("me.local"))))
    #expect(!engine.sent.isEmpty && engine.sent.allSatisfy { $0.link == other })
    engine.clear()
    engine.hear(question: "me.local", .a)
    engine.hear(question: type, .ptr)
    engine.run(for: .seconds(1))
    #expect(engine.sent.isEmpty)
  }

  @Test func `a host without addresses is what services point to, and nothing else`() {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local", withAddresses: false))
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.hostName(.established("me.local"))))
    #expect(engine.effects.contains(.registration(.init(1), .established)))
    let records = engine.sent.flatMap { $0.message.answers + $0.message.authorities + $0.message.additionals }
    #expect(records.contains { if case .srv(let service) = $0.data { service.target == "me.local" } else { false } })
    #expect(!records.contains { $0.name == "me.local" } && engine.questions("me.local", .any).isEmpty)
    engine.do(.setHostName("you.local", withAddresses: false))
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.hostName(.established("you.local"))))
  }

  @Test func `a scope without links has services that are published at once and nowhere`() {
    let engine = LoneEngine()
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope))
    engine.do(.ask(.init(1), type, .ptr, in: scope))
    engine.run(for: .seconds(10))
    #expect(engine.effects == [.registration(.init(1), .established), .cacheExhausted(.init(1)), .settled(.init(1))])
    #expect(engine.sent.isEmpty)
  }

  @Test func `a link that joins a scope is asked and announced on`() {
    let engine = engine(hostName: "me.local")
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope))
    engine.do(.ask(.init(1), type, .ptr, in: scope))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.do(.setScope(scope, [other, engine.link]))
    engine.run(for: .seconds(10))
    #expect(!engine.questions(type, .ptr).filter { $0.link == engine.link }.isEmpty)
    #expect(engine.answered(.added(own, engine.link)))
    // Elsewhere the host's addresses alone are told again: it may be the same network.
    let others = engine.responses.filter { $0.link != engine.link }.flatMap(\.message.answers)
    #expect(others.allSatisfy { $0.name == "me.local" })
    #expect(engine.responses.contains { $0.message.answers.contains { $0.name == "me.local" } && $0.link == engine.link })
  }

  @Test func `what is known of a link is gone when it leaves the scope and others go on`() {
    let engine = engine()
    engine.do(.setScope(scope, [engine.link, other]))
    engine.do(.ask(.init(1), type, .ptr, in: scope))
    engine.do(.ask(.init(2), type, .ptr))
    engine.hear(pointer)
    engine.clear()
    engine.do(.setScope(scope, [other]))
    #expect(engine.effects.contains(.answer(.init(1), .removed(pointer, engine.link))))
    #expect(!engine.effects.contains(.answer(.init(2), .removed(pointer, engine.link))))
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.settled(.init(1))))
    engine.clear()
    engine.do(.setScope(scope, [other, engine.link]))
    #expect(engine.effects == [.answer(.init(1), .added(pointer, engine.link))])
  }

  @Test func `a record that is leaving is not withdrawn from a query that was not told of it`() {
    let engine = engine()
    engine.do(.setScope(scope, [engine.link]))
    engine.do(.ask(.init(2), type, .ptr))
    engine.hear(pointer)
    engine.hear(DNSRecord(type, pointer.data, timeToLive: 0))
    engine.do(.ask(.init(1), type, .ptr, in: scope))
    engine.clear()
    engine.do(.setScope(scope, []))
    #expect(!engine.answered(.removed(pointer, engine.link)))
  }

  @Test func `a service says goodbye on a link that leaves its scope`() {
    let engine = engine(hostName: "me.local")
    engine.do(.setScope(scope, [other, engine.link]))
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.do(.setScope(scope, [other]))
    engine.do(.flush)
    #expect(goodbyes(engine).count == 1 && goodbyes(engine).allSatisfy { $0.link == engine.link })
    let said = Set(goodbyes(engine).flatMap { $0.message.answers.map(\.name) })
    #expect(said.isSuperset(of: ["me.local", "mine._x._tcp.local", type]))
    engine.clear()
    engine.hear(question: type, .ptr)
    engine.run(for: .seconds(10))
    #expect(!engine.responses.contains { $0.link == engine.link && $0.message.answers.contains { $0.timeToLive > 0 } })
  }

  @Test func `a service is established without a link that has left its scope`() {
    let engine = engine()
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope))
    #expect(engine.effects.isEmpty)
    engine.do(.setScope(scope, []))
    #expect(engine.effects == [.registration(.init(1), .established)])
  }

  @Test func `one name is published once on an interface whatever the family`() {
    let engine = engine()
    let six = MulticastLink(interface: 2, family: .ipv6)
    engine.do(.setScope(.init(2), [six]))
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope))
    engine.do(.publish(.init(2), VirtualHost.service("mine"), in: .init(2)))
    #expect(engine.effects == [.registration(.init(2), .conflict("mine._x._tcp.local"))])
  }

  @Test func `registrations that share names are in nobody's way, on one link and on two`() {
    let engine = engine(hostName: "me.local")
    let six = MulticastLink(interface: 2, family: .ipv6)
    engine.do(.linkUp(six, addresses: [InterfaceAddress(.ipv4(0x0A01_0001), prefixLength: 24)]))
    engine.do(.setScope(.init(2), [six]))
    engine.do(.setScope(.init(3), [other, six]))
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope, sharingNames: true))
    engine.do(.publish(.init(2), VirtualHost.service("mine"), in: .init(2), sharingNames: true))
    // The same name once more, on one more link.
    let more = PublishedRecord("mine._x._tcp.local", .data(.hinfo(cpu: [97], system: [98])), .unique)
    engine.do(.publish(.init(4), [more], in: .init(3), sharingNames: true))
    engine.do(.publish(.init(5), VirtualHost.service("mine"), in: .init(3)))
    engine.run(for: .seconds(10))
    // The second waits for the host's name, which is not there.
    for id in [1, 4] as [UInt64] { #expect(engine.effects.contains(.registration(.init(id), .established))) }
    #expect(engine.effects.contains(.registration(.init(5), .conflict("mine._x._tcp.local"))))
    engine.clear()
    // Not on the link of the question.
    engine.hear(question: "mine._x._tcp.local", .hinfo)
    engine.run(for: .seconds(2))
    #expect(engine.effects.isEmpty)
  }

  @Test func `a scope that comes to share an interface loses a name that another has there`() {
    let engine = engine()
    engine.do(.setHostName("me.local"))
    engine.do(.setScope(.init(2), [engine.link]))
    engine.do(.publish(.init(1), VirtualHost.service("mine"), in: scope))
    engine.do(.publish(.init(2), VirtualHost.service("mine"), in: .init(2)))
    #expect(engine.effects.isEmpty)
    engine.do(.setScope(.init(2), [engine.link, other]))
    #expect(engine.effects.contains(.registration(.init(2), .conflict("mine._x._tcp.local"))))
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.registration(.init(1), .established)))
  }

  @Test func `records are asked for again in a scope alone`() {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), type, .ptr))
    engine.hear(pointer)
    engine.run(for: .seconds(20))
    engine.clear()
    engine.do(.reconfirm(type, .ptr, pointer.data, in: scope))
    engine.run(for: .seconds(1))
    #expect(engine.effects.isEmpty)
    engine.do(.setScope(scope, [engine.link]))
    engine.do(.reconfirm(type, .ptr, pointer.data, in: scope))
    #expect(engine.answered(.suspect(pointer, engine.link)))
  }

  @Test(arguments: [false, true])
  func `another process of this host on an interface that is not used here is no other host`(_ isKnown: Bool) {
    let engine = LoneEngine(hostName: "me.local")
    let elsewhere = IPAddress.ipv4(0x0A00_0007)
    if isKnown { engine.do(.setHostAddresses([elsewhere])) }
    var message = DNSMessage(isResponse: true)
    message.answers = [DNSRecord("me.local", .address(elsewhere), timeToLive: 120, cacheFlush: true)]
    engine.hear(message, address: elsewhere)
    engine.run(for: .seconds(10))
    // A name that another host has is probed for again (RFC 6762 §9).
    #expect(engine.questions("me.local", .any).isEmpty == isKnown)
  }
}
