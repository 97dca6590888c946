import CBonjourishLinux
import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

/// What the kernel is told of a socket, and where its datagrams go. On the loopback interface.
@Suite(.timeLimit(.minutes(1))) struct MulticastSocketTests {
  private let lo = UInt32(if_nametoindex("lo"))

  /// A socket at an address of this machine and at any port.
  private final class Bound {
    let socket: OwnedDescriptor
    private(set) var port: UInt16 = 0

    /// Nil if this machine does not have the address.
    init?(to host: IPAddress) {
      let isOld = host.family == .ipv4
      socket = OwnedDescriptor(CBonjourishLinux.socket(isOld ? AF_INET : AF_INET6, CInt(SOCK_DGRAM.rawValue), 0))
      var storage = sockaddr_storage()
      withUnsafeMutableBytes(of: &storage) { raw in
        if isOld {
          raw.storeBytes(of: MulticastSocket.address(of: host.bytes, port: 0), as: sockaddr_in.self)
        } else {
          raw.storeBytes(of: MulticastSocket.address6(of: host.bytes, port: 0, scope: 0), as: sockaddr_in6.self)
        }
      }
      let number = socket.number
      var length = socklen_t(isOld ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
      let isBound = withUnsafeMutablePointer(to: &storage) { pointer in
        let any = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
        return bind(number, any, length) == 0 && getsockname(number, any, &length) == 0
      }
      guard isBound else { return nil }
      port = Self.port(of: storage)
    }

    /// The port has the same place in the addresses of both families.
    static func port(of storage: sockaddr_storage) -> UInt16 {
      withUnsafeBytes(of: storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }
  }

  private func loopback(_ family: IPAddress.Family) -> IPAddress {
    family == .ipv4 ? .ipv4(0x7F00_0001) : .ipv6(high: 0, low: 1)
  }

  /// A socket; nil if this machine has no address of the family.
  private func open(_ family: IPAddress.Family) throws -> MulticastSocket? {
    if family == .ipv6, Bound(to: loopback(.ipv6)) == nil { return nil }
    return try MulticastSocket(family)
  }

  private func option(_ level: CInt, _ name: CInt, of socket: MulticastSocket) -> CInt {
    var value: CInt = -1
    var length = socklen_t(MemoryLayout<CInt>.size)
    getsockopt(socket.descriptor, level, name, &value, &length)
    return value
  }

  /// RFC 6762 §11 wants 255 hops; the names are those of ip(7), ipv6(7) and socket(7).
  private func options(of family: IPAddress.Family) -> [(name: String, level: CInt, option: CInt, value: CInt)] {
    let (ip, ip6) = (CInt(IPPROTO_IP), CInt(IPPROTO_IPV6))
    return switch family {
    case .ipv4:
      [
        ("SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR, 1), ("SO_REUSEPORT", SOL_SOCKET, SO_REUSEPORT, 0),
        ("SO_TIMESTAMPNS", SOL_SOCKET, SO_TIMESTAMPNS, 1), ("IP_PKTINFO", ip, IP_PKTINFO, 1), ("IP_TTL", ip, IP_TTL, 255),
        ("IP_MULTICAST_TTL", ip, IP_MULTICAST_TTL, 255), ("IP_MULTICAST_LOOP", ip, IP_MULTICAST_LOOP, 1),
        ("IP_MULTICAST_ALL", ip, IP_MULTICAST_ALL, 0),
      ]
    case .ipv6:
      [
        ("SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR, 1), ("SO_REUSEPORT", SOL_SOCKET, SO_REUSEPORT, 1),
        ("SO_TIMESTAMPNS", SOL_SOCKET, SO_TIMESTAMPNS, 1), ("IPV6_V6ONLY", ip6, IPV6_V6ONLY, 1),
        ("IPV6_RECVPKTINFO", ip6, IPV6_RECVPKTINFO, 1), ("IPV6_UNICAST_HOPS", ip6, IPV6_UNICAST_HOPS, 255),
        ("IPV6_MULTICAST_HOPS", ip6, IPV6_MULTICAST_HOPS, 255), ("IPV6_MULTICAST_LOOP", ip6, IPV6_MULTICAST_LOOP, 1),
        ("IPV6_MULTICAST_ALL", ip6, IPV6_MULTICAST_ALL, 0),
      ]
    }
  }

  @Test(arguments: IPAddress.Family.allCases)
  func `a socket shares its port, and sends with 255 hops again after a test`(_ family: IPAddress.Family) throws {
    guard let socket = try open(family) else { return }
    try socket.join(lo)
    try socket.join(lo)
    for _ in 0..<2 {
      for (name, level, number, value) in options(of: family) {
        #expect(option(level, number, of: socket) == value, "\(name)")
      }
      // Where IPv6 has no route to the group there, it fails.
      try? socket.test(on: lo, isLoopback: true)
    }
    let plain = try #require(Bound(to: loopback(.ipv4)))
    var (size, length) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
    getsockopt(plain.socket.number, SOL_SOCKET, SO_RCVBUF, &size, &length)
    #expect(option(SOL_SOCKET, SO_RCVBUF, of: socket) > size)
  }

  @Test(arguments: IPAddress.Family.allCases)
  func `an answer to one host goes to its address and port, from port 5353`(_ family: IPAddress.Family) throws {
    guard let socket = try open(family) else { return }
    let host = loopback(family)
    let receiver = try #require(Bound(to: host))
    let link = MulticastLink(interface: lo, family: family)
    try socket.send([1, 2, 3], on: lo, to: .unicast(MulticastSource(host, port: receiver.port, link: link)))
    var one = pollfd(fd: receiver.socket.number, events: Int16(POLLIN), revents: 0)
    try #require(poll(&one, 1, 30_000) == 1)
    var (buffer, source) = ([UInt8](repeating: 0, count: 16), sockaddr_storage())
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let count = withUnsafeMutablePointer(to: &source) { pointer in
      recvfrom(
        receiver.socket.number, &buffer, 16, 0, UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), &length
      )
    }
    #expect(Array(buffer[..<max(count, 0)]) == [1, 2, 3])
    #expect(Bound.port(of: source) == 5353)
  }

  @Test func `a datagram to the group arrives with its sender and interface`() async throws {
    nonisolated(unsafe) let socket = try MulticastSocket(.ipv4)
    let loop = try EventLoop(name: "test")
    let bytes = [UInt8](repeating: 3, count: 29) + "\(UInt64.random(in: 0...(.max)))".utf8
    let (source, isGroup, isTest, delay): (MulticastSource, Bool, Bool, Duration) =
      try await withCheckedThrowingContinuation { continuation in
        loop.execute { [lo] in
          do {
            try socket.join(lo)
            var isDone = false
            try socket.start(
              on: loop,
              received: { arrival in
                // Others on this machine may send too.
                guard !isDone, arrival.bytes == bytes else { return }
                isDone = true
                socket.stop()
                continuation.resume(
                  returning: (arrival.source, arrival.reception == .multicast, arrival.isTest, arrival.delay))
              }, failed: { continuation.resume(throwing: $0) })
            try socket.test(on: lo, isLoopback: true, with: bytes)
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    #expect(source.link == MulticastLink(interface: lo, family: .ipv4) && source.port == 5353)
    #expect(source.address.family == .ipv4 && isGroup && !isTest)
    #expect(delay >= .zero && delay < .seconds(30))
    await loop.shutdown()
  }

  @Test func `a socket that has left the group hears nothing of it`() throws {
    let socket = try MulticastSocket(.ipv4)
    func hears(_ mark: UInt8) throws -> Bool {
      try socket.test(on: lo, isLoopback: true, with: [UInt8](repeating: mark, count: 27))
      var (buffer, isHeard) = ([UInt8](repeating: 0, count: 9_216), false)
      // What was sent before has arrived: nothing on the loopback interface is under way.
      while case let count = recv(socket.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)), count >= 0 {
        isHeard = isHeard || buffer[..<count] == [UInt8](repeating: mark, count: 27)[...]
      }
      return isHeard
    }
    try socket.join(lo)
    // A busy machine may be late.
    var isHeard = false
    for mark in 1...100 as ClosedRange<UInt8> where !isHeard { isHeard = try hears(mark) }
    #expect(isHeard)
    socket.leave(lo)
    #expect(try !hears(200))
    // An interface that is gone is no error.
    socket.leave(0x7FFF_FFFF)
  }

  @Test func `what the kernel has dropped is counted once when a socket stops`() async throws {
    let counter = DatagramCounter()
    nonisolated(unsafe) let socket = try MulticastSocket(.ipv4, counting: counter)
    let loop = try EventLoop(name: "test")
    nonisolated(unsafe) let counters = counter
    let (dropped, counted): (Int, Int) = try await withCheckedThrowingContinuation { continuation in
      loop.execute { [lo] in
        do {
          var size: CInt = 1
          setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
          try socket.join(lo)
          // The loop is busy here, so nothing is received.
          try socket.start(on: loop, received: { _ in }, failed: { _ in })
          for _ in 0..<40 { try socket.test(on: lo, isLoopback: true) }
          socket.leave(lo)
          let dropped = socket.dropped
          socket.stop()
          socket.stop()
          continuation.resume(returning: (dropped, counters.counters.dropped))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    #expect(dropped > 0 && counted == dropped)
    await loop.shutdown()
  }
}
