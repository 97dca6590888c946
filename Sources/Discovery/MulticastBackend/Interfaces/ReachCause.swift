import CBonjourishLinux
import _BonjourishDiscovery
package import _BonjourishEventLoop

extension Reach.Cause {
  static let notHeard = Reach.Cause(
    .notHeard, "does not give back what is sent to UDP port 5353, so a firewall may drop it", remedy: "let it allow this port")

  static let noFamily = Reach.Cause(.noFamily, "cannot be used over this family on this machine")

  static let daemonLimit = Reach.Cause(
    .daemonLimit,
    "avahi-daemon receives nothing on some interfaces: there are more than its socket can be in multicast groups on",
    remedy: "raise net.ipv4.igmp_max_memberships and restart avahi-daemon, or use the built-in engine")

  /// The cause when a socket cannot be opened.
  init(opening error: SystemError) {
    if error.errno == EADDRINUSE {
      self.init(
        .portTaken, "cannot be used, because another program has UDP port 5353 (\(error))",
        remedy: "end the program that does not share the port, or use avahi-daemon")
    } else {
      self.init(.noFamily, "cannot be used over this family on this machine (\(error))")
    }
  }

  /// The cause when a group cannot be joined.
  init(joining error: SystemError) {
    if error.isMembershipLimit {
      self.init(
        .tooManyMemberships, "is one more than this program can be in multicast groups on (\(error))",
        remedy: "choose fewer interfaces, or raise net.core.optmem_max")
    } else {
      self.init(.cannotJoin, "does not let this program join the multicast group (\(error))")
    }
  }

  /// The cause when nothing can be sent.
  init(sending error: SystemError) {
    switch error.errno {
    case EPERM, EACCES:
      self.init(
        .refused, "does not let anything be sent (\(error)), as with a firewall",
        remedy: "let the firewall allow multicast to UDP port 5353")
    case ENETUNREACH, EHOSTUNREACH:
      self.init(
        .noRoute, "has no route for multicast (\(error))", remedy: "let the routing table allow 224.0.0.251 and ff02::fb")
    default:
      self.init(.cannotSend, "does not let anything be sent (\(error))")
    }
  }
}

extension SystemError {
  /// Whether a group cannot be joined because the socket has as many memberships as the kernel allows.
  package var isMembershipLimit: Bool { errno == ENOBUFS || errno == ENOMEM }
}
