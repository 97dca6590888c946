package import _BonjourishDiscovery

/// A UDP socket at port 5353.
package struct PortSocket: Hashable, Sendable {
  package let family: IPAddress.Family
  package let inode: UInt64
  package let user: UInt32
  /// The datagrams that were dropped because its receive buffer was full.
  package let drops: Int
  /// The program that has the socket; nil if it cannot be seen.
  package var owner: Owner?

  /// A process.
  package struct Owner: Hashable, Sendable, CustomStringConvertible {
    package let process: Int
    package let name: String

    package init(process: Int, name: String) {
      self.process = process
      self.name = name
    }

    package var description: String { "\(name) (process \(process))" }
  }

  package init(_ family: IPAddress.Family, inode: UInt64, user: UInt32 = 0, drops: Int = 0, owner: Owner? = nil) {
    self.family = family
    self.inode = inode
    self.user = user
    self.drops = drops
    self.owner = owner
  }

  /// Reads `/proc/net/udp` or `/proc/net/udp6`: the sockets at port 5353. Lines that make no sense are skipped.
  package static func parse(_ text: String, _ family: IPAddress.Family) -> [PortSocket] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count >= 13, let colon = fields[1].lastIndex(of: ":"),
        UInt16(fields[1][colon...].dropFirst(), radix: 16) == 5353, let user = UInt32(fields[7]), let inode = UInt64(fields[9]),
        let drops = Int(fields[12])
      else { return nil }
      return PortSocket(family, inode: inode, user: user, drops: drops)
    }
  }
}

/// The kernel's counters of UDP and other protocols.
package enum UDPCounters {
  /// Reads a counter from `/proc/net/snmp` or `/proc/net/netstat`, such as `RcvbufErrors`; nil if it is not there.
  package static func parse(_ text: String, _ name: String, of group: String = "Udp") -> Int? {
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("\(group): ") }.map { $0.split(separator: " ") }
    guard rows.count == 2, let column = rows[0].firstIndex(where: { $0 == name }), column < rows[1].count else { return nil }
    return Int(rows[1][column])
  }
}
