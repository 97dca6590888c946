import CBonjourishLinux
import FramedTransport

/// A TCP socket that can do what a `Connection` would never do.
final class RawSocket: @unchecked Sendable {
  struct Failure: Error, Equatable {
    let errno: CInt
  }

  private var descriptor: CInt

  /// A socket bound to a port of 127.0.0.1, or another of those addresses, that the system chose, which does not listen.
  init(host: UInt8 = 1) throws {
    // A program that some other test starts must not inherit it and so keep the connection open.
    descriptor = socket(AF_INET, CInt(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try check(descriptor)
    // A call that nothing would ever end fails with EAGAIN instead of holding up the whole run: it cannot be cancelled.
    var limit = timeval(tv_sec: 300, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      try check(setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size)))
    }
    var address = Self.address(port: 0, host: host)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = try withUnsafePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try check(bind(descriptor, $0, size)) }
    }
  }

  /// A socket that is connected with a listener on 127.0.0.1, from 127.0.0.1 or another of those addresses. The system holds about so
  /// many bytes that it has not read; up to dozens of MiB if that is nil.
  convenience init(connectedTo port: UInt16, from host: UInt8 = 1, holding byteCount: CInt? = nil) throws {
    try self.init(host: host)
    if var byteCount {
      try check(setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &byteCount, socklen_t(MemoryLayout<CInt>.size)))
    }
    try connect(to: port)
    var on: CInt = 1
    try check(setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size)))
  }

  deinit { close() }

  private static func address(port: UInt16, host: UInt8 = 1) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | in_addr_t(host)).bigEndian
    return address
  }

  @discardableResult
  private func check<Result: SignedInteger>(_ result: Result) throws -> Result {
    guard result != -1 else { throw Failure(errno: linux_errno()) }
    return result
  }

  var port: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  var socketAddress: SocketAddress { SocketAddress(numericHost: "127.0.0.1", port: port)! }

  func connect(to port: UInt16) throws {
    var address = Self.address(port: port)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = try withUnsafePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try check(CBonjourishLinux.connect(descriptor, $0, size))
      }
    }
  }

  /// Listens so that one connection can be made and no more, which the system leaves without an answer.
  func listenForOne() throws {
    try check(listen(descriptor, 0))
  }

  /// The descriptor of that connection, for calls that do not block; the caller closes it.
  func accept() throws -> CInt {
    let accepted = try check(CBonjourishLinux.accept(descriptor, nil, nil))
    try check(linux_fcntl(accepted, F_SETFD, FD_CLOEXEC))
    try check(linux_fcntl(accepted, F_SETFL, O_NONBLOCK))
    return accepted
  }

  /// Sends all bytes, blocking.
  func write(_ bytes: some Collection<UInt8>) throws {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      sent += try bytes.withUnsafeBytes { buffer in
        try check(CBonjourishLinux.send(descriptor, buffer.baseAddress! + sent, buffer.count - sent, CInt(MSG_NOSIGNAL)))
      }
    }
  }

  /// What there is, blocking until there is something; empty at the end.
  func read(atMost count: Int = 65_536) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = try bytes.withUnsafeMutableBytes { try check(recv(descriptor, $0.baseAddress, count, 0)) }
    return Array(bytes[..<received])
  }

  /// Everything up to the end, blocking.
  func readToEnd() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try read()
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Sends no more.
  func finishSending() throws {
    try check(shutdown(descriptor, CInt(SHUT_WR)))
  }

  /// Breaks the connection instead of ending it.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    guard descriptor >= 0 else { return }
    CBonjourishLinux.close(descriptor)
    descriptor = -1
  }
}
