#if Avahi
import CBonjourishAvahi.Common
import _BonjourishDiscovery

/// An error number of Avahi.
struct AvahiError: Error, Hashable, CustomStringConvertible {
  let number: CInt

  init(_ number: CInt) {
    self.number = number
  }

  /// Avahi's constants are `Int` in Swift, but its functions use `CInt`.
  private init(_ number: Int) {
    self.init(CInt(number))
  }

  static let noDaemon = AvahiError(AVAHI_ERR_NO_DAEMON)
  /// The system bus or the daemon does not answer in time. Avahi's own numbers are not positive.
  static let hangs = AvahiError(CInt(1))

  var isCollision: Bool { self == AvahiError(AVAHI_ERR_COLLISION) }

  /// Whether the call may have failed because the connection is lost, which the connection's state change reports too.
  ///
  /// A daemon that dies during a call leaves a D-Bus error behind. Calls between the loss and its report find a bad state.
  var mayBeDisconnection: Bool {
    switch Int(number) {
    case AVAHI_ERR_DISCONNECTED, AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DBUS_ERROR, AVAHI_ERR_BAD_STATE: true
    default: self == .hangs
    }
  }

  private var reason: String { String(cString: avahi_strerror(number)) }

  /// Avahi's own words and its number, for those who look behind a `DiscoveryError`.
  var description: String { self == .hangs ? "no answer in time" : "avahi: \(reason) (\(number))" }

  /// Returns the error as a `DiscoveryError`.
  ///
  /// - Parameter action: The action that failed, such as `browsing _http._tcp`.
  func during(_ action: String) -> DiscoveryError {
    switch Int(number) {
    case _ where self == .hangs:
      DiscoveryError(
        .unavailable,
        "\(action): avahi-daemon or the system bus does not answer in time; bonjourish doctor tells which of them hangs: restart "
          + "avahi-daemon (systemctl restart avahi-daemon), or use the backend builtin", because: self)
    case AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DISCONNECTED, AVAHI_ERR_DBUS_ERROR:
      DiscoveryError(
        .unavailable,
        "\(action): avahi-daemon does not answer (\(reason)); start it and the system bus: "
          + "systemctl start dbus avahi-daemon", because: self)
    case AVAHI_ERR_TOO_MANY_OBJECTS, AVAHI_ERR_TOO_MANY_CLIENTS, AVAHI_ERR_TOO_MANY_ENTRIES:
      DiscoveryError(
        .limitReached,
        "\(action): a limit of avahi-daemon is reached (\(reason)); end some operations, or raise objects-per-client-max "
          + "and clients-max in avahi-daemon.conf", because: self)
    default:
      DiscoveryError(.refused, "\(action): avahi-daemon refused (\(reason))", because: self)
    }
  }
}
#endif
