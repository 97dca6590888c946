/// A stream with a peer that no socket reaches, and that a module of the package makes.
package struct RelayedStream: Sendable {
  /// The peer's address, as far as it has one; it counts for the limits by address.
  package let peer: SocketAddress
  /// The address of this side, of the same kind.
  package let local: SocketAddress
  /// Makes the stream for a loop, on which it is started and used. Called at most once, on any thread.
  package let make: @Sendable (TransportLoop) -> any ByteStream

  package init(
    peer: SocketAddress, local: SocketAddress, make: @escaping @Sendable (TransportLoop) -> any ByteStream
  ) {
    self.peer = peer
    self.local = local
    self.make = make
  }
}
