import Foundation
import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

struct IPAddressTests {
  private func reference(_ bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
      Issue.record("inet_ntop: errno \(errno)")
      return ""
    }
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  /// RFC 5952 §4 and §1.
  @Test(arguments: [
    ([0x2001, 0xDB8, 0, 0, 1, 0, 0, 1], "2001:db8::1:0:0:1"),
    ([0x2001, 0xDB8, 0, 1, 1, 1, 1, 1], "2001:db8:0:1:1:1:1:1"),
    ([0x2001, 0, 0, 1, 0, 0, 0, 1], "2001:0:0:1::1"),
    ([0, 0, 0, 0, 0, 0, 0, 0], "::"),
    ([0, 0, 0, 0, 0, 0, 0, 1], "::1"),
    ([1, 0, 0, 0, 0, 0, 0, 0], "1::"),
    ([0, 1, 1, 1, 1, 1, 1, 0], "0:1:1:1:1:1:1:0"),
    ([0, 0, 1, 1, 1, 1, 0, 0], "::1:1:1:1:0:0"),
    ([1, 0, 1, 0, 0, 1, 0, 1], "1:0:1::1:0:1"),
    ([0xFE80, 0, 0, 0, 0xABCD, 0xEF, 0, 0x10], "fe80::abcd:ef:0:10"),
  ]) func `IPv6 addresses are written by RFC 5952`(_ groups: [UInt16], _ text: String) {
    #expect(v6(groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }).description == text)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `an address is written as the system writes it`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 1...500 {
      var bytes = random.bytes(count: 16)
      // Zeros are where the rules are.
      for group in 0..<8 where random.once(in: 2) { bytes[2 * group] = 0 }
      for group in 0..<8 where random.once(in: 2) { (bytes[2 * group], bytes[2 * group + 1]) = (0, 0) }
      // Below ::/95 the system writes dotted quads for addresses that embed IPv4, which RFC 5952 §5 leaves open.
      if bytes[..<10].allSatisfy({ $0 == 0 }) { bytes[0] = 0x20 }
      #expect(try #require(IPAddress(bytes: bytes)).description == reference(bytes), "\(bytes)")
      let four = random.bytes(count: 4)
      #expect(try #require(IPAddress(bytes: four)).description == reference(four))
    }
  }

  @Test func `every pattern of zeros is written as the system writes it`() {
    for pattern in 0..<256 {
      let bytes = (0..<8).flatMap { group -> [UInt8] in pattern >> group & 1 == 1 ? [0, 0x1A] : [0, 0] }
      guard bytes[..<10].contains(where: { $0 != 0 }) else { continue }
      #expect(v6(bytes).description == reference(bytes))
    }
  }

  @Test func `only 4 or 16 bytes are an address`() {
    for count in 0...20 {
      let address = IPAddress(bytes: [UInt8](repeating: 1, count: count))
      #expect((address != nil) == (count == 4 || count == 16), "\(count)")
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `an address is read as the system reads it`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "0", "1", "00", "ff", "FFFF", "12345", "255", "256", "1.2.3.4", "01.2.3.4", ":", ":", ":", "::", ".", "g", "+1", " ",
    ]
    for _ in 1...2_000 {
      let text = (0..<random.number(in: 0..<18)).map { _ in pieces[random.number(in: 0..<pieces.count)] }.joined()
      var bytes = [UInt8](repeating: 0, count: 16)
      let family = text.contains(":") ? AF_INET6 : AF_INET
      let expected = inet_pton(family, text, &bytes) == 1 ? Array(bytes.prefix(family == AF_INET ? 4 : 16)) : nil
      #expect(IPAddress(text)?.bytes == expected, "\(text)")
    }
  }

  @Test func `what is written is read again`() {
    for address in [
      v4(10, 77, 0, 1), v4(0, 0, 0, 0), v4(255, 255, 255, 255), v6(1), linkLocal(1, on: eth0),
      v6([UInt8](repeating: 0, count: 16)), v6([UInt8](0..<16)),
    ] {
      #expect(IPAddress(address.description) == address)
      #expect(IPAddress(bytes: address.bytes, zone: address.zone) == address)
    }
    #expect(IPAddress("::ffff:10.0.0.1")?.bytes.suffix(6) == [0xFF, 0xFF, 10, 0, 0, 1])
  }

  @Test(arguments: [
    "", "localhost", "10.0.0", "10.0.0.256", "10.0.0.01", "10.0.0.1%lo", "1.2.3.4 ", "::1::", ":::", "1:2:3:4:5:6:7:8::",
    "1.2.3.4::",
    "fe80::1%", "fe80::1%a%b", "fe80::1%a b", "fe80::1%a/b", "fe80::1%a\u{7}", "fe80::1%sixteen-bytes-123", "[::1]", "::1\0",
  ]) func `what is no address is refused`(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `a zone is for IPv6 only`() {
    #expect(IPAddress(bytes: [10, 0, 0, 1], zone: "eth0") == nil)
    #expect(IPAddress(bytes: linkLocal(1, on: eth0).bytes, zone: "eth0") == linkLocal(1, on: eth0))
    #expect(IPAddress(bytes: linkLocal(1, on: eth0).bytes, zone: "") == nil)
  }

  /// RFC 3986 §3.2.2, RFC 6874 §2.
  @Test(arguments: [
    ("10.0.0.1", "10.0.0.1"), ("2001:DB8::1", "[2001:db8::1]"), ("fe80::1%eth0", "[fe80::1%25eth0]"),
    ("fe80::1%br-a.1_~", "[fe80::1%25br-a.1_~]"), ("fe80::1%w:\u{E9}", "[fe80::1%25w%3A%C3%A9]"),
  ]) func `a URL has IPv6 in brackets, and the zone escaped`(text: String, urlHost: String) {
    #expect(IPAddress(text)?.urlHost == urlHost)
  }

  @Test func `loopback is 127/8 and ::1`() {
    for text in ["127.0.0.1", "127.255.255.255", "::1"] { #expect(IPAddress(text)?.isLoopback == true) }
    for text in ["126.0.0.1", "128.0.0.1", "::", "::2", "1::1", "::ffff:127.0.0.1"] {
      #expect(IPAddress(text)?.isLoopback == false)
    }
  }

  @Test func `only link-local IPv6 addresses keep their interface`() {
    #expect(linkLocal(1, on: eth0).description == "fe80::1%eth0")
    #expect(linkLocal(1, on: eth0) != linkLocal(1, on: wlan0))
    for (first, second, isLinkLocal) in [
      (0xFE, 0x80, true), (0xFE, 0xBF, true), (0xFE, 0x7F, false), (0xFE, 0xC0, false), (0xFD, 0x80, false),
      (0x20, 0x01, false),
    ] as [(UInt8, UInt8, Bool)] {
      let address = v6([first, second] + [UInt8](repeating: 1, count: 14), on: eth0)
      #expect(address.isLinkLocal == isLinkLocal)
      #expect(address.description.hasSuffix("%eth0") == isLinkLocal)
    }
    #expect(v4(169, 254, 0, 1).seen(on: eth0) == v4(169, 254, 0, 1))
    #expect(v4(169, 254, 1, 2).isLinkLocal)
    #expect(!v4(169, 253, 1, 2).isLinkLocal)
    #expect(!v4(10, 254, 1, 2).isLinkLocal)
  }

  @Test func `group and unspecified addresses are not unicast`() {
    for address in [v4(1, 0, 0, 0), v4(10, 77, 0, 1), v4(127, 0, 0, 1), v4(223, 255, 255, 255), v6(1), linkLocal(1, on: eth0)] {
      #expect(address.isUnicast, "\(address)")
    }
    for address in [
      v4(0, 0, 0, 0), v4(0, 1, 2, 3), v4(224, 0, 0, 251), v4(255, 255, 255, 255), v6([UInt8](repeating: 0, count: 16)),
      v6([0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB]),
    ] {
      #expect(!address.isUnicast, "\(address)")
    }
  }

  @Test func `addresses that work from everywhere are preferred`() {
    let addresses = [v4(127, 0, 0, 1), linkLocal(1, on: eth0), v4(169, 254, 0, 1), v6(1), v4(10, 0, 0, 1)]
    #expect(addresses.map(\.preference) == [4, 3, 2, 1, 0])
    #expect(addresses.inOrderOfPreference == addresses.reversed())
    #expect([v4(10, 0, 0, 2), v4(10, 0, 0, 1)].inOrderOfPreference == [v4(10, 0, 0, 1), v4(10, 0, 0, 2)])
  }

  @Test func `two addresses share the bits before the first that differs`() {
    for bit in 0..<32 {
      let other = IPAddress.ipv4(0x0A4D_0001 ^ (0x8000_0000 >> UInt32(bit)))
      let shared = (0...32).filter { v4(10, 77, 0, 1).shares($0, bitsWith: other) }
      #expect(shared == Array(0...bit))
    }
    for bit in 0..<128 {
      var bytes = v6(9).bytes
      bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
      let shared = (0...128).filter { v6(9).shares($0, bitsWith: v6(bytes)) }
      #expect(shared == Array(0...bit))
    }
    #expect(v6(9).shares(128, bitsWith: v6(9)) && v4(1, 2, 3, 4).shares(32, bitsWith: v4(1, 2, 3, 4)))
    #expect(!v4(0, 0, 0, 0).shares(0, bitsWith: v6(9)) && !v6(9).shares(0, bitsWith: v4(0, 0, 0, 0)))
    #expect(!linkLocal(1, on: eth0).shares(0, bitsWith: linkLocal(1, on: eth0)), "a zone is no subnet")
  }

  @Test func `a link-local address takes the zone of the interface, or none`() {
    #expect(linkLocal(1, on: eth0).seen(on: wlan0) == linkLocal(1, on: wlan0))
    #expect(linkLocal(1, on: eth0).seen(on: nil).zone == nil)
    #expect(v6(1).seen(on: eth0).zone == nil)
  }
}
