package import _BonjourishDiscovery

/// An interface and an address family. mDNS runs on each link separately (RFC 6762 §20).
package struct MulticastLink: Hashable, Sendable {
  /// The kernel's index of the interface.
  package let interface: UInt32
  package let family: IPAddress.Family

  package init(interface: UInt32, family: IPAddress.Family) {
    self.interface = interface
    self.family = family
  }
}

/// The source of a datagram, and the destination of a unicast answer.
package struct MulticastSource: Hashable, Sendable {
  package let address: IPAddress
  package let port: UInt16
  package let link: MulticastLink

  package init(_ address: IPAddress, port: UInt16, link: MulticastLink) {
    self.address = address
    self.port = port
    self.link = link
  }
}
