import CLinux
import Glibc

/// Where a connection can be made to: an IPv4 or IPv6 address and a port, for a link-local IPv6 address also the interface it is
/// valid on; or the name of a Unix-domain socket.
public struct SocketAddress: Hashable, Sendable {
  /// The families of addresses.
  public enum Family: Hashable, Sendable {
    case ipv4
    case ipv6
    /// The name of a socket of this machine.
    case unix

    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    var addressFamily: CInt {
      switch self {
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      case .unix: AF_UNIX
      }
    }
  }

  /// Which family the address belongs to.
  public let family: Family

  /// The port, 0 when it is for the system to choose, and for the name of a Unix-domain socket.
  public let port: UInt16

  /// The index of the interface an IPv6 address is valid on, 0 when it is valid everywhere.
  public let scopeID: UInt32

  /// The address in network order; an IPv4 address is in the first four bytes, and the others are zero.
  private let bytes: Bytes

  /// The name of a Unix-domain socket as the system has it: a path, or a zero byte and an abstract name; empty when there is none.
  let unixName: [UInt8]

  /// An address from its text, without asking anybody.
  ///
  /// - Parameters:
  ///   - numericHost: Such as `10.0.0.1`, `2001:db8::1` or `fe80::1%eth0`. After `%` comes the name or the index of an
  ///     interface of this machine.
  ///   - port: The port.
  /// - Returns: `nil` when the text is no address, or the interface does not exist.
  public init?(numericHost: String, port: UInt16) {
    guard !numericHost.utf8.contains(0) else { return nil }
    let parts = numericHost.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var bytes = Bytes()
    let address = parts.first.map(String.init) ?? ""
    if parts.count == 1, withUnsafeMutableBytes(of: &bytes, { inet_pton(AF_INET, address, $0.baseAddress) }) == 1 {
      self.init(family: .ipv4, bytes: bytes, port: port, scopeID: 0)
    } else if withUnsafeMutableBytes(of: &bytes, { inet_pton(AF_INET6, address, $0.baseAddress) }) == 1 {
      guard let scopeID = Self.scopeID(named: parts.count == 2 ? String(parts[1]) : nil) else { return nil }
      self.init(family: .ipv6, bytes: bytes, port: port, scopeID: scopeID)
    } else {
      return nil
    }
  }

  private static func scopeID(named name: String?) -> UInt32? {
    guard let name else { return 0 }
    let index = if_nametoindex(name)
    if index != 0 { return index }
    return UInt32(name)
  }

  private init(family: Family, bytes: Bytes, port: UInt16, scopeID: UInt32) {
    self.family = family
    self.bytes = bytes
    self.port = port
    self.scopeID = scopeID
    unixName = []
  }

  /// A Unix-domain socket by its name as the system has it.
  init(unixName: [UInt8]) {
    family = .unix
    bytes = Bytes()
    port = 0
    scopeID = 0
    self.unixName = unixName
  }

  /// The same address with another port; a Unix-domain socket has none.
  public func with(port: UInt16) -> SocketAddress {
    family == .unix ? self : SocketAddress(family: family, bytes: bytes, port: port, scopeID: scopeID)
  }

  /// The address without the port, as `init(numericHost:port:)` reads it: `10.0.0.1`, `fe80::1%eth0`. For a Unix-domain socket
  /// the path, or `@` and the abstract name.
  public var host: String {
    guard family != .unix else { return unixText }
    let text = withUnsafeBytes(of: bytes) { bytes in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
        inet_ntop(addressFamily, bytes.baseAddress, buffer.baseAddress, socklen_t(buffer.count))
        return String(cString: buffer.baseAddress!)
      }
    }
    return scopeID == 0 ? text : "\(text)%\(scopeName)"
  }

  /// Whether it is an address of a link (RFC 4291, section 2.5.6) that does not say of which.
  var lacksInterface: Bool {
    withUnsafeBytes(of: bytes) { family == .ipv6 && scopeID == 0 && $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
  }

  /// The first half of an IPv6 address, which is that of its network, to be compared.
  var prefix: UInt64 { withUnsafeBytes(of: bytes) { $0.load(as: UInt64.self) } }

  /// The name of the interface, or its index when it has gone.
  private var scopeName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      if_indextoname(scopeID, buffer.baseAddress) == nil ? "\(scopeID)" : String(cString: buffer.baseAddress!)
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// Host and port, `10.0.0.1:80`, `[fe80::1%eth0]:80`; or `unix:` and the name, which peers often have none of.
  public var description: String {
    switch family {
    case .ipv4: "\(host):\(port)"
    case .ipv6: "[\(host)]:\(port)"
    case .unix: "unix:\(host)"
    }
  }
}

/// The kernel's form.
extension SocketAddress {
  /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
  var addressFamily: CInt { family.addressFamily }

  /// An address that the kernel or the resolver gave, or `nil` when it is of another family.
  ///
  /// - Parameter size: How many bytes it has, which matters for names.
  init?(_ address: UnsafePointer<sockaddr>, size: socklen_t = 0) {
    switch CInt(address.pointee.sa_family) {
    case AF_INET:
      let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
      var bytes = Bytes()
      withUnsafeMutableBytes(of: &bytes) { $0.storeBytes(of: address.sin_addr, as: in_addr.self) }
      self.init(family: .ipv4, bytes: bytes, port: UInt16(bigEndian: address.sin_port), scopeID: 0)
    case AF_INET6:
      let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
      var bytes = Bytes()
      withUnsafeMutableBytes(of: &bytes) { $0.storeBytes(of: address.sin6_addr, as: in6_addr.self) }
      if let mapped = bytes.mapped {
        // A socket for both families gives IPv4 peers this form (RFC 4291, section 2.5.5.2).
        self.init(family: .ipv4, bytes: mapped, port: UInt16(bigEndian: address.sin6_port), scopeID: 0)
        return
      }
      self.init(
        family: .ipv6, bytes: bytes, port: UInt16(bigEndian: address.sin6_port), scopeID: address.sin6_scope_id)
    case AF_UNIX:
      self.init(unixName: Self.unixName(in: address, size: size))
    default:
      return nil
    }
  }

  /// An address that a system call fills in.
  static func filled<Failure>(
    by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) throws(Failure) -> Void
  ) throws(Failure) -> SocketAddress? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return try withUnsafeMutablePointer(to: &storage) { storage throws(Failure) in
      try storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address throws(Failure) in
        try call(address, &size)
        return SocketAddress(address, size: size)
      }
    }
  }

  /// Calls a closure with the address as system calls take it.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr = withUnsafeBytes(of: bytes) { $0.load(as: in_addr.self) }
      return withUnsafeBytes(of: &address) {
        body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
      }
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_scope_id = scopeID
      address.sin6_addr = withUnsafeBytes(of: bytes) { $0.load(as: in6_addr.self) }
      return withUnsafeBytes(of: &address) {
        body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
      }
    case .unix:
      return withUnixAddress(body)
    }
  }

  /// Sixteen bytes that compare and hash as one value.
  struct Bytes: Hashable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0

    /// The IPv4 address that this is the IPv6 form of, `::ffff:10.0.0.1`; `nil` for others.
    var mapped: Bytes? {
      let (prefix, address) = (UInt64(bigEndian: second) >> 32, UInt64(bigEndian: second) & 0xFFFF_FFFF)
      guard first == 0, prefix == 0xFFFF else { return nil }
      var bytes = Bytes()
      bytes.first = UInt64(bigEndian: address << 32)
      return bytes
    }
  }
}
