import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishInterfaces
@testable import _BonjourishMulticastBackend

@Suite struct LocalSenderTests {
  private let own = try! #require(IPAddress("10.77.0.1"))
  private let global = IPAddress.ipv6(high: 0x2001_0db8_0077_0000, low: 1)

  @Test func `whatever its source a responder on the loopback interface is this host`() {
    let own: [InterfaceAddress] = [
      .init(.ipv4(0x7F00_0001), prefixLength: 8), .init(.ipv6(high: 0, low: 1), prefixLength: 128),
    ]
    let interface = LocalInterface(index: 1, name: "lo", kind: .loopback, mtu: 65_536, addresses: own)
    let link = MulticastLink(interface: 1, family: .ipv4)
    // Of no interface, of another one, and of a program that says where it sends from.
    for address in [IPAddress.ipv4(0), self.own, .ipv4(0x7F00_0001)] {
      #expect(interface.sender(MulticastSource(address, port: 5353, link: link)) == own[0].address)
    }
    #expect(interface.sender(MulticastSource(global, port: 5353, link: link)) == own[1].address)
  }

  @Test func `a resolver on the loopback interface and responders elsewhere keep their addresses`() {
    let addresses = [InterfaceAddress(.ipv4(0x7F00_0001), prefixLength: 8)]
    let link = MulticastLink(interface: 1, family: .ipv4)
    let loopback = LocalInterface(index: 1, name: "lo", kind: .loopback, mtu: 65_536, addresses: addresses)
    #expect(loopback.sender(MulticastSource(own, port: 50_000, link: link)) == own)
    let network = LocalInterface(index: 1, name: "eth0", kind: .network, mtu: 1500, addresses: addresses)
    #expect(network.sender(MulticastSource(own, port: 5353, link: link)) == own)
  }
}
