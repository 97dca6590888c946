/// An address of this machine that can be told to people, as a part of a link or a QR code.
///
/// Discovery tells a service's addresses to programs. A phone's camera knows nothing of that: it needs one address in digits.
public struct OwnAddress: Hashable, Sendable {
  /// The address. It has no zone: link-local addresses of IPv6, which need one, cannot be told.
  public let address: IPAddress
  /// The interface that has the address.
  public let interface: NetworkInterface
  /// Whether what this machine sends to the rest of the world leaves it through this interface.
  public let isOnDefaultRoute: Bool

  /// Makes an address. Whether the machine has it is not checked.
  public init(_ address: IPAddress, _ interface: NetworkInterface, isOnDefaultRoute: Bool = false) {
    self.address = address
    self.interface = interface
    self.isOnDefaultRoute = isOnDefaultRoute
  }

  /// The addresses that can be told, those first that a neighbour most likely reaches: over the interface of the default route, over IPv4,
  /// and of IPv4 an address for private networks (RFC 1918). Others stay in their order.
  package static func ranked(_ all: [OwnAddress]) -> [OwnAddress] {
    let candidates = all.filter { $0.address.family == .ipv4 || !$0.address.isLinkLocal }
    func rank(_ one: OwnAddress) -> Int {
      let kind =
        switch one.address.family {
        case .ipv4 where one.address.isPrivate: 0
        case .ipv4 where !one.address.isLinkLocal: 1
        case .ipv4: 2
        case .ipv6: 3
        }
      return (one.isOnDefaultRoute ? 0 : 4) + kind
    }
    return candidates.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
  }
}

extension IPAddress {
  /// Whether it is one of IPv4 for private networks (RFC 1918, section 3).
  fileprivate var isPrivate: Bool {
    guard family == .ipv4 else { return false }
    let bytes = self.bytes
    return bytes[0] == 10 || bytes[0] == 172 && (16...31).contains(bytes[1]) || bytes[0] == 192 && bytes[1] == 168
  }
}
