#if Avahi
import _BonjourishDiscovery

/// An operation that is started again on each new connection to the daemon.
protocol AvahiOperation {
  /// Starts the operation, for the first time or again.
  func start(on connection: AvahiConnection)
  /// Frees the operation's objects at the daemon.
  func stop()
  /// Forgets the operation's objects without freeing them. The caller then frees the connection, which frees them all.
  func interrupt(_ error: AvahiError)
  /// Notes the interfaces of this machine. Starts the operation again if its interface has been made again, and waits for the
  /// interface if it is gone.
  func interfacesChanged(_ interfaces: [InterfaceState])
}
#endif
