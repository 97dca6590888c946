/// The unit that counts as one address when connections are limited by address.
///
/// An app can limit by the same unit what a peer gets after its admission.
public struct AddressBlock: Hashable, Sendable {
  private enum Unit: Hashable {
    case address(SocketAddress)
    /// The first half of the IPv6 address, as in memory.
    case prefix(UInt64)
    case user(UInt32)
  }

  private let unit: Unit

  /// - Parameters:
  ///   - peer: The address of the peer.
  ///   - local: The address of this side. It shows whether both are on the same link.
  ///   - credentials: The peer's credentials on a Unix-domain socket, where all peers have the same address or none.
  init(_ peer: SocketAddress, seenFrom local: SocketAddress, _ credentials: PeerCredentials? = nil) {
    switch peer.family {
    case .ipv4:
      unit = .address(peer.with(port: 0))
    case .ipv6:
      let isNeighbour = local.family == .ipv6 && local.prefix == peer.prefix
      unit = isNeighbour ? .address(peer.with(port: 0)) : .prefix(peer.prefix)
    case .unix:
      unit = credentials.map { .user($0.userID) } ?? .address(local)
    }
  }
}

extension AddressBlock: CustomStringConvertible {
  /// An address without a port, such as `10.0.0.1`; a prefix such as `2001:db8:0:1::/64`; or a user such as `user 1000`.
  public var description: String {
    switch unit {
    case .address(let address): return address.host
    case .prefix(let prefix):
      let bytes = withUnsafeBytes(of: prefix) { Array($0) } + [UInt8](repeating: 0, count: 8)
      return (SocketAddress(bytes: bytes, port: 0)?.host ?? "::") + "/64"
    case .user(let user): return "user \(user)"
    }
  }
}

extension Connection {
  /// The unit as which the peer's address counts: an IPv4 address; an IPv6 address of the link that both sides are on, because
  /// all neighbours share its prefix; the /64 prefix of any other IPv6 address; or the user at a Unix-domain socket.
  public var peerBlock: AddressBlock { AddressBlock(peer, seenFrom: local, peerCredentials) }
}
