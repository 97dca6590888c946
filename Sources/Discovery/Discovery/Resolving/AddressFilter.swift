/// Decides which addresses in answers a program may connect to.
///
/// Whoever is on the link can answer for a service with any address. So an address counts only if this machine reaches it through
/// the interface on which the answer was heard: it is in a subnet of that interface, or the route to it leaves there. An answer
/// that was heard on the loopback interface comes from this machine, and may name any address that has a route. Others cannot
/// lead a program to the loopback address, into containers of this machine or through its tunnels.
package struct AddressFilter: Sendable {
  /// Where this machine sends what goes to an address.
  package enum Route: Hashable, Sendable {
    /// To itself.
    case here
    /// Out of the interface with this index.
    case out(UInt32)
    /// There is no route, or one that refuses; or the address is a broadcast address.
    case nowhere
  }

  /// What this machine knows of an interface.
  package enum Side: Hashable, Sendable {
    case loopback
    /// A network, with the addresses of this machine and their prefix lengths.
    case network([Subnet])
    /// It is none of this machine's: avahi-daemon is in another network namespace.
    case unknown
  }

  /// An address and the number of the first bits that all hosts of the link have in common.
  package struct Subnet: Hashable, Sendable {
    let address: IPAddress
    let prefixLength: Int

    package init(_ address: IPAddress, prefixLength: Int) {
      self.address = address
      self.prefixLength = prefixLength
    }
  }

  private let route: @Sendable (IPAddress) -> Route?
  private let side: @Sendable (NetworkInterface) -> Side

  /// - Parameters:
  ///   - route: Returns where this machine sends what goes to an address; nil if that cannot be found out.
  ///   - side: Returns what this machine knows of an interface.
  package init(
    route: @escaping @Sendable (IPAddress) -> Route?, side: @escaping @Sendable (NetworkInterface) -> Side
  ) {
    self.route = route
    self.side = side
  }

  /// Permits every address of a single host.
  package static let unicast = AddressFilter(route: { _ in .here }, side: { _ in .loopback })

  /// Whether a program may connect to an address.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - source: Where the answer was heard.
  package func permits(_ address: IPAddress, heardOn source: DiscoverySource) -> Bool {
    guard address.isUnicast else { return false }
    // It is link-local, and can only lead to the interface.
    if address.zone != nil { return true }
    let route = route(address)
    // Whoever reads a directory has left out what must not lead to this machine. The rest needs a route only.
    guard let interface = source.interface else { return route != .nowhere }
    if route == .out(interface.index) { return true }
    switch side(interface) {
    case .loopback: return route != .nowhere
    case .network(let subnets):
      if address.isLoopback || route == .nowhere { return false }
      return route == nil || subnets.contains { $0.address.shares($0.prefixLength, bitsWith: address) }
    case .unknown:
      // A container without a network of its own has no route at all, and may still show what the daemon finds.
      return route != .here && !address.isLoopback
    }
  }
}
