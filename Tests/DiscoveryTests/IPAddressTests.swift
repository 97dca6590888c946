import Glibc
import TestSupport
import Testing

@testable import Discovery

@Suite("IP address") struct IPAddressTests {
  private func reference(_ bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
      preconditionFailure("inet_ntop: errno \(errno)")
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
  ]) func writesIPv6(_ groups: [UInt16], _ text: String) {
    #expect(v6(groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }).description == text)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func writesAsTheSystemDoes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 1...500 {
      var bytes = random.bytes(count: 16)
      // Zeros are where the rules are.
      for group in 0..<8 where random.once(in: 2) { bytes[2 * group] = 0 }
      for group in 0..<8 where random.once(in: 2) { (bytes[2 * group], bytes[2 * group + 1]) = (0, 0) }
      // Below ::/95 the system writes dotted quads for addresses that embed IPv4, which RFC 5952 §5 leaves open.
      if bytes[..<10].allSatisfy({ $0 == 0 }) { bytes[0] = 0x20 }
      #expect(try #require(IPAddress(bytes: bytes, seenOn: nil)).description == reference(bytes), "\(bytes)")
      let four = random.bytes(count: 4)
      #expect(try #require(IPAddress(bytes: four, seenOn: nil)).description == reference(four))
    }
  }

  @Test func everyPatternOfZerosIsWrittenAsTheSystemDoes() {
    for pattern in 0..<256 {
      let bytes = (0..<8).flatMap { group -> [UInt8] in pattern >> group & 1 == 1 ? [0, 0x1A] : [0, 0] }
      guard bytes[..<10].contains(where: { $0 != 0 }) else { continue }
      #expect(v6(bytes).description == reference(bytes))
    }
  }

  @Test func onlyFourOrSixteenBytesAreAnAddress() {
    for count in 0...20 {
      let address = IPAddress(bytes: [UInt8](repeating: 1, count: count), seenOn: eth0)
      #expect((address != nil) == (count == 4 || count == 16), "\(count)")
    }
  }

  @Test func onlyLinkLocalIPv6KeepsItsInterface() {
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
    #expect(IPAddress(bytes: [169, 254, 0, 1], seenOn: eth0) == v4(169, 254, 0, 1))
    #expect(v4(169, 254, 1, 2).isLinkLocal)
    #expect(!v4(169, 253, 1, 2).isLinkLocal)
    #expect(!v4(10, 254, 1, 2).isLinkLocal)
  }

  @Test func groupsAndUnspecifiedAreNotUnicast() {
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

  @Test func whatWorksFromEverywhereIsPreferred() {
    let addresses = [linkLocal(1, on: eth0), v4(169, 254, 0, 1), v6(1), v4(10, 0, 0, 1)]
    #expect(addresses.map(\.preference) == [3, 2, 1, 0])
  }
}
