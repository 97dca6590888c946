import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

/// The mDNS socket of one address family, for any number of interfaces. Confined to the loop.
final class MulticastSocket {
  /// A received datagram.
  struct Arrival {
    let bytes: [UInt8]
    let source: MulticastSource
    let reception: MulticastEngine.Reception
    /// The time that the datagram waited in the socket. A step of the wall clock falsifies it.
    let delay: Duration

    /// Whether it is a test datagram, of this process or another.
    var isTest: Bool { bytes == MulticastSocket.testBytes }
  }

  /// A DNS message that asks nothing. Responders ignore it.
  static let testBytes = [UInt8](repeating: 0, count: 12)

  let family: IPAddress.Family
  private let owned: OwnedDescriptor
  var descriptor: CInt { owned.number }
  private let counter: DatagramCounter
  private var watch: DescriptorSource?
  private var buffer = [UInt8](repeating: 0, count: 9_216)

  /// The size of the kernel's receive buffer, 4 MiB. The default, 208 KiB, is too small when hundreds of hosts answer at once.
  private static let receiveBufferSize: CInt = 4 << 20

  /// What a socket receives.
  enum Scope {
    /// All datagrams to port 5353.
    case port
    /// What is sent to the group and arrives on one interface, whose index is given. Datagrams to this host alone, of which the
    /// system gives each to one socket only, are left to the others that share the port.
    case group(UInt32)
  }

  /// Opens port 5353. Other responders on this machine may share it (RFC 6762 §15.1).
  ///
  /// - Parameters:
  ///   - scope: What the socket receives.
  ///   - counter: Counts the datagrams.
  /// - Throws: ``SystemError``: `EADDRINUSE` when another process does not share the port, `EAFNOSUPPORT` when the machine lacks
  ///   the family.
  init(
    _ family: IPAddress.Family, for scope: Scope = .port, counting counter: DatagramCounter = DatagramCounter()
  ) throws(SystemError) {
    self.family = family
    self.counter = counter
    let domain = family == .ipv4 ? AF_INET : AF_INET6
    let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    owned = OwnedDescriptor(try systemCall("socket") { socket(domain, type, 0) })
    try configure()
    try bind(to: scope)
  }

  deinit {
    assert(watch == nil, "a multicast socket was not closed")
  }

  private func configure() throws(SystemError) {
    try set(SOL_SOCKET, SO_REUSEADDR, 1)
    try set(SOL_SOCKET, SO_TIMESTAMPNS, 1)
    // `SO_RCVBUFFORCE` exceeds the system's limit, but only with privileges.
    if (try? set(SOL_SOCKET, SO_RCVBUFFORCE, Self.receiveBufferSize)) == nil {
      try set(SOL_SOCKET, SO_RCVBUF, Self.receiveBufferSize)
    }
    switch family {
    case .ipv4:
      let level = CInt(IPPROTO_IP)
      try set(level, IP_PKTINFO, 1)
      try setHops(255)
      try set(level, IP_TTL, 255)
      try set(level, IP_MULTICAST_LOOP, 1)
      try set(level, IP_MULTICAST_ALL, 0)
    case .ipv6:
      let level = CInt(IPPROTO_IPV6)
      try set(level, IPV6_V6ONLY, 1)
      try set(level, IPV6_RECVPKTINFO, 1)
      try setHops(255)
      try set(level, IPV6_UNICAST_HOPS, 255)
      try set(level, IPV6_MULTICAST_LOOP, 1)
      try set(level, IPV6_MULTICAST_ALL, 0)
    }
  }

