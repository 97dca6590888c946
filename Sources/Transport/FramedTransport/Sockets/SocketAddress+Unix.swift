import CBonjourishLinux

/// Names of Unix-domain sockets, which connect programs on one machine (unix(7)).
extension SocketAddress {
  /// The longest name in bytes: the size of `sun_path` without the zero byte before or after the name.
  private static let longestName = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Creates the address of a Unix-domain socket in the file system.
  ///
  /// - Parameter unixPath: The path of the socket's file. A relative path starts at the working directory at the time of use.
  /// - Throws: `invalidAddress` if the path is empty, contains a zero byte, or is longer than 107 bytes, the system's limit.
  public init(unixPath: String) throws(TransportError) {
    try self.init(unixName: unixPath, prefix: [], as: "path")
  }

  /// Creates the address of a Unix-domain socket in the abstract namespace of Linux.
  ///
  /// Such a socket has no file: it needs no directory and leaves nothing behind, but any program on the machine may connect, or
  /// listen there first. So check ``Connection/peerCredentials``.
  ///
  /// - Parameter unixAbstractName: The name.
  /// - Throws: `invalidAddress` if the name is empty, contains a zero byte, or is longer than 107 bytes.
  public init(unixAbstractName: String) throws(TransportError) {
    try self.init(unixName: unixAbstractName, prefix: [0], as: "name")
  }

  private init(unixName text: String, prefix: [UInt8], as what: String) throws(TransportError) {
    let name = Array(text.utf8)
    let attempt = "Making the address of a Unix-domain socket failed: its \(what)"
    guard !name.isEmpty, !name.contains(0) else {
      throw TransportError(.invalidAddress, "\(attempt) is empty or contains a zero byte")
    }
    guard name.count <= Self.longestName else {
      throw TransportError(
        .invalidAddress, "\(attempt) has \(name.count) bytes; choose one of at most \(Self.longestName)")
    }
    self.init(unixName: prefix + name)
  }

  /// The path of the socket's file; `nil` for abstract names and other addresses.
  public var unixPath: String? {
    unixName.first.flatMap { $0 == 0 ? nil : String(validating: unixName, as: UTF8.self) }
  }

  /// The abstract name; `nil` for paths and other addresses.
  public var unixAbstractName: String? {
    unixName.first.flatMap { $0 == 0 ? String(validating: unixName.dropFirst(), as: UTF8.self) : nil }
  }

  /// The name as text: `/run/chat.sock`, `@name` for an abstract name, empty for a socket without a name. Bytes that are not
  /// printable ASCII become `\xNN`, because the peer chooses its name.
  var unixText: String {
    let isAbstract = unixName.first == 0
    return unixName.dropFirst(isAbstract ? 1 : 0).reduce(into: isAbstract ? "@" : "") { text, byte in
      if (0x20...0x7E).contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
      }
    }
  }

  /// The name in an address from the kernel.
  static func unixName(in address: UnsafePointer<sockaddr>, size: socklen_t) -> [UInt8] {
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
    let name = UnsafeRawBufferPointer(start: address, count: max(offset, min(Int(size), MemoryLayout<sockaddr_un>.size)))[
      offset...]
    // An abstract name begins with a zero byte and may contain others; a path ends before the first.
    return name.first == 0 ? Array(name) : Array(name.prefix { $0 != 0 })
  }

  /// Calls a closure with the name in the form of system calls.
  func withUnixAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: unixName) }
    // The size includes the zero byte at the end of a path; an abstract name has none.
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + unixName.count + (unixName.first == 0 ? 0 : 1)
    return withUnsafeBytes(of: &address) { body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(size)) }
  }
}
