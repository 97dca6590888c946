import CLinux
import Discovery
import EventLoop
import MulticastDNS

/// An interface of this machine, with what mDNS needs to know of it.
struct LocalInterface: Hashable {
  let index: UInt32
  let name: String
  let kind: InterfaceState.Kind
  var readiness = InterfaceState.Readiness.ready
  /// The MTU in bytes.
  let mtu: Int
  /// The addresses that are usable now.
  var addresses: [InterfaceAddress] = []

  var isLoopback: Bool { kind == .loopback }

  /// The interface for the choice of interfaces.
  ///
  /// - Parameter families: The families that this process can use.
  func state(over families: some Collection<IPAddress.Family>) -> InterfaceState {
    InterfaceState(NetworkInterface(index: index, name: name), kind, Set(families.filter(hasAddress)), readiness)
  }

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

/// Who sends.
extension LocalInterface {
  /// The address of the responder that sent a datagram on this interface.
  ///
  /// On the loopback interface it is always this host. But multicast datagrams do not have 127.0.0.1 as their source there, because it
  /// is valid for the host alone: the kernel takes an address of another interface, even of one that is down, or else 0.0.0.0.
  func sender(_ source: MulticastSource) -> IPAddress {
    // A resolver that uses another port is answered where it is.
    guard isLoopback, source.port == MulticastEngine.port else { return source.address }
    return addresses.first { $0.address.family == source.address.family }?.address ?? source.address
  }
}

/// What the kernel knows.
extension LocalInterface {
  /// All interfaces, with their usable addresses: those that are not up, or have no carrier, have none.
  static func all() -> [LocalInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard let entries = try? InterfaceTable.all(), (try? systemCall("getifaddrs") { getifaddrs(&list) }) != nil
    else { return [] }
    defer { freeifaddrs(list) }
    let states = addressStates()
    var interfaces: [String: LocalInterface] = [:]
    for entry in entries {
      interfaces[entry.name] = LocalInterface(
        index: entry.index, name: entry.name, kind: InterfaceState.Kind(of: entry, among: entries), readiness: entry.readiness,
        mtu: entry.mtu)
    }
    var preferred: [String: Set<IPAddress>] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let name = String(cString: entry.ifa_name)
      guard interfaces[name]?.readiness == .ready else { continue }
      guard let bytes = addressBytes(entry.ifa_addr), states[bytes] != .unusable, let address = IPAddress(bytes: bytes)
      else { continue }
      let prefix = addressBytes(entry.ifa_netmask)?.reduce(0) { $0 + $1.nonzeroBitCount } ?? bytes.count * 8
      interfaces[name]!.addresses.append(InterfaceAddress(address, prefixLength: prefix))
      if address.isGlobal && states[bytes] != .deprecated { preferred[name, default: []].insert(address) }
    }
    return interfaces.values.map { $0.publishing(preferred[$0.name] ?? []) }.sorted { $0.index < $1.index }
  }

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

extension InterfaceTable.Entry {
  fileprivate var readiness: InterfaceState.Readiness {
    if flags & CInt(IFF_UP) == 0 { return .down }
    return flags & CInt(IFF_RUNNING) == 0 ? .noCarrier : .ready
  }
}
