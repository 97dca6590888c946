/// The protection of the connections that a listener accepts.
///
/// `FramedTransport` itself knows ``plaintext`` only; the module `FramedSecurity` adds encryption. Connections are delivered to the
/// app once the protection is established. Until then they are pending: ``PendingConnectionLimits`` apply to them.
public struct ListenerSecurity: Sendable {
  /// The layer over the streams of accepted connections; `nil` for none.
  package let layer: (any StreamLayer)?

  package init(_ layer: (any StreamLayer)?) {
    self.layer = layer
  }

  /// No protection: everyone on the way can read and change what is sent.
  public static let plaintext = ListenerSecurity(nil)
}
