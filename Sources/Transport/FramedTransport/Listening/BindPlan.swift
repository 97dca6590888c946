import CBonjourishLinux
import _BonjourishEventLoop

/// The addresses that a listener binds to.
enum BindPlan {
  /// The wildcard addresses, or the present addresses of an interface.
  ///
  /// - Throws: `unavailable` if there is no such interface or it has no addresses.
  static func addresses(of interface: String?, port: UInt16) throws(TransportError) -> [SocketAddress] {
    guard let interface else {
      return ["::", "0.0.0.0"].compactMap { SocketAddress(numericHost: $0, port: port) }
    }
    var list: UnsafeMutablePointer<ifaddrs>?
    do throws(SystemError) {
      try systemCall("getifaddrs") { getifaddrs(&list) }
    } catch {
      throw TransportError(error, "Listening at interface \(interface)")
    }
    defer { freeifaddrs(list) }
    let addresses = sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap { entry -> SocketAddress? in
      guard let entry = entry?.pointee, String(cString: entry.ifa_name) == interface else { return nil }
      return entry.ifa_addr.flatMap { SocketAddress(UnsafePointer($0)) }?.with(port: port)
    }
    guard !addresses.isEmpty else {
      throw TransportError(
        .unavailable,
        "Listening at interface \(interface) failed: it does not exist or has no addresses; list interfaces with `ip address`")
    }
    return addresses
  }
}
