package import _BonjourishDiscovery

/// A route of the kernel's main tables.
package struct Route: Hashable, Sendable {
  package let destination: IPAddress
  package let prefixLength: Int
  /// The next router; nil if hosts are reached directly.
  package let gateway: IPAddress?
  /// The name of the interface; "*" or "lo" for a route that refuses.
  package let interface: String
  /// Whether packets are refused or thrown away: `unreachable`, `prohibit` or `blackhole`.
  package let isRefusing: Bool

  package init(
    to destination: IPAddress, prefixLength: Int, via gateway: IPAddress? = nil, on interface: String, isRefusing: Bool = false
  ) {
    self.destination = destination
    self.prefixLength = prefixLength
    self.gateway = gateway
    self.interface = interface
    self.isRefusing = isRefusing
  }

  func covers(_ address: IPAddress) -> Bool {
    guard address.family == destination.family else { return false }
    return zip(address.bytes, destination.bytes).enumerated().allSatisfy { place, pair in
      let bits = max(0, min(8, prefixLength - place * 8))
      return bits == 0 || (pair.0 ^ pair.1) >> (8 - bits) == 0
    }
  }

  private static let up: UInt32 = 0x1
  private static let reject: UInt32 = 0x200

  /// Reads `/proc/net/route`. Lines that make no sense are skipped.
  package static func parse(ipv4 text: String) -> [Route] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split { $0 == "\t" || $0 == " " }
      guard fields.count >= 8, let destination = address(fields[1]), let gateway = address(fields[2]),
        let flags = UInt32(fields[3], radix: 16), flags & (up | reject) != 0, let mask = address(fields[7])
      else { return nil }
      return Route(
        to: destination, prefixLength: mask.bytes.reduce(0) { $0 + $1.nonzeroBitCount },
        via: gateway.bytes == [0, 0, 0, 0] ? nil : gateway, on: String(fields[0]),
        // `blackhole` has no flag of its own, and no interface either.
        isRefusing: flags & reject != 0 || fields[0] == "*")
    }
  }

  /// The kernel prints the four bytes of an IPv4 address as one number of this machine.
  private static func address(_ text: Substring) -> IPAddress? {
    guard text.utf8.count == 8, let number = UInt32(text, radix: 16) else { return nil }
    return .ipv4(UInt32(bigEndian: number))
  }

  /// Reads `/proc/net/ipv6_route`. Lines that make no sense are skipped.
  package static func parse(ipv6 text: String) -> [Route] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count >= 10, let destination = IPAddress(hexadecimal: fields[0]), let length = Int(fields[1], radix: 16),
        0...128 ~= length, let gateway = IPAddress(hexadecimal: fields[4]), let flags = UInt32(fields[8], radix: 16)
      else { return nil }
      return Route(
        to: destination, prefixLength: length, via: gateway.bytes.allSatisfy { $0 == 0 } ? nil : gateway,
        on: String(fields[9]), isRefusing: flags & reject != 0)
    }
  }
}

extension IPAddress {
  /// Reads 32 hexadecimal digits.
  init?(hexadecimal text: some StringProtocol) {
    guard text.utf8.count == 32 else { return nil }
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 32 else { return nil }
    self.init(bytes: stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }
}

/// The hosts that the kernel has found on the machine's IPv4 networks.
package enum NeighbourTable {
  /// Reads `/proc/net/arp`: the hosts whose hardware address is known, by the interface's name.
  package static func parse(_ text: String) -> [String: [IPAddress]] {
    var hosts: [String: [IPAddress]] = [:]
    for line in text.split(separator: "\n") {
      let fields = line.split { $0 == " " || $0 == "\t" }
      // 0x2: complete.
      guard fields.count >= 6, let address = IPAddress(String(fields[0])), fields[2].hasPrefix("0x"),
        let flags = UInt32(fields[2].dropFirst(2), radix: 16), flags & 0x2 != 0
      else { continue }
      hosts[String(fields[5]), default: []].append(address)
    }
    return hosts
  }
}
