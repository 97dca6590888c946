import Testing

@testable import _BonjourishDiscovery

/// The order in which people are told the addresses of this machine.
struct OwnAddressTests {
  private let wired = NetworkInterface(index: 2, name: "eth0")
  private let other = NetworkInterface(index: 3, name: "eth1")

  private func address(_ text: String, _ interface: NetworkInterface, isOnDefaultRoute: Bool = false) throws -> OwnAddress {
    OwnAddress(try #require(IPAddress(text)), interface, isOnDefaultRoute: isOnDefaultRoute)
  }

  @Test func `an address of the default route comes first, then IPv4, and of that a private one`() throws {
    let all = [
      try address("2001:db8::7", other), try address("169.254.7.7", other), try address("198.51.100.7", other),
      try address("192.168.1.7", other), try address("fd00::1", wired, isOnDefaultRoute: true),
      try address("203.0.113.7", wired, isOnDefaultRoute: true), try address("172.16.0.7", wired, isOnDefaultRoute: true),
    ]
    #expect(
      OwnAddress.ranked(all).map(\.address.description) == [
        "172.16.0.7", "203.0.113.7", "fd00::1", "192.168.1.7", "198.51.100.7", "169.254.7.7", "2001:db8::7",
      ])
  }

  @Test(arguments: [
    ("10.255.0.1", true), ("172.15.0.1", false), ("172.16.0.1", true), ("172.31.255.1", true), ("172.32.0.1", false),
    ("192.168.0.1", true), ("192.167.0.1", false), ("11.0.0.1", false),
  ])
  func `private networks are those of RFC 1918`(text: String, isPrivate: Bool) throws {
    let ranked = OwnAddress.ranked([try address("198.51.100.1", wired), try address(text, wired)])
    #expect((ranked.first?.address.description == text) == isPrivate)
  }

  @Test func `addresses that need a zone are left out, and equals keep their order`() throws {
    let all = [try address("fe80::1", wired), try address("10.0.0.2", wired), try address("10.0.0.1", other)]
    #expect(OwnAddress.ranked(all).map(\.address.description) == ["10.0.0.2", "10.0.0.1"])
  }
}
