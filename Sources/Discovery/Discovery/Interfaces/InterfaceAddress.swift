/// An address of an interface of this host.
package struct InterfaceAddress: Hashable, Sendable {
  package let address: IPAddress
  /// The number of leading bits that all addresses on the link share.
  package let prefixLength: Int
  /// Whether the address is published under the host's name. The others only tell which hosts are on the link, and which
  /// datagrams are ours.
  package let isPublished: Bool

  package init(_ address: IPAddress, prefixLength: Int, isPublished: Bool = true) {
    self.address = address
    self.prefixLength = prefixLength
    self.isPublished = isPublished
  }
}
