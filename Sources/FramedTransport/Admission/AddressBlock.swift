/// The unit that counts as one address when connections are limited by address.
enum AddressBlock: Hashable, Sendable {
  case address(SocketAddress)
  case prefix(UInt64)
  case user(UInt32)

  /// - Parameters:
  ///   - peer: The address of the peer.
  ///   - local: The address of this side. It shows whether both are on the same link.
  ///   - credentials: The peer's credentials on a Unix-domain socket, where all peers have the same address or none.
  init(_ peer: SocketAddress, seenFrom local: SocketAddress, _ credentials: PeerCredentials? = nil) {
    switch peer.family {
    case .ipv4:
      self = .address(peer.with(port: 0))
    case .ipv6:
      let isNeighbour = local.family == .ipv6 && local.prefix == peer.prefix
      self = isNeighbour ? .address(peer.with(port: 0)) : .prefix(peer.prefix)
    case .unix:
      self = credentials.map { .user($0.userID) } ?? .address(local)
    }
  }
}
