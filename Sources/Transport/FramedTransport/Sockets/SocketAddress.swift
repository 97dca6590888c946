import CBonjourishLinux

/// The address of a socket: an IPv4 or IPv6 address with a port, and for a link-local IPv6 address the interface; or the name of
/// a Unix-domain socket.
public struct SocketAddress: Hashable, Sendable {
  /// A family of addresses.
  public enum Family: Hashable, Sendable {
    /// IPv4.
    case ipv4
    /// IPv6.
    case ipv6
    /// The name of a Unix-domain socket on this machine.
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

  /// The family of the address.
  public let family: Family

  /// The port; 0 if the system is to choose one, and for Unix-domain sockets.
  public let port: UInt16

  /// The index of the interface that an IPv6 address is valid on; 0 if it is not limited to one.
  public let scopeID: UInt32

  /// The address in network order. An IPv4 address is in the first four bytes; the others are zero.
  private let bytes: Bytes

  /// The name of a Unix-domain socket in the system's form: a path, or a zero byte and an abstract name; empty if there is none.
  let unixName: [UInt8]

  /// Creates an address from its text, without a look-up.
  ///
  /// - Parameters:
  ///   - numericHost: An address such as `10.0.0.1`, `2001:db8::1` or `fe80::1%eth0`. After `%` comes the name or the index of an
  ///     interface of this machine.
  ///   - port: The port.
  /// - Returns: `nil` if the text is not an address or the interface does not exist.
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

  /// Creates an address from its bytes.
  ///
  /// - Parameters:
  ///   - bytes: 4 or 16 bytes in network order.
  ///   - port: The port.
  ///   - zone: The name or the index of the interface that an IPv6 address is valid on.
  /// - Returns: `nil` for another number of bytes, for an IPv4 address with a zone, and if the interface does not exist.
  public init?(bytes: some Collection<UInt8>, port: UInt16, zone: String? = nil) {
    guard bytes.count == 16 || (bytes.count == 4 && zone == nil), let scopeID = Self.scopeID(named: zone) else { return nil }
    var stored = Bytes()
    withUnsafeMutableBytes(of: &stored) { $0.copyBytes(from: bytes) }
    self.init(family: bytes.count == 4 ? .ipv4 : .ipv6, bytes: stored, port: port, scopeID: scopeID)
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

  /// Creates the address of a Unix-domain socket from the system's form of its name.
  init(unixName: [UInt8]) {
    family = .unix
    bytes = Bytes()
    port = 0
    scopeID = 0
    self.unixName = unixName
  }

  /// Returns the same address with another port. A Unix-domain socket has no port and stays as it is.
  public func with(port: UInt16) -> SocketAddress {
    family == .unix ? self : SocketAddress(family: family, bytes: bytes, port: port, scopeID: scopeID)
  }

  /// The address without the port, such as `10.0.0.1` or `fe80::1%eth0`, which `init(numericHost:port:)` can read; for a
  /// Unix-domain socket the path, or `@` and the abstract name.
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

  /// Whether it is a link-local address (RFC 4291, section 2.5.6) without an interface.
  var lacksInterface: Bool {
    withUnsafeBytes(of: bytes) { family == .ipv6 && scopeID == 0 && $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
  }

  /// The first half of an IPv6 address, its network prefix, for comparison.
  var prefix: UInt64 { withUnsafeBytes(of: bytes) { $0.load(as: UInt64.self) } }

  /// The name of the interface, or its index if it no longer exists.
  private var scopeName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      if_indextoname(scopeID, buffer.baseAddress) == nil ? "\(scopeID)" : String(cString: buffer.baseAddress!)
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// Host and port, such as `10.0.0.1:80` or `[fe80::1%eth0]:80`; or `unix:` and the name, which is often empty for a peer.
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

  /// Converts an address from the kernel or the resolver; `nil` if it is of another family.
  ///
  /// - Parameter size: The size of the address in bytes, which is needed for names.
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
        // A socket for both families reports IPv4 peers in this form (RFC 4291, section 2.5.5.2).
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

  /// Returns the address that a system call fills in.
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

  /// Calls a closure with the address in the form of system calls.
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

    /// The IPv4 address in an IPv4-mapped IPv6 address, such as `::ffff:10.0.0.1`; `nil` for others.
    var mapped: Bytes? {
      let (prefix, address) = (UInt64(bigEndian: second) >> 32, UInt64(bigEndian: second) & 0xFFFF_FFFF)
      guard first == 0, prefix == 0xFFFF else { return nil }
      var bytes = Bytes()
      bytes.first = UInt64(bigEndian: address << 32)
      return bytes
    }
  }
}
