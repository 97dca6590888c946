import CBonjourishLinux
import FramedTransport
import TestSupport
import _BonjourishBase
import _BonjourishEventLoop

/// Takes TCP connections, and passes on what comes over each in pieces of random sizes, with pauses.
///
/// Its one thread does nothing but read, write and poll, so that nothing is shared with what is tested.
///
/// Sendable: `pieces` and `isStopped` are locked, everything else belongs to the thread.
final class SplittingProxy: @unchecked Sendable {
  let port: UInt16
  private let listener: CInt
  private let target: UInt16
  private let shared = Locked((pieces: 0, isStopped: false))
  private var generator: SeededGenerator
  /// What the first link does wrong.
  private var fault: StressFault?
  private var links: [Link] = []

  var pieces: Int { shared.withLock { $0.pieces } }

  /// Listens on 127.0.0.1, for connections that are passed on to another port there.
  init(to target: UInt16, seed: UInt64, fault: StressFault? = nil) throws(StressFailure) {
    self.target = target
    self.fault = fault
    generator = SeededGenerator(seed: seed)
    listener = try Self.makeSocket()
    var address = Self.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 1024) == 0 && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isBound else { throw StressFailure("The proxy cannot listen: errno \(linux_errno())") }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Runs until it is stopped.
  func start() throws(StressFailure) {
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<SplittingProxy>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard failure == 0 else { throw StressFailure("The proxy cannot start its thread: errno \(failure)") }
    pthread_detach(thread)
  }

  func stop() {
    shared.withLock { $0.isStopped = true }
  }

  private func run() {
    while !shared.withLock({ $0.isStopped }) {
      var polled = links.flatMap { link in
        [link.forth.pollRequest, link.back.pollRequest].flatMap { [$0.source, $0.sink] }
      }
      polled.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
      // Who pauses is not waited for, so that the pause ends with one of the next turns.
      _ = poll(&polled, nfds_t(polled.count), 1)
      if polled[polled.count - 1].revents != 0 { accept() }
      var pieces = 0
      for index in polled.indices.dropLast().filter({ $0 % 4 == 0 }) {
        pieces += links[index / 4].pass(polled[index..<index + 4], &generator)
      }
      links.removeAll { link in
        guard link.isOver else { return false }
        link.close()
        return true
      }
      if pieces > 0 { shared.withLock { $0.pieces += pieces } }
    }
    for link in links { link.close() }
    close(listener)
  }

  private func accept() {
    while true {
      let near = linux_accept(listener, nil, nil)
      guard near >= 0 else { return }
      guard let far = try? Self.makeSocket() else {
        close(near)
        continue
      }
      for descriptor in [near, far] { shrinkBuffers(of: descriptor) }
      var address = Self.address(port: target)
      withUnsafeMutablePointer(to: &address) { address in
        _ = address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(far, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      links.append(Link(near: near, far: far, fault: fault.take()))
    }
  }

  /// Some connections get so little room that both ends have to wait all the time.
  private func shrinkBuffers(of descriptor: CInt) {
    var on: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    guard generator.once(in: 2) else { return }
    for option in [SO_SNDBUF, SO_RCVBUF] {
      var size = CInt(generator.number(in: 4096..<65_536))
      setsockopt(descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<CInt>.size))
    }
  }

  private static func makeSocket() throws(StressFailure) -> CInt {
    let type = CInt(bitPattern: SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, type, 0)
    guard descriptor >= 0 else { throw StressFailure("The proxy gets no socket: errno \(linux_errno())") }
    return descriptor
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }
}
