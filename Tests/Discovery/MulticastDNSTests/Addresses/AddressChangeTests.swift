import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Addresses of the host that come and go (RFC 6762 §8.4, §10.2).
@Suite struct AddressChangeTests {
  private let name: DNSName = "me.local"
  private let first = InterfaceAddress(LoneEngine.address, prefixLength: 24)
  private let second = InterfaceAddress(.ipv4(0x0A00_0063), prefixLength: 24)
  private let linkLocal = InterfaceAddress(.ipv6(high: 0xFE80 << 48, low: 1), prefixLength: 64)
  private let global = InterfaceAddress(.ipv6(high: 0xFD00 << 48, low: 1), prefixLength: 64)
  private let renumbered = InterfaceAddress(.ipv6(high: 0xFD01 << 48, low: 1), prefixLength: 64)

  private func record(_ address: InterfaceAddress) -> DNSRecord {
    DNSRecord(name, .address(address.address), timeToLive: 120, cacheFlush: true)
  }

  @Test func `one removed address of several is told with the rest of the set`() {
    for gone in [first, second] {
      let kept = gone == first ? second : first
      let engine = LoneEngine(addresses: [first, second], hostName: name)
      engine.do(.linkChanged(engine.link, addresses: [kept]))
      engine.run(for: .seconds(10))
      let told = engine.responses.map { $0.message.answers.filter { $0.name == name } }
      #expect(told.filter { !$0.isEmpty } == Array(repeating: [record(kept)], count: 3))
    }
  }

  @Test func `an address that is removed just after it was told is flushed by a later announcement`() {
    let engine = LoneEngine(addresses: [first], hostName: name)
    engine.do(.linkChanged(engine.link, addresses: [first, second]))
    engine.run(for: .milliseconds(200))
    engine.clear()
    let change = engine.now
    engine.do(.linkChanged(engine.link, addresses: [first]))
    engine.run(for: .seconds(10))
    // §10.2: receivers flush what is older than a second.
    #expect(engine.responses.contains { $0.message.answers == [record(first)] && $0.time - change > .seconds(1) })
    #expect(!engine.responses.contains { ($0.message.answers + $0.message.additionals).contains(record(second)) })
  }

  @Test func `peers forget one removed address of several within two seconds`() {
    let network = VirtualNetwork()
    let (one, two) = (network.addHost("one.local"), network.addHost("two.local"))
    let own = InterfaceAddress(one.address, prefixLength: 16)
    one.do(.linkChanged(one.link, addresses: [own, second]))
    let addresses = two.ask("one.local", .a)
    network.run(for: .seconds(10))
    #expect(two.answers[addresses]?.count == 2)
    one.do(.linkChanged(one.link, addresses: [own]))
    network.run(for: .seconds(2))
    #expect(two.answers[addresses]?.map(\.data) == [.address(one.address)])
  }
}
