import Bonjourish
import CBonjourishLinux

/// The addresses of this machine.
enum LocalAddresses {
  /// The addresses of all interfaces, from the kernel; those of a link have a zone.
  static func all() -> Set<IPAddress> {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var addresses: Set<IPAddress> = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let address = entry.ifa_addr else { continue }
      let bytes: [UInt8]
      switch CInt(address.pointee.sa_family) {
      case AF_INET:
        bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          withUnsafeBytes(of: $0.pointee.sin_addr, Array.init)
        }
      case AF_INET6:
        bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init)
        }
      default: continue
      }
      guard let plain = IPAddress(bytes: bytes) else { continue }
      let isZoned = plain.family == .ipv6 && plain.isLinkLocal
      addresses.insert(isZoned ? IPAddress(bytes: bytes, zone: String(cString: entry.ifa_name)) ?? plain : plain)
    }
    return addresses
  }
}
