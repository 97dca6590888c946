import CBonjourishLinux
import _BonjourishEventLoop
import _BonjourishMulticastDNS

/// Addresses in the form that system calls expect.
extension MulticastSocket {
  /// 224.0.0.251 and port 5353.
  static let group = address(of: [224, 0, 0, 251], port: MulticastEngine.port)

  /// FF02::FB and port 5353.
  static let group6 = address6(
    of: [0xFF, 0x02] + Array(repeating: 0, count: 13) + [0xFB], port: MulticastEngine.port, scope: 0)

  static func address(of bytes: [UInt8], port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
    return address
  }

  static func address6(of bytes: [UInt8], port: UInt16, scope: UInt32) -> sockaddr_in6 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_scope_id = scope
    withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
    return address
  }
}

/// Calls a closure with a socket address in the form that system calls expect.
func withSocketAddress<Address, Result>(
  _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Result
) throws(SystemError) -> Result {
  let length = socklen_t(MemoryLayout<Address>.size)
  return try withUnsafePointer(to: &address) { (pointer) throws(SystemError) in
    // A socket address of any family begins like `sockaddr`, and is passed with its real length.
    try body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
  }
}
