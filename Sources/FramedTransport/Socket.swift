import CLinux
import EventLoop
import Glibc

/// The owner of a TCP socket's descriptor, which is closed when its owner goes, and only then.
///
/// Every call returns at once: what cannot be done now throws `EAGAIN`.
struct Socket: ~Copyable {
  let descriptor: CInt

  /// A new socket for addresses of one family.
  init(_ family: SocketAddress.Family) throws(SystemError) {
    let domain =
      switch family {
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      }
    let type = CInt(bitPattern: SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = try systemCall("socket") { socket(domain, type, CInt(IPPROTO_TCP)) }
  }

  private init(taking descriptor: CInt) {
    self.descriptor = descriptor
  }

  deinit {
    // Whatever it returns, the descriptor is free afterwards (close(2)); a second call could hit somebody else's.
    close(descriptor)
  }

  /// Closes the socket in such a way that the peer learns of it as an error, and that nothing stays in the system.
  consuming func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Switches an option on.
  func enable(_ option: CInt, at level: CInt) throws(SystemError) {
    var on: CInt = 1
    try systemCall("setsockopt") {
      setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size))
    }
  }

  /// Sends what is written without waiting for more to come: gathering is done here, once in a turn.
  func disableNagle() throws(SystemError) {
    try enable(TCP_NODELAY, at: CInt(IPPROTO_TCP))
  }

  // MARK: - Addresses

  func localAddress() -> SocketAddress? {
    try? SocketAddress.filled { (address, size) throws(SystemError) in
      try systemCall("getsockname") { getsockname(descriptor, address, size) }
    }
  }

  func bind(to address: SocketAddress) throws(SystemError) {
    try systemCall("bind") { address.withSystemAddress { Glibc.bind(descriptor, $0, $1) } }
  }

  // MARK: - Connecting

  func listen() throws(SystemError) {
    try systemCall("listen") { Glibc.listen(descriptor, SOMAXCONN) }
  }

  /// The next connection that waits, and who made it.
  func accept() throws(SystemError) -> Accepted {
    var accepted: CInt = -1
    let peer = try SocketAddress.filled { (address, size) throws(SystemError) in
      accepted = try systemCall("accept4") { linux_accept(descriptor, address, size) }
    }
    let socket = Socket(taking: accepted)
    guard let peer else { throw SystemError("accept4", errno: EAFNOSUPPORT) }
    return Accepted(socket: socket, peer: peer)
  }

  /// A connection that was waiting.
  struct Accepted: ~Copyable {
    let socket: Socket
    let peer: SocketAddress
  }

  /// Begins to connect; the socket becomes writable when that is decided, and `connectionError` tells how.
  func beginConnecting(to address: SocketAddress) throws(SystemError) {
    do throws(SystemError) {
      // Not repeated after a signal: the attempt goes on by itself then (connect(2), EINTR).
      let result = address.withSystemAddress { Glibc.connect(descriptor, $0, $1) }
      if result == -1 { throw SystemError("connect", errno: errno) }
    } catch  where error.errno == EINPROGRESS || error.errno == EINTR {}
  }

  /// Why connecting failed, or `nil` when it did not.
  func connectionError() -> SystemError? {
    var reason: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    do throws(SystemError) {
      try systemCall("getsockopt") { getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &size) }
    } catch {
      return error
    }
    return reason == 0 ? nil : SystemError("connect", errno: reason)
  }

  // MARK: - Bytes

  /// Appends what there is, at most what fits, and returns how many bytes that were: none at the end of the stream.
  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    try output.withUnsafeMutableBufferPointer { (buffer, count) throws(SystemError) in
      let free = buffer[count...]
      let received = try systemCall("recv") {
        recv(descriptor, UnsafeMutableBufferPointer(rebasing: free).baseAddress, free.count, 0)
      }
      count += received
      return received
    }
  }

  /// Sends from the front of the queue as much as the system takes, in one call.
  ///
  /// - Returns: How many bytes it took, and how many it was shown.
  func send(_ queue: borrowing OutboundQueue) throws(SystemError) -> (sent: Int, offered: Int) {
    try queue.withVectors { (vectors, byteCount) throws(SystemError) in (try send(vectors), byteCount) }
  }

  /// Sends as much of the pieces as the system takes, in one call, and returns how many bytes that were.
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    if pieces.count == 1 {
      // Much the most frequent case, and a little less for the system to do.
      return try systemCall("send") { Glibc.send(descriptor, pieces[0].iov_base, pieces[0].iov_len, CInt(MSG_NOSIGNAL)) }
    }
    var message = msghdr()
    message.msg_iov = pieces.baseAddress
    message.msg_iovlen = pieces.count
    return try systemCall("sendmsg") { sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL)) }
  }

  /// Tells the peer that nothing more will come.
  func finishSending() throws(SystemError) {
    try systemCall("shutdown") { shutdown(descriptor, CInt(SHUT_WR)) }
  }

  /// How many bytes the peer's system has not acknowledged yet.
  func countUnacknowledgedBytes() -> Int {
    var count: CInt = 0
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }
}
