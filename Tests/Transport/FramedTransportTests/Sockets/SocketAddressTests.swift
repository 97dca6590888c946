import Testing

@testable import FramedTransport

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

  @Test func `an address is made of its bytes`() {
    let linkLocal: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    #expect(SocketAddress(bytes: [10, 0, 0, 1], port: 80)?.description == "10.0.0.1:80")
    #expect(SocketAddress(bytes: linkLocal, port: 80)?.description == "[fe80::1]:80")
    #expect(SocketAddress(bytes: linkLocal, port: 80, zone: "lo")?.description == "[fe80::1%lo]:80")
    #expect(SocketAddress(bytes: linkLocal, port: 80, zone: "1") == SocketAddress(bytes: linkLocal, port: 80, zone: "lo"))
    #expect(SocketAddress(bytes: linkLocal, port: 80, zone: "nonesuch0") == nil)
    #expect(SocketAddress(bytes: [10, 0, 0, 1], port: 80, zone: "lo") == nil)
    for count in [0, 3, 5, 15, 17] { #expect(SocketAddress(bytes: [UInt8](repeating: 1, count: count), port: 80) == nil) }
  }

  @Test(arguments: ["10.1.2.3", "2001:db8::5", "fe80::1%1", "1::ffff:10.0.0.1", "::1:ffff:10.0.0.1", "::10.0.0.1"])
  func `the system has the address in its own form`(host: String) throws {
    let address = try #require(SocketAddress(numericHost: host, port: 258))
    #expect(address.withSystemAddress { SocketAddress($0, size: $1) } == address)
  }

  @Test(arguments: [
    ("fe80::1", true), ("febf::1", true), ("fe80::1%1", false), ("fec0::1", false), ("fe7f::1", false), ("ff80::1", false),
    ("254.128.0.1", false), ("::1", false),
  ])
  func `a link-local address without an interface lacks it`(host: String, lacksInterface: Bool) throws {
    #expect(try #require(SocketAddress(numericHost: host, port: 1)).lacksInterface == lacksInterface)
  }

  @Test func `a name on this machine has neither port nor interface, and is shown as text`() {
    let address = SocketAddress(unixName: [0x1F, 0x20, 0x7E, 0x7F])
    #expect(address.port == 0 && address.scopeID == 0 && !address.lacksInterface)
    #expect(address.description == #"unix:\x1F ~\x7F"#)
    #expect(SocketAddress(unixName: []).description == "unix:")
  }
}
