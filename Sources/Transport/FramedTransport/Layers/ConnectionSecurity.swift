/// The protection of a connection that this side opens.
///
/// `FramedTransport` itself knows ``plaintext`` only. The module `FramedSecurity` adds encryption, in which the peer proves its key
/// or its knowledge of a passcode. Whatever is chosen is never weakened: if the peer cannot offer it, connecting fails.
public struct ConnectionSecurity: Sendable {
  /// The layer over the connection's stream; `nil` for none.
  package let layer: (any StreamLayer)?

  package init(_ layer: (any StreamLayer)?) {
    self.layer = layer
  }

  /// Whether only a peer with one key, which is known before, is connected to: whoever else answers gets nothing.
  public var acceptsOneKeyOnly: Bool { layer?.acceptsOneKeyOnly ?? false }

  /// No protection: everyone on the way can read and change what is sent.
  public static let plaintext = ConnectionSecurity(nil)
}
