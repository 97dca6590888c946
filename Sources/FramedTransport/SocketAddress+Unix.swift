import CLinux
import Glibc

/// Names of Unix-domain sockets, which connect programs of one machine (unix(7)).
extension SocketAddress {
  /// How many bytes a name may have: what fits into `sun_path`, without the zero byte before or behind it.
  private static let longestName = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The address of a Unix-domain socket in the file system.
  ///
  /// - Parameter unixPath: The path of the socket's file; a relative one counts from the working directory at the time it is
  ///   used.
  /// - Throws: `invalidAddress` when the path is empty, has a zero byte, or is longer than 107 bytes, which is all that the
  ///   system has room for.
  public init(unixPath: String) throws(TransportError) {
    try self.init(unixName: unixPath, prefix: [], as: "path")
  }

  /// The address of a Unix-domain socket in the abstract namespace of Linux.
  ///
  /// It has no file: it needs no directory, leaves nothing behind, and nothing restricts who may connect, or listen there
  /// first. So look at ``Connection/peerCredentials``.
  ///
  /// - Parameter unixAbstractName: The name.
  /// - Throws: `invalidAddress` when the name is empty, has a zero byte, or is longer than 107 bytes.
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
        .invalidAddress, "\(attempt) has \(name.count) bytes, and \(Self.longestName) are all that fit; choose a shorter one")
    }
    self.init(unixName: prefix + name)
  }

  /// The path of the socket's file; `nil` for other addresses, and abstract names.
  public var unixPath: String? {
    unixName.first.flatMap { $0 == 0 ? nil : String(validating: unixName, as: UTF8.self) }
  }

  /// The abstract name; `nil` for other addresses, and paths.
  public var unixAbstractName: String? {
    unixName.first.flatMap { $0 == 0 ? String(validating: unixName.dropFirst(), as: UTF8.self) : nil }
  }

  /// `/run/chat.sock`, `@name` for an abstract name, nothing for a socket without a name. What is not printable ASCII becomes
  /// `\xNN`, for the name of a peer is the peer's choice.
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

  /// The name in an address that the kernel gave.
  static func unixName(in address: UnsafePointer<sockaddr>, size: socklen_t) -> [UInt8] {
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
    let name = UnsafeRawBufferPointer(start: address, count: max(offset, min(Int(size), MemoryLayout<sockaddr_un>.size)))[
      offset...]
    // An abstract name begins with a zero byte and may have others; a path ends with the first.
    return name.first == 0 ? Array(name) : Array(name.prefix { $0 != 0 })
  }

  /// Calls a closure with the name as system calls take it.
  func withUnixAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: unixName) }
    // A path is given with its zero byte, an abstract name without one.
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + unixName.count + (unixName.first == 0 ? 0 : 1)
    return withUnsafeBytes(of: &address) { body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(size)) }
  }
}
