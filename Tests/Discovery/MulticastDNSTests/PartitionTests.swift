import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Hosts that have one name because they did not hear each other for some time (RFC 6762 §9).
@Suite struct PartitionTests {
  private let name: DNSName = "P._x._tcp.local"

  /// Two hosts with a service of one name each, and one that hears only the first until the two hear each other.
  private struct Healed {
    let network: VirtualNetwork
    let hosts: [VirtualHost]
    let registrations: [MulticastEngine.RegistrationID]
    let observer: VirtualHost

    init(seed: UInt64) {
      network = VirtualNetwork(seed: seed)
      hosts = [network.addHost("one.local"), network.addHost("two.local")]
      observer = network.addHost()
      network.group = [0, 1, 0]
      registrations = zip(hosts, [[1, 0x61], [1, 0x62]] as [[UInt8]]).map { $0.publish("P", txt: $1) }
      network.run(for: .seconds(10))
      network.group = [0, 0, 0]
      network.run(for: .seconds(10))
    }

    /// The hosts that have lost the name.
    var losers: [Int] {
      hosts.indices.filter { hosts[$0].was(.registration(registrations[$0], .conflict("P._x._tcp.local"))) }
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func `one of two hosts loses a name soon after the first packet that shows it`(
    seed: UInt64
  ) {
    let healed = Healed(seed: seed)
    #expect(healed.losers.isEmpty)
    let start = healed.network.now
    // Whoever has heard one of them before does not ask.
    _ = healed.network.addHost().ask("P._x._tcp.local", .srv)
    healed.network.run(for: .seconds(3))
    #expect(healed.losers.count == 1)
    let shown = healed.network.wire.first { entry in
      entry.time > start && entry.message.isResponse
        && (entry.message.answers + entry.message.additionals).contains { $0.name == name }
    }
    let lost = healed.hosts.indices.compactMap {
      healed.hosts[$0].time(of: .registration(healed.registrations[$0], .conflict(name)))
    }
    if let shown, let lost = lost.first { #expect(lost - shown.time < .seconds(2)) }
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func `a question with the other host's answer shows it too`(seed: UInt64) {
    let healed = Healed(seed: seed)
    // As a host asks that heard the first only, and wants to know of others: of unique records too.
    let known = DNSRecord(name, .srv(DNSService(target: "one.local", port: 1)), timeToLive: 120)
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(name, .srv)]
    message.answers = [known]
    let source = MulticastSource(healed.observer.address, port: 5353, link: healed.hosts[1].link)
    healed.hosts[1].do(.heard(message, from: source, to: .multicast))
    healed.network.run(for: .seconds(3))
    #expect(healed.losers.count == 1)
  }

  @Test func `a record that another host says now is told again with its sender`() {
    let engine = LoneEngine()
    let text = DNSRecord(name, .txt([1, 0x61]), timeToLive: 4500, cacheFlush: true)
    let address = DNSRecord("one.local", .address(.ipv4(0x0A00_0002)), timeToLive: 120, cacheFlush: true)
    engine.do(.ask(.init(1), name, .txt))
    engine.do(.ask(.init(2), "one.local", .a))
    engine.hear(text, address, from: 2)
    engine.clear()
    engine.hear(text, address, from: 2)
    #expect(engine.effects.isEmpty)
    // Addresses are told by several interfaces of one host, and have no sender that matters.
    engine.hear(text, address, from: 3)
    #expect(engine.effects == [.answer(.init(1), .added(text, engine.link))])
    #expect(engine.engine.sender(of: text, on: engine.link) == .ipv4(0x0A00_0003))
  }
}
