import CLinux
import EventLoop
import Glibc
import MulticastDNS

/// An interface of this machine as mDNS sees it.
struct LocalInterface: Hashable {
  let index: UInt32
  let name: String
  /// Whether it is used when nobody names an interface: it reaches others, all at once, and is no tunnel to a single one.
  let isForAll: Bool
  /// The addresses that can be used now.
  var addresses: [InterfaceAddress] = []

  func hasAddress(_ family: DNSAddress.Family) -> Bool {
    addresses.contains { $0.address.family == family }
  }
}

/// Tells when interfaces or addresses come and go (rtnetlink). Used on the loop only.
final class InterfaceMonitor {
  private let descriptor: CInt
  private var watch: DescriptorWatch?

  /// Opens the kernel's news of links and addresses.
  init() throws(SystemError) {
    let type = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = try systemCall("socket") { socket(AF_NETLINK, type, CInt(NETLINK_ROUTE)) }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
    do throws(SystemError) {
      let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      try systemCall("bind") {
        withUnsafePointer(to: &address) {
          bind(descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), length)
        }
      }
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    assert(watch == nil, "an interface monitor was not stopped")
    close(descriptor)
  }

  /// Calls a closure when something may have changed. What it is, ``interfaces()`` tells.
  func start(on loop: EventLoop, _ changed: @escaping () -> Void) throws(SystemError) {
    watch = try loop.watch(descriptor, for: .readable) { [descriptor] _ in
      // The messages are not read for what they say: a lost one (ENOBUFS) would make the picture wrong for ever.
      var buffer = [UInt8](repeating: 0, count: 32_768)
      while recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)) > 0 || errno == ENOBUFS || errno == EINTR { errno = 0 }
      changed()
    }
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  /// The interfaces that are up and have a carrier, with the addresses that can be used.
  static func interfaces() -> [LocalInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    let tentative = tentativeAddresses()
    var interfaces: [String: LocalInterface] = [:]
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
          index: index, name: name, isForAll: flags & multicast != 0 && flags & (loopback | tunnel) == 0)
      }
      guard let bytes = addressBytes(entry.ifa_addr), !tentative.contains(bytes), let address = DNSAddress(bytes: bytes)
      else { continue }
      let prefix = addressBytes(entry.ifa_netmask)?.reduce(0) { $0 + $1.nonzeroBitCount } ?? bytes.count * 8
      interfaces[name]!.addresses.append(InterfaceAddress(address, prefixLength: prefix))
    }
    return interfaces.values.sorted { $0.index < $1.index }
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

  /// IPv6 addresses that are still being checked for duplicates, or turned out to be ones: nothing can be sent from them.
  /// `getifaddrs` does not tell; the kernel says when that changes.
  private static func tentativeAddresses() -> Set<[UInt8]> {
    guard let file = fopen("/proc/net/if_inet6", "re") else { return [] }
    defer { fclose(file) }
    var addresses: Set<[UInt8]> = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let line {
      // fe80000000000000… index prefix scope flags name
      let fields = String(cString: line).split(separator: " ")
      guard fields.count >= 5, fields[0].utf8.count == 32, let flags = UInt32(fields[4], radix: 16) else { continue }
      let digits = Array(fields[0])
      let bytes = stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
      if flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) != 0 { addresses.insert(bytes) }
    }
    return addresses
  }
}
