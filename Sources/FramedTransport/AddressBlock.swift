/// What counts as one address when connections are limited by where they come from.
enum AddressBlock: Hashable, Sendable {
  case address(SocketAddress)
  case prefix(UInt64)
  case user(UInt32)

  /// - Parameters:
  ///   - peer: Who has connected.
  ///   - local: The address of this side that he has connected to, which tells whether both are on one link.
  ///   - credentials: Who is at the other end of a Unix-domain socket, where all have the same address or none.
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
