import FramedTransport
import Testing

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("10.0.0.1", "10.0.0.1:80"), ("255.255.255.255", "255.255.255.255:80"),
    ("::", "[::]:80"), ("2001:DB8:0:0::1", "[2001:db8::1]:80"),
    ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]:80"), ("fe80::1%lo", "[fe80::1%lo]:80"), ("fe80::1%1", "[fe80::1%lo]:80"),
    ("fe80::1%4000000000", "[fe80::1%4000000000]:80"),
  ])
  func `an address is read and written`(host: String, description: String) throws {
    let address = try #require(SocketAddress(numericHost: host, port: 80))
    #expect(address.description == description)
    #expect(SocketAddress(numericHost: address.host, port: 80) == address)
    #expect(address.family == (host.contains(":") ? .ipv6 : .ipv4))
    #expect(address.with(port: 81).port == 81)
    #expect(address.with(port: 81) != address)
  }

  @Test(arguments: [
    "", "localhost", "10.0.0", "10.0.0.256", "10.0.0.1%lo", "1.2.3.4 ", "::1::", "fe80::1%", "fe80::1%nonesuch0", "[::1]",
    "10.0.0.1\0", "fe80::1%-1",
  ])
  func `what is no address is refused`(host: String) {
    #expect(SocketAddress(numericHost: host, port: 80) == nil)
  }

  @Test func `the interface distinguishes link-local addresses`() throws {
    let first = try #require(SocketAddress(numericHost: "fe80::1%1", port: 80))
    let second = try #require(SocketAddress(numericHost: "fe80::1%2", port: 80))
    #expect(first != second)
    #expect(first.scopeID == 1)
  }
}