  private func set(_ level: CInt, _ option: CInt, _ value: CInt) throws(SystemError) {
    var value = value
    try systemCall("setsockopt") {
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout.size(ofValue: value)))
    }
  }

  /// Shares the port with those who set `SO_REUSEADDR` too, or only `SO_REUSEPORT` if they run as the same user.
  private func bind(to scope: Scope) throws(SystemError) {
    switch family {
    case .ipv4:
      var address = Self.group
      if case .port = scope { address.sin_addr.s_addr = 0 }
      do throws(SystemError) {
        // Without `SO_REUSEPORT`: Linux 6.18 finds the one socket that has joined the group on the interface of a datagram, and then gives
        // it to any of the sockets that were bound with that option to the same address, joined or not.
        try bind(&address)
      } catch  where error.errno == EADDRINUSE {
        try set(SOL_SOCKET, SO_REUSEPORT, 1)
        try bind(&address)
        // What is found for this socket is then given to no other.
        try set(SOL_SOCKET, SO_REUSEPORT, 0)
      }
    case .ipv6:
      // Linux does so only with IPv4. Here unicast goes to a responder that was there before, rather than to the latest socket.
      try set(SOL_SOCKET, SO_REUSEPORT, 1)
      var address = Self.group6
      switch scope {
      case .port: address.sin6_addr = in6_addr()
      case .group(let interface): address.sin6_scope_id = interface
      }
      try bind(&address)
    }
  }

  private func bind<Address>(_ address: inout Address) throws(SystemError) {
    _ = try withSocketAddress(&address) { (pointer, length) throws(SystemError) in
      try systemCall("bind") { CBonjourishLinux.bind(descriptor, pointer, length) }
    }
  }

  // MARK: - Groups

  /// Joins the group on an interface. Does nothing when it is joined already.
  func join(_ interface: UInt32) throws(SystemError) {
    do throws(SystemError) {
      try membership(of: interface, IP_ADD_MEMBERSHIP, IPV6_JOIN_GROUP)
    } catch  where error.errno == EADDRINUSE {
      return
    }
  }

  /// Leaves the group on an interface. Does nothing when the interface is gone.
  func leave(_ interface: UInt32) {
    try? membership(of: interface, IP_DROP_MEMBERSHIP, IPV6_LEAVE_GROUP)
  }

  private func membership(of interface: UInt32, _ option: CInt, _ option6: CInt) throws(SystemError) {
    switch family {
    case .ipv4:
      var request = ip_mreqn()
      request.imr_multiaddr = Self.group.sin_addr
      request.imr_ifindex = CInt(interface)
      try systemCall("setsockopt") {
        setsockopt(descriptor, CInt(IPPROTO_IP), option, &request, socklen_t(MemoryLayout.size(ofValue: request)))
      }
    case .ipv6:
      var request = ipv6_mreq()
      request.ipv6mr_multiaddr = Self.group6.sin6_addr
      request.ipv6mr_interface = interface
      try systemCall("setsockopt") {
        setsockopt(
          descriptor, CInt(IPPROTO_IPV6), option6, &request, socklen_t(MemoryLayout.size(ofValue: request)))
      }
    }
  }

  // MARK: - Datagrams

  /// Sends a datagram on an interface.
  ///
  /// - Throws: ``SystemError``; the datagram is then lost.
  func send(_ bytes: [UInt8], on interface: UInt32, to destination: MulticastEngine.Destination) throws(SystemError) {
    switch (destination, family) {
    case (.multicast, .ipv4):
      try send(bytes, on: interface, Self.group)
    case (.multicast, .ipv6):
      var group = Self.group6
      group.sin6_scope_id = interface
      try send(bytes, on: interface, group)
    case (.unicast(let source), _):
      switch source.address.family {
      case .ipv4:
        try send(bytes, on: interface, Self.address(of: source.address.bytes, port: source.port))
      case .ipv6:
        try send(bytes, on: interface, Self.address6(of: source.address.bytes, port: source.port, scope: interface))
      }
    }
  }

  private func send<Address>(_ bytes: [UInt8], on interface: UInt32, _ address: Address) throws(SystemError) {
    var address = address
    try counter.sending(bytes.count) { () throws(SystemError) in
      try withSocketAddress(&address) { (pointer, length) throws(SystemError) in
        _ = try systemCall("sendmsg") { linux_send_on(descriptor, bytes, bytes.count, pointer, length, interface) }
      }
    }
  }

  /// Sends a datagram to the group that does not leave this machine.
  ///
  /// - Parameters:
  ///   - interface: The kernel's index of the interface.
  ///   - isLoopback: Whether it is the loopback interface.
  ///   - bytes: The datagram; one that asks nothing unless another is given.
  /// - Throws: ``SystemError``; the datagram is then lost.
  func test(
    on interface: UInt32, isLoopback: Bool, with bytes: [UInt8] = MulticastSocket.testBytes
  ) throws(SystemError) {
    // Without hops, IPv6 does not even pass the loopback interface.
    try setHops(isLoopback ? 1 : 0)
    defer { try? setHops(255) }
    try send(bytes, on: interface, to: .multicast)
  }

  private func setHops(_ count: CInt) throws(SystemError) {
    switch family {
    case .ipv4: try set(CInt(IPPROTO_IP), IP_MULTICAST_TTL, count)
    case .ipv6: try set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, count)
    }
  }

  /// Receives datagrams until ``stop()``.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls the closures.
  ///   - received: Called with each datagram.
  ///   - failed: Called when the socket can no longer receive. It has then stopped.
  /// - Throws: ``SystemError`` when the loop cannot watch the socket.
  func start(
    on loop: EventLoop, received: @escaping (Arrival) -> Void, failed: @escaping (SystemError) -> Void
  ) throws(SystemError) {
    watch = try loop.watch(descriptor, for: .readable) { [weak self] _ in
      guard let self else { return }
      do throws(SystemError) {
        try DatagramLoop().run(receive, received)
      } catch {
        stop()
        failed(error)
      }
    }
  }

  /// Stops receiving. The descriptor is closed when the object is freed.
  func stop() {
    if watch != nil { counter.counters.dropped += dropped }
    watch?.cancel()
    watch = nil
  }

  private func receive() throws(SystemError) -> Received<Arrival> {
    // Handling a datagram may have stopped this socket.
    guard watch != nil else { return .nothing }
    var arrival = linux_arrival()
    let count = try systemCall("recvmsg") { linux_receive(descriptor, &buffer, buffer.count, &arrival) }
    guard arrival.is_truncated == 0, arrival.interface != 0, let source = source(of: arrival.from, on: arrival.interface) else {
      counter.counters.unusable += 1
      return .unusable
    }
    counter.received(count)
    return .datagram(
      Arrival(
        bytes: Array(buffer[..<count]), source: source, reception: arrival.is_multicast != 0 ? .multicast : .unicast,
        delay: .nanoseconds(arrival.waited)))
  }

  private func source(of storage: sockaddr_storage, on interface: UInt32) -> MulticastSource? {
    var storage = storage
    let link = MulticastLink(interface: interface, family: family)
    return withUnsafeBytes(of: &storage) { raw in
      switch CInt(raw.loadUnaligned(as: sa_family_t.self)) {
      case AF_INET:
        let address = raw.loadUnaligned(as: sockaddr_in.self)
        return MulticastSource(
          .ipv4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port), link: link)
      case AF_INET6:
        var address = raw.loadUnaligned(as: sockaddr_in6.self)
        let bytes = withUnsafeBytes(of: &address.sin6_addr) { Array($0) }
        return IPAddress(bytes: bytes).map {
          MulticastSource($0, port: UInt16(bigEndian: address.sin6_port), link: link)
        }
      default:
        return nil
      }
    }
  }
}
