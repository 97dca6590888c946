/// A network that is asked and answered by itself: an interface and an address family (RFC 6762 §20).
package struct MulticastLink: Hashable, Sendable {
  /// The index of the interface, as the kernel counts.
  package let interface: UInt32
  package let family: DNSAddress.Family

  package init(interface: UInt32, family: DNSAddress.Family) {
    self.interface = interface
    self.family = family
  }
}

/// An address of our own on an interface.
package struct InterfaceAddress: Hashable, Sendable {
  package let address: DNSAddress
  /// How many leading bits are those of every address on the link.
  package let prefixLength: Int

  package init(_ address: DNSAddress, prefixLength: Int) {
    self.address = address
    self.prefixLength = prefixLength
  }
}

/// Where a datagram came from, and where an answer to it alone goes.
package struct MulticastSource: Hashable, Sendable {
  package let address: DNSAddress
  package let port: UInt16
  package let link: MulticastLink

  package init(_ address: DNSAddress, port: UInt16, link: MulticastLink) {
    self.address = address
    self.port = port
    self.link = link
  }
}
