import CBonjourishLinux
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

/// Ends a connection of the library whose server sends without end, and no whole message: see ``InboundAccount``.
///
/// The library reads on a thread of its own, with and without TLS, and has no limit. The guard has a duplicate of its socket, is woken
/// when something comes, at most a hundred times a second, and compares what the kernel has counted with the library's messages.
///
/// Sendable: it is used on its loop only, except for what begins and ends it.
final class InboundGuard: @unchecked Sendable {
  /// What is asked of the connection, and what it is told.
  struct Handlers: Sendable {
    /// The whole messages of the connection so far, and the most bytes of one; nil when there is none any more.
    let counts: @Sendable () -> (messages: UInt64, maximumPayload: Int)?
    /// Called when the connection has to be ended, with the limit in bytes, before its socket is shut down.
    let exceeding: @Sendable (Int) -> Void
    /// Called after ``exceeding``, when the socket is shut down.
    let exceeded: @Sendable () -> Void
  }

  private static let shared = SharedEventLoop(name: "directory-limit")
  /// The time between two looks, and while a message is being received that is not small.
  private static let (interval, shortInterval): (Duration, Duration) = (.milliseconds(10), .milliseconds(1))

  private let loop: EventLoop
  private let handlers: Handlers
  private var socket: OwnedDescriptor?
  private var watch: DescriptorSource?
  private var timer: LoopTimer?
  private var account = InboundAccount(at: .now)
  /// Whether more than a small part of a message has come.
  private var isReceiving = false

  init(_ handlers: Handlers) throws(SystemError) {
    loop = try Self.shared.get()
    self.handlers = handlers
  }

  /// Guards a socket from now on, in place of the one before.
  ///
  /// - Parameter socket: A duplicate of the library's, which the guard closes; nil if the connection is lost already.
  func begin(_ socket: CInt?) {
    loop.execute { [self] in
      close()
      guard let number = socket else { return account.missed() }
      self.socket = OwnedDescriptor(number)
      guard let counts = handlers.counts(), Self.received(number) != nil else {
        self.socket = nil
        return account.missed()
      }
      account.connected(messages: counts.messages, at: .now)
      look()
    }
  }

  func end() {
    loop.execute { [self] in close() }
  }

  /// Compares, and waits for more.
  private func look() {
    guard let socket = socket?.number else { return }
    guard !isExceeded(socket) else { return close() }
    do throws(SystemError) {
      // While a timer runs, nothing is watched: most of what wakes the guard has been read already then.
      watch = try loop.watch(socket, for: .readable) { [weak self] events in self?.arrived(events) }
    } catch {
      wait()
    }
  }

  private func arrived(_ events: DescriptorEvents) {
    watch?.cancel()
    watch = nil
    // Nothing more can come.
    if !events.isDisjoint(with: [.hangUp, .error]) { return close() }
    wait()
  }

  private func wait() {
    timer = loop.schedule(after: isReceiving ? Self.shortInterval : Self.interval) { [weak self] in self?.look() }
  }

  private func isExceeded(_ socket: CInt) -> Bool {
    guard let received = Self.received(socket), let counts = handlers.counts() else { return false }
    var unread: CInt = 0
    // What has arrived since the first call counts as unread.
    guard linux_ioctl(socket, UInt(FIONREAD), &unread) == 0 else { return false }
    let bytes = received - min(received, UInt64(max(unread, 0)))
    account.note(bytes, messages: counts.messages, at: .now)
    isReceiving = account.isReceiving(bytes)
    guard account.isExceeded(bytes, maximumPayload: counts.maximumPayload) else { return false }
    // The reason first: the library's thread tells as soon as it reads the end.
    handlers.exceeding(InboundAccount.limit(maximumPayload: counts.maximumPayload))
    shutdown(socket, CInt(SHUT_RDWR))
    handlers.exceeded()
    return true
  }

  private static func received(_ socket: CInt) -> UInt64? {
    var count: UInt64 = 0
    return linux_tcp_received(socket, &count) == 0 ? count : nil
  }

  private func close() {
    timer?.cancel()
    watch?.cancel()
    if let number = socket?.number, let received = Self.received(number) { account.disconnected(received) }
    (timer, watch) = (nil, nil)
    socket = nil
  }
}

extension InboundGuard {
  /// Duplicates the socket of this process with a local address, which the library tells instead of the descriptor.
  ///
  /// - Returns: Nil if there is none.
  static func duplicate(ofSocketAt address: String, port: Int) -> CInt? {
    for descriptor in descriptors() where isSocket(descriptor, at: address, port) {
      guard let copy = try? systemCall("fcntl", { linux_fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }) else { continue }
      // The library may have closed it in between.
      if isSocket(copy, at: address, port) { return copy }
      CBonjourishLinux.close(copy)
    }
    return nil
  }

  /// The open descriptors of this process.
  private static func descriptors() -> [CInt] {
    (try? listFolder("/proc/self/fd"))?.compactMap { CInt($0) } ?? Array(0..<1_024)
  }

  private static let streamType = CInt(SOCK_STREAM.rawValue)

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether a descriptor is a connected stream socket with a local address. One of datagrams may have the same.
  private static func isSocket(_ descriptor: CInt, at address: String, _ port: Int) -> Bool {
    var type: CInt = 0
    var typeSize = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &typeSize) == 0, type == streamType else { return false }
    var local = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &local) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { local in
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        var service = [CChar](repeating: 0, count: 8)
        guard getsockname(descriptor, local, &size) == 0, [AF_INET, AF_INET6].contains(CInt(local.pointee.sa_family)),
          getnameinfo(
            local, size, &text, socklen_t(text.count), &service, socklen_t(service.count), NI_NUMERICHOST | NI_NUMERICSERV) == 0
        else { return false }
        var peer = sockaddr_storage()
        var peerSize = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isConnected = withUnsafeMutablePointer(to: &peer) { peer in
          peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &peerSize) == 0 }
        }
        // A zone is not told by the library.
        return isConnected && Self.text(text).split(separator: "%").first.map(String.init) == address
          && Self.text(service) == "\(port)"
      }
    }
  }
}
