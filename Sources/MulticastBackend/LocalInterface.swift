import CLinux
import Discovery
import EventLoop
import MulticastDNS

/// An interface of this machine, with what mDNS needs to know of it.
struct LocalInterface: Hashable {
  let index: UInt32
  let name: String
  /// Whether operations that name no interface use it: it is multicast-capable, not loopback, not point-to-point.
  let isForAll: Bool
  /// Whether operations that name no interface use it when no interface is suitable.
  var isLoopback = false
  /// The MTU in bytes.
  let mtu: Int
  /// The addresses that are usable now.
  var addresses: [InterfaceAddress] = []

  func hasAddress(_ family: IPAddress.Family) -> Bool {
    addresses.contains { $0.address.family == family }
  }

  /// Returns the interface with the addresses that are published: of each family those that are preferred, or all when there are
  /// none. It is avahi-daemon's choice. With another, each of two responders on one host would take the other for another host.
  ///
  /// - Parameter preferred: The addresses that reach beyond the link and are not deprecated.
  func publishing(_ preferred: Set<IPAddress>) -> LocalInterface {
    var chosen = self
    chosen.addresses = addresses.map { one in
      let hasPreferred = preferred.contains { $0.family == one.address.family }
      return InterfaceAddress(
        one.address, prefixLength: one.prefixLength, isPublished: !hasPreferred || preferred.contains(one.address))
    }
    return chosen
  }
}

/// What the kernel knows.
extension LocalInterface {
  /// The interfaces that are up and have a carrier, with their usable addresses.
  static func all() -> [LocalInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard (try? systemCall("getifaddrs") { getifaddrs(&list) }) != nil else { return [] }
    defer { freeifaddrs(list) }
    let states = addressStates()
    var interfaces: [String: LocalInterface] = [:]
    var preferred: [String: Set<IPAddress>] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let flags = CInt(bitPattern: entry.ifa_flags)
      let (up, running) = (CInt(IFF_UP), CInt(IFF_RUNNING))
      guard flags & up != 0, flags & running != 0 else { continue }
      let name = String(cString: entry.ifa_name)
      if interfaces[name] == nil {
        guard let index = InterfaceTable.index(of: name) else { continue }
        let (multicast, loopback) = (CInt(IFF_MULTICAST), CInt(IFF_LOOPBACK))
        let tunnel = CInt(IFF_POINTOPOINT)
        interfaces[name] = LocalInterface(
          index: index, name: name, isForAll: flags & multicast != 0 && flags & (loopback | tunnel) == 0,
          isLoopback: flags & loopback != 0, mtu: mtu(of: name))
      }
      guard let bytes = addressBytes(entry.ifa_addr), states[bytes] != .unusable, let address = IPAddress(bytes: bytes)
      else { continue }
      let prefix = addressBytes(entry.ifa_netmask)?.reduce(0) { $0 + $1.nonzeroBitCount } ?? bytes.count * 8
      interfaces[name]!.addresses.append(InterfaceAddress(address, prefixLength: prefix))
      if address.isGlobal && states[bytes] != .deprecated { preferred[name, default: []].insert(address) }
    }
    return interfaces.values.map { $0.publishing(preferred[$0.name] ?? []) }.sorted { $0.index < $1.index }
  }

  private static func mtu(of name: String) -> Int {
    let descriptor = try? systemCall("socket") { socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
    guard let descriptor else { return ethernetMTU }
    defer { close(descriptor) }
    let mtu = linux_interface_mtu(descriptor, name)
    return mtu > 0 ? Int(mtu) : ethernetMTU
  }

  private static let ethernetMTU = 1500

  private static func addressBytes(_ address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
    guard let address else { return nil }
    let raw = UnsafeRawPointer(address)
    switch CInt(address.pointee.sa_family) {
    case AF_INET:
      return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6:
      return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default:
      return nil
    }
  }

  /// The state of an IPv6 address.
  private enum AddressState {
    /// It cannot send, because it is being checked for duplicates or is a duplicate.
    case unusable
    /// It will be gone soon, and is for existing connections only.
    case deprecated
  }

  /// The states of IPv6 addresses that are not as usual. `getifaddrs` does not report them. The kernel notifies when they change.
  private static func addressStates() -> [[UInt8]: AddressState] {
    guard let file = fopen("/proc/net/if_inet6", "re") else { return [:] }
    defer { fclose(file) }
    var states: [[UInt8]: AddressState] = [:]
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let line {
      // The fields: address (32 hexadecimal digits), index, prefix length, scope, flags, name.
      let fields = String(cString: line).split(separator: " ")
      guard fields.count >= 5, fields[0].utf8.count == 32, let flags = UInt32(fields[4], radix: 16) else { continue }
      let digits = Array(fields[0])
      let bytes = stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
      if flags & UInt32(IFA_F_DEPRECATED) != 0 { states[bytes] = .deprecated }
      if flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) != 0 { states[bytes] = .unusable }
    }
    return states
  }
}

extension IPAddress {
  /// Whether the address reaches beyond the link.
  fileprivate var isGlobal: Bool {
    let isLoopback = family == .ipv4 ? bytes[0] == 127 : self == .ipv6(high: 0, low: 1)
    return !isLinkLocal && !isLoopback
  }
}
