import CLinux
import EventLoop
import Glibc

/// A socket that listens, and the loop's attention to it.
///
/// Sendable: made by one task and then used on the loop only.
final class ListeningSocket: @unchecked Sendable {
  let descriptor: CInt
  private var socket: Socket?
  private var watch: DescriptorWatch?
  /// What is to be removed at the end.
  private let file: SocketFile?

  private init(_ socket: consuming Socket, _ file: SocketFile? = nil) {
    descriptor = socket.descriptor
    self.file = file
    self.socket = consume socket
  }

  /// How often another port is asked for when the one that one family got is taken in the other.
  private static let mostAttempts = 32

  /// Sockets that listen at addresses which have the same port, and the addresses with the port that they got.
  ///
  /// Addresses that the machine does not have (any more) are left out as long as there is another.
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
    // Sockets inherit this from the one they were accepted from.
    try socket.disableNagle()
    try socket.watchPeer(limits)
    try socket.bind(to: address)
    try socket.listen()
    let local = socket.localAddress() ?? address
    return (ListeningSocket(socket), local)
  }

  /// A Unix-domain socket that listens.
  ///
  /// - Parameter permissions: Who may connect to one that has a file.
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

  /// A socket that listens already and was handed to this process, which has seen to its kind.
  static func inherit(
    _ descriptor: CInt, at address: SocketAddress, _ limits: TransportLimits
  ) throws(TransportError) -> ListeningSocket {
    let socket = Socket(taking: descriptor, isLocal: address.family == .unix)
    do throws(SystemError) {
      let flags = try systemCall("fcntl") { fcntl(descriptor, F_GETFL) }
      try systemCall("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
      try socket.disableNagle()
      try socket.watchPeer(limits)
    } catch {
      throw TransportError(error, "Listening at \(address)", at: address)
    }
    return ListeningSocket(socket)
  }

  // MARK: - On the loop

  func accept() throws(SystemError) -> Socket.Accepted {
    try socket!.accept()
  }

  /// Calls a closure whenever connections wait, or does not any more.
  func watch(on loop: EventLoop, _ handler: (() -> Void)?) throws(SystemError) {
    watch?.cancel()
    watch = nil
    guard let handler else { return }
    watch = try loop.watch(descriptor, for: .readable) { _ in handler() }
  }

  func close() {
    watch?.cancel()
    watch = nil
    file?.remove()
    socket = nil
  }
}
