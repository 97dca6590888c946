import CBonjourishLinux
import _BonjourishEventLoop

/// A listening socket, and the loop's watch on it.
///
/// Sendable: created by one task and then confined to the loop, which every method asserts.
final class ListeningSocket: @unchecked Sendable {
  let descriptor: CInt
  private var socket: Socket?
  private var watch: DescriptorSource?
  /// The loop, after the first call of `watch`.
  private var loop: EventLoop?
  /// The file to remove at the end.
  private let file: SocketFile?

  private init(_ socket: consuming Socket, _ file: SocketFile? = nil) {
    descriptor = socket.descriptor
    self.file = file
    self.socket = consume socket
  }

  /// The number of attempts to find a port that is free for all addresses.
  private static let mostAttempts = 32

  /// Binds sockets to several addresses with the same port, and returns them with their final addresses.
  ///
  /// Addresses that the machine does not have (any more) are left out, unless no other is left.
  static func bind(
    to addresses: [SocketAddress], limits: TransportLimits
  ) throws(TransportError) -> (sockets: [ListeningSocket], addresses: [SocketAddress]) {
    var attempts = 1
    while true {
      do throws(TransportError) {
        return try bindOnce(to: addresses, limits)
      } catch  where error.code == .addressInUse && addresses[0].port == 0 && attempts < mostAttempts {
        attempts += 1
      }
    }
  }

  private static func bindOnce(
    to addresses: [SocketAddress], _ limits: TransportLimits
  ) throws(TransportError) -> (sockets: [ListeningSocket], addresses: [SocketAddress]) {
    var sockets: [ListeningSocket] = []
    var bound: [SocketAddress] = []
    var missing: TransportError?
    for address in addresses {
      let address = bound.first.map { address.with(port: $0.port) } ?? address
      do throws(SystemError) {
        let (socket, local) = try listen(at: address, limits)
        sockets.append(socket)
        bound.append(local)
      } catch {
        let failure = TransportError(error, "Listening at \(address)")
        guard failure.code == .unavailable else { throw failure }
        missing = failure
      }
    }
    if bound.isEmpty, let missing { throw missing }
    return (sockets, bound)
  }

  private static func listen(
    at address: SocketAddress, _ limits: TransportLimits
  ) throws(SystemError) -> (ListeningSocket, SocketAddress) {
    let socket = try Socket(address.family)
    try socket.enable(SO_REUSEADDR, at: SOL_SOCKET)
    if address.family == .ipv6 { try socket.enable(IPV6_V6ONLY, at: CInt(IPPROTO_IPV6)) }
    // Accepted sockets inherit these options.
    try socket.disableNagle()
    try socket.setKeepAlive(limits)
    try socket.bind(to: address)
    try socket.listen()
    let local = socket.localAddress() ?? address
    return (ListeningSocket(socket), local)
  }

  /// Binds a Unix-domain socket.
  ///
  /// - Parameter permissions: The permissions of the socket's file, if it has one.
  static func bind(toUnix address: SocketAddress, permissions: UInt16) async throws(TransportError) -> ListeningSocket {
    let lock = address.unixPath == nil ? nil : try await DirectoryLock.take(around: address)
    let socket: Socket
    do throws(SystemError) {
      socket = try Socket(.unix)
    } catch {
      throw TransportError(error, "Listening at \(address)", at: address)
    }
    guard let lock else {
      do throws(SystemError) {
        try socket.bind(to: address)
        try socket.listen()
      } catch {
        throw TransportError(error, "Listening at \(address)", at: address)
      }
      return ListeningSocket(socket)
    }
    let file = try SocketFile(listening: socket, at: address, permissions: permissions)
    lock.release()
    return ListeningSocket(socket, file)
  }

  /// Takes over an inherited listening socket, whose type has been checked.
  static func inherit(
    _ descriptor: CInt, at address: SocketAddress, _ limits: TransportLimits
  ) throws(TransportError) -> ListeningSocket {
    let socket = Socket(taking: descriptor, isLocal: address.family == .unix)
    do throws(SystemError) {
      let flags = try systemCall("fcntl") { linux_fcntl(descriptor, F_GETFL, 0) }
      try systemCall("fcntl") { linux_fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
      try socket.disableNagle()
      try socket.setKeepAlive(limits)
    } catch {
      throw TransportError(error, "Listening at \(address)", at: address)
    }
    return ListeningSocket(socket)
  }

  // MARK: - On the loop

  func accept() throws(SystemError) -> Socket.Accepted {
    loop?.assertIsCurrent()
    return try socket!.accept()
  }

  /// Calls a closure whenever connections wait; nil stops that.
  func watch(on loop: EventLoop, _ handler: (() -> Void)?) throws(SystemError) {
    loop.assertIsCurrent()
    self.loop = loop
    watch?.cancel()
    watch = nil
    guard let handler else { return }
    watch = try loop.watch(descriptor, for: .readable) { _ in handler() }
  }

  func close() {
    loop?.assertIsCurrent()
    watch?.cancel()
    watch = nil
    file?.remove()
    socket = nil
  }
}
