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

/// Two interfaces of a host in one network, and two families on one interface (RFC 6762 §10.2, §14).
@Suite struct BridgedInterfaceTests {
  private let four = (InterfaceAddress.ipv4(11, on: 0), InterfaceAddress.ipv4(12, on: 0))
  private let six = InterfaceAddress.linkLocal(12)

  /// What a host in the same network knows of another's addresses.
  private struct Observer {
    let host: VirtualHost
    let queries: [MulticastEngine.QueryID]

    init(in network: VirtualNetwork) {
      host = network.addHost([VirtualInterface(1, on: 0, addresses: [.ipv4(99, on: 0), .linkLocal(99)])])
      queries = [host.ask("two.local", .a), host.ask("two.local", .aaaa)]
    }

    var known: Set<IPAddress> {
      Set(
        queries.flatMap { host.answers[$0, default: []] }.compactMap { identity in
          if case .address(let address) = identity.data { address } else { nil }
        })
    }
  }

  /// A host with a second interface that is plugged in ten seconds after the first.
  private func network(second: [InterfaceAddress], seed: UInt64 = 1) -> (VirtualNetwork, VirtualHost, Observer) {
    let network = VirtualNetwork(seed: seed)
    var other = VirtualInterface(2, on: 0, addresses: second)
    other.isPluggedIn = false
    let host = network.addHost([VirtualInterface(1, on: 0, addresses: [four.0]), other])
    host.do(.setHostName("two.local"))
    let observer = Observer(in: network)
    network.run(for: .seconds(10))
    host.change(2) { $0.isPluggedIn = true }
    return (network, host, observer)
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func `addresses of two interfaces in one network are known until one is gone`(
    seed: UInt64
  ) {
    let (network, host, observer) = network(second: [four.1, six], seed: seed)
    network.run(for: .seconds(3))
    let all = Set([four.0, four.1, six].map(\.address))
    // Through all announcements, and what they flush.
    for _ in 0..<50 {
      network.run(for: .milliseconds(100))
      #expect(observer.known == all)
    }
    host.change(2) { $0.isPluggedIn = false }
    network.run(for: .seconds(2))
    #expect(observer.known == [four.0.address])
    network.run(for: .seconds(10))
    #expect(observer.known == [four.0.address])
  }

  @Test func `an interface that comes back is not withdrawn any more`() {
    for absence in [Duration.zero, .milliseconds(800)] {
      let (network, host, observer) = network(second: [four.1])
      network.run(for: .seconds(10))
      host.change(2) { $0.isPluggedIn = false }
      network.run(for: absence)
      let start = network.wire.count
      host.change(2) { $0.isPluggedIn = true }
      network.run(for: .milliseconds(1500))
      for _ in 0..<50 {
        network.run(for: .milliseconds(100))
        #expect(observer.known == [four.0.address, four.1.address])
      }
      #expect(!network.wire[start...].contains { $0.message.answers.contains { $0.timeToLive == 0 } })
    }
  }

  @Test func `an interface in another network disturbs neither`() {
    let network = VirtualNetwork()
    let elsewhere = VirtualInterface(2, on: 1, addresses: [.ipv4(12, on: 1)])
    let host = network.addHost([VirtualInterface(1, on: 0, addresses: [four.0]), elsewhere])
    host.do(.setHostName("two.local"))
    let observer = Observer(in: network)
    network.run(for: .seconds(10))
    host.change(2) { $0.isPluggedIn = false }
    for _ in 0..<50 {
      network.run(for: .milliseconds(100))
      #expect(observer.known == [four.0.address])
    }
  }

  @Test func `all IPv4 addresses of an interface that are gone are forgotten on both links within two seconds`() {
    let network = VirtualNetwork()
    let host = network.addHost([VirtualInterface(1, on: 0, addresses: [four.0, six])])
    host.do(.setHostName("two.local"))
    let observer = Observer(in: network)
    network.run(for: .seconds(10))
    #expect(observer.known == [four.0.address, six.address])
    host.change(1) { $0.addresses = [six] }
    network.run(for: .seconds(2))
    #expect(observer.known == [six.address])
  }

  @Test func `an address that is withdrawn over one family alone stays known over the other`() {
    let network = VirtualNetwork()
    let host = network.addHost([VirtualInterface(1, on: 0, addresses: [four.0, six])])
    let links = IPAddress.Family.allCases.map { MulticastLink(interface: 1, family: $0) }
    host.do(.setScope(.init(1), Set(links)))
    host.do(.setHostName("two.local", in: .init(1)))
    let observer = Observer(in: network)
    network.run(for: .seconds(10))
    host.do(.setScope(.init(1), [links[0]]))
    for _ in 0..<50 {
      network.run(for: .milliseconds(100))
      #expect(observer.known == [four.0.address, six.address])
    }
  }
}
