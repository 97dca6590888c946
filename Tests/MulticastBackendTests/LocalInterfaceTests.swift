import Discovery
import MulticastDNS
import Testing

@testable import MulticastBackend

@Suite struct LocalInterfaceTests {
  private let own = try! #require(IPAddress("10.77.0.1"))
  private let linkLocal = try! #require(IPAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]))
  private let global = IPAddress.ipv6(high: 0x2001_0db8_0077_0000, low: 1)

  private func published(of addresses: [IPAddress], preferring preferred: Set<IPAddress>) -> [IPAddress] {
    let interface = LocalInterface(
      index: 2, name: "eth0", kind: .network, mtu: 1500, addresses: addresses.map { InterfaceAddress($0, prefixLength: 64) })
    let chosen = interface.publishing(preferred)
    #expect(chosen.addresses.map(\.address) == addresses)
    return chosen.addresses.filter(\.isPublished).map(\.address)
  }

  @Test func `a link-local address is not published beside a global one of its family`() {
    #expect(published(of: [own, linkLocal, global], preferring: [own, global]) == [own, global])
  }

  @Test func `a link-local address is published when its family has no other`() {
    #expect(published(of: [own, linkLocal], preferring: [own]) == [own, linkLocal])
  }

  @Test func `deprecated addresses are published when there is no other`() {
    #expect(published(of: [linkLocal, global], preferring: []) == [linkLocal, global])
  }
}
