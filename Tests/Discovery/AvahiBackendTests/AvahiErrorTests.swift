#if Avahi
import CBonjourishAvahi.Common
import _BonjourishDiscovery
import Testing

@testable import _BonjourishAvahiBackend

struct AvahiErrorTests {
  @Test(arguments: [
    (AVAHI_ERR_NO_DAEMON, DiscoveryError.Code.unavailable, "systemctl start dbus avahi-daemon"),
    (AVAHI_ERR_DISCONNECTED, .unavailable, "systemctl start dbus avahi-daemon"),
    (AVAHI_ERR_DBUS_ERROR, .unavailable, "systemctl start dbus avahi-daemon"),
    (AVAHI_ERR_TOO_MANY_OBJECTS, .limitReached, "objects-per-client-max"),
    (AVAHI_ERR_TOO_MANY_CLIENTS, .limitReached, "clients-max"),
    (AVAHI_ERR_TOO_MANY_ENTRIES, .limitReached, "end some operations"),
    (AVAHI_ERR_INVALID_HOST_NAME, .refused, "avahi-daemon refused"), (AVAHI_ERR_BAD_STATE, .refused, "avahi-daemon refused"),
    (AVAHI_ERR_COLLISION, .refused, "avahi-daemon refused"), (1, .unavailable, "does not answer in time"),
  ])
  func `an error tells what was tried, why it failed and what to do`(number: Int, code: DiscoveryError.Code, words: String) {
    let error = AvahiError(CInt(number)).during("browsing _x._tcp")
    #expect(error.code == code)
    #expect(error.underlyingError as? AvahiError == AvahiError(CInt(number)))
    #expect(error.message.hasPrefix("browsing _x._tcp: ") && error.message.contains(words), "\(error.message)")
    guard number < 0 else { return }
    #expect(error.message.contains("(\(String(cString: avahi_strerror(CInt(number)))))"), "\(error.message)")
  }

  @Test func `what may be the loss of the connection is told from what a daemon answers`() {
    let lost = [AVAHI_ERR_DISCONNECTED, AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DBUS_ERROR, AVAHI_ERR_BAD_STATE]
    for number in lost { #expect(AvahiError(CInt(number)).mayBeDisconnection, "\(number)") }
    #expect(AvahiError.hangs.mayBeDisconnection)
    for number in [AVAHI_ERR_COLLISION, AVAHI_ERR_TOO_MANY_OBJECTS, AVAHI_ERR_TIMEOUT] {
      #expect(!AvahiError(CInt(number)).mayBeDisconnection, "\(number)")
    }
    #expect(
      AvahiError(CInt(AVAHI_ERR_COLLISION)).isCollision && !AvahiError.noDaemon.isCollision && !AvahiError.hangs.isCollision)
  }
}
#endif
