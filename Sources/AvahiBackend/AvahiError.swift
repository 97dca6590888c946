import CAvahi.Common
import Discovery

/// One of Avahi's error numbers.
struct AvahiError: Error, Hashable {
  let number: CInt

  init(_ number: CInt) {
    self.number = number
  }

  /// The constants are `Int` in Swift, Avahi's functions speak `CInt`.
  private init(_ number: Int) {
    self.init(CInt(number))
  }

  static let noDaemon = AvahiError(AVAHI_ERR_NO_DAEMON)

  var isCollision: Bool { self == AvahiError(AVAHI_ERR_COLLISION) }

  /// Whether the connection is gone, which its state change reports by itself.
  var isDisconnection: Bool { self == AvahiError(AVAHI_ERR_DISCONNECTED) || self == .noDaemon }

  private var reason: String { String(cString: avahi_strerror(number)) }

  /// The error as ours.
  ///
  /// - Parameter action: What was tried, such as `browsing _http._tcp`.
  func during(_ action: String) -> DiscoveryError {
    switch Int(number) {
    case AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DISCONNECTED, AVAHI_ERR_DBUS_ERROR:
      DiscoveryError(
        .unavailable,
        "\(action): avahi-daemon does not answer (\(reason)); start it, and the system bus it needs: "
          + "systemctl start dbus avahi-daemon")
    case AVAHI_ERR_TOO_MANY_OBJECTS, AVAHI_ERR_TOO_MANY_CLIENTS, AVAHI_ERR_TOO_MANY_ENTRIES:
      DiscoveryError(
        .limitReached,
        "\(action): avahi-daemon allows no more (\(reason)); end some, or raise objects-per-client-max and "
          + "clients-max in avahi-daemon.conf")
    default:
      DiscoveryError(.refused, "\(action): avahi-daemon refused (\(reason))")
    }
  }
}
