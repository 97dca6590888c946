import CBonjourishLinux
import _BonjourishEventLoop

/// A TCP or Unix-domain socket, which owns its descriptor and closes it.
///
/// No call blocks: a call that would block throws `EAGAIN`.
struct Socket: ~Copyable {
  let descriptor: CInt

  /// Whether it is a Unix-domain socket, which has no network options.
  let isLocal: Bool

  /// Creates a socket for addresses of one family.
  init(_ family: SocketAddress.Family) throws(SystemError) {
    isLocal = family == .unix
    let transport = isLocal ? 0 : CInt(IPPROTO_TCP)
    let type = CInt(bitPattern: SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = try systemCall("socket") { socket(family.addressFamily, type, transport) }
  }

  /// Takes ownership of a descriptor, which must not block.
  init(taking descriptor: CInt, isLocal: Bool = false) {
    self.descriptor = descriptor
    self.isLocal = isLocal
  }

  deinit {
    // The descriptor is free afterwards, whatever `close` returns (close(2)). A second call could close a descriptor of other
    // code.
    close(descriptor)
  }

  /// Returns the descriptor to a new owner, which must close it.
  consuming func release() -> CInt {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  /// Closes the socket with a reset: the peer sees an error, and the system keeps no state of the connection.
  consuming func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    // If this fails, the peer sees an orderly end.
    _ = try? systemCall("setsockopt") {
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }

  /// Enables an option.
  func enable(_ option: CInt, at level: CInt) throws(SystemError) {
    try set(option, at: level, to: 1)
  }

  private func set(_ option: CInt, at level: CInt, to value: CInt) throws(SystemError) {
    var value = value
    try systemCall("setsockopt") {
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
  }

  /// Makes the system send bytes without waiting for more: the channel already gathers the frames of a tick.
  func disableNagle() throws(SystemError) {
    guard !isLocal else { return }
    try enable(TCP_NODELAY, at: CInt(IPPROTO_TCP))
  }

  /// Makes the system detect a vanished peer. Accepted sockets inherit these options from the listening socket.
  func setKeepAlive(_ limits: TransportLimits) throws(SystemError) {
    // The system knows when a local process has ended.
    guard !isLocal else { return }
    if let keepAlive = limits.keepAlive {
      // Several probes, because a probe or its answer can get lost.
      let interval = ((limits.silenceLimit ?? keepAlive * 2) - keepAlive) / Self.probes
      try set(TCP_KEEPIDLE, at: CInt(IPPROTO_TCP), to: keepAlive.inSeconds)
      try set(TCP_KEEPINTVL, at: CInt(IPPROTO_TCP), to: interval.inSeconds)
      try set(TCP_KEEPCNT, at: CInt(IPPROTO_TCP), to: CInt(Self.probes))
      try enable(SO_KEEPALIVE, at: SOL_SOCKET)
    }
    if let silenceLimit = limits.silenceLimit {
      try set(TCP_USER_TIMEOUT, at: CInt(IPPROTO_TCP), to: CInt(clamping: Int(silenceLimit / .milliseconds(1))))
    }
  }

  /// The number of probes that a silent peer gets.
  private static let probes = 5

  // MARK: - Addresses

  func localAddress() -> SocketAddress? {
    try? SocketAddress.filled { (address, size) throws(SystemError) in
      try systemCall("getsockname") { getsockname(descriptor, address, size) }
    }
  }

  func bind(to address: SocketAddress) throws(SystemError) {
    try systemCall("bind") { address.withSystemAddress { CBonjourishLinux.bind(descriptor, $0, $1) } }
  }

  // MARK: - Connecting

  func listen() throws(SystemError) {
    try systemCall("listen") { CBonjourishLinux.listen(descriptor, SOMAXCONN) }
  }

  /// Returns the next waiting connection and its peer.
  func accept() throws(SystemError) -> Accepted {
    var accepted: CInt = -1
    let peer = try SocketAddress.filled { (address, size) throws(SystemError) in
      accepted = try systemCall("accept4") { linux_accept(descriptor, address, size) }
    }
    let socket = Socket(taking: accepted, isLocal: peer?.family == .unix)
    guard let peer else { throw SystemError("accept4", errno: EAFNOSUPPORT) }
    return Accepted(socket: socket, peer: peer)
  }

  /// An accepted connection.
  struct Accepted: ~Copyable {
    let socket: Socket
    let peer: SocketAddress
  }

  /// Begins to connect. The socket becomes writable at the end of the attempt; `connectionError` then tells the result.
  func beginConnecting(to address: SocketAddress) throws(SystemError) {
    do throws(SystemError) {
      // Not repeated after a signal, because the attempt goes on in the system (connect(2), EINTR).
      let result = address.withSystemAddress { CBonjourishLinux.connect(descriptor, $0, $1) }
      if result == -1 { throw SystemError("connect", errno: linux_errno()) }
    } catch  where error.errno == EINPROGRESS || error.errno == EINTR {}
  }

  /// Returns the reason why connecting failed; `nil` if it succeeded.
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

  /// Appends the received bytes that fit, and returns their number; 0 at the end of the stream.
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

  /// Sends pieces in order, in one call, as far as the system has room, and returns the number of bytes taken.
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    if pieces.count == 1 {
      // By far the most frequent case, and a little less work for the system.
      return try systemCall("send") {
        CBonjourishLinux.send(descriptor, pieces[0].iov_base, pieces[0].iov_len, CInt(MSG_NOSIGNAL))
      }
    }
    var message = msghdr()
    message.msg_iov = pieces.baseAddress
    message.msg_iovlen = pieces.count
    return try systemCall("sendmsg") { sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL)) }
  }

  /// Sends the end of the stream.
  func finishSending() throws(SystemError) {
    try systemCall("shutdown") { shutdown(descriptor, CInt(SHUT_WR)) }
  }

  /// The number of bytes that the peer's system has not acknowledged yet.
  func countUnacknowledgedBytes() -> Int {
    // A Unix-domain socket would count the bytes that the peer has not read. The peer can still read them after this side closes.
    guard !isLocal else { return 0 }
    var count: CInt = 0
    return (try? systemCall("ioctl") { linux_ioctl(descriptor, UInt(TIOCOUTQ), &count) }) == nil ? 0 : Int(count)
  }
}

extension Duration {
  /// The duration in seconds for socket options, at least one.
  fileprivate var inSeconds: CInt { CInt(min(max(self / .seconds(1), 1), 32_767)) }
}
