import CLinux
import EventLoop
import Glibc

/// The owner of a TCP or Unix-domain socket's descriptor, which is closed when its owner goes, and only then.
///
/// Every call returns at once: what cannot be done now throws `EAGAIN`.
struct Socket: ~Copyable {
  let descriptor: CInt

  /// Whether it is a Unix-domain socket: what is sent is with the peer at once, and what concerns networks does not apply.
  let isLocal: Bool

  /// A new socket for addresses of one family.
  init(_ family: SocketAddress.Family) throws(SystemError) {
    isLocal = family == .unix
    let transport = isLocal ? 0 : CInt(IPPROTO_TCP)
    let type = CInt(bitPattern: SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = try systemCall("socket") { socket(family.addressFamily, type, transport) }
  }

  /// A socket that somebody else has made, does not block, and belongs to this owner from now on.
  init(taking descriptor: CInt, isLocal: Bool = false) {
    self.descriptor = descriptor
    self.isLocal = isLocal
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
    try set(option, at: level, to: 1)
  }

  private func set(_ option: CInt, at level: CInt, to value: CInt) throws(SystemError) {
    var value = value
    try systemCall("setsockopt") {
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
  }

  /// Sends what is written without waiting for more to come: gathering is done here, once in a turn.
  func disableNagle() throws(SystemError) {
    guard !isLocal else { return }
    try enable(TCP_NODELAY, at: CInt(IPPROTO_TCP))
  }

  /// Lets the system notice a peer that has vanished. Sockets inherit this from the one they were accepted from.
  func watchPeer(_ limits: TransportLimits) throws(SystemError) {
    // Of a process that has gone the system knows.
    guard !isLocal else { return }
    if let keepAlive = limits.keepAlive {
      // Asked several times before the time is over, for a question or its answer can get lost.
      let interval = ((limits.silenceLimit ?? keepAlive * 2) - keepAlive) / Self.questions
      try set(TCP_KEEPIDLE, at: CInt(IPPROTO_TCP), to: keepAlive.inSeconds)
      try set(TCP_KEEPINTVL, at: CInt(IPPROTO_TCP), to: interval.inSeconds)
      try set(TCP_KEEPCNT, at: CInt(IPPROTO_TCP), to: CInt(Self.questions))
      try enable(SO_KEEPALIVE, at: SOL_SOCKET)
    }
    if let silenceLimit = limits.silenceLimit {
      try set(TCP_USER_TIMEOUT, at: CInt(IPPROTO_TCP), to: CInt(clamping: Int(silenceLimit / .milliseconds(1))))
    }
  }

  /// How often a silent peer is asked.
  private static let questions = 5

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
    let socket = Socket(taking: accepted, isLocal: peer?.family == .unix)
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

  /// Sends of pieces in order as much as the system takes, in one call, and returns how many bytes that were.
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
    // Asked of a Unix-domain socket, it is the bytes that the peer has not read, which it still can when we have gone.
    guard !isLocal else { return 0 }
    var count: CInt = 0
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }
}

extension Duration {
  /// In seconds, as the options of sockets take it: a second at least.
  fileprivate var inSeconds: CInt { CInt(min(max(self / .seconds(1), 1), 32_767)) }
}
