import CBonjourishLinux
import Testing
import _BonjourishEventLoop

/// What is told of a datagram, on the loopback interface.
@Suite(.timeLimit(.minutes(1))) struct DatagramTests {
  /// A socket on the loopback interface; nil if there is no such family.
  private func socket(_ family: CInt, with options: [(CInt, CInt)] = []) throws -> (
    descriptor: CInt, address: sockaddr_storage, size: socklen_t
  )? {
    let descriptor = CBonjourishLinux.socket(family, CInt(bitPattern: SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    for (level, option) in options {
      var on: CInt = 1
      try #require(setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size)) == 0)
    }
    var address = sockaddr_storage()
    address.ss_family = sa_family_t(family)
    var size = socklen_t(family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      let host = bytes.baseAddress! + (family == AF_INET ? 4 : 8)
      inet_pton(family, family == AF_INET ? "127.0.0.1" : "::1", host)
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
    }
    guard isBound else {
      close(descriptor)
      return nil
    }
    return (descriptor, address, size)
  }

  /// The next datagram, of which so many bytes fit.
  private func receive(_ descriptor: CInt, atMost count: Int) -> (bytes: [UInt8], arrival: linux_arrival) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&request, 1, 10_000)
    var bytes = [UInt8](repeating: 0, count: count)
    var arrival = linux_arrival()
    let received = linux_receive(descriptor, &bytes, count, &arrival)
    return (Array(bytes.prefix(max(0, received))), arrival)
  }

  @Test(arguments: [AF_INET, AF_INET6]) func `a datagram is sent on an interface, and received with it`(family: CInt) throws {
    let told = family == AF_INET ? (CInt(IPPROTO_IP), IP_PKTINFO) : (CInt(IPPROTO_IPV6), IPV6_RECVPKTINFO)
    guard let receiver = try socket(family, with: [told, (SOL_SOCKET, SO_TIMESTAMPNS)]), let sender = try socket(family) else {
      return #expect(family == AF_INET6, "there is no loopback interface")
    }
    defer {
      close(receiver.descriptor)
      close(sender.descriptor)
    }
    let loopback = if_nametoindex("lo")
    let bytes = Array("hello".utf8)
    for (count, isTruncated) in [(100, false), (3, true), (5, false), (0, true)] {
      var to = receiver.address
      let sent = withUnsafeBytes(of: &to) { to in
        linux_send_on(
          sender.descriptor, bytes, bytes.count, to.baseAddress!.assumingMemoryBound(to: sockaddr.self), receiver.size, loopback
        )
      }
      #expect(sent == 5)
      var (received, arrival) = receive(receiver.descriptor, atMost: count)
      #expect(received == Array(bytes.prefix(count)))
      #expect(arrival.interface == loopback && arrival.is_multicast == 0 && (arrival.is_truncated != 0) == isTruncated)
      #expect((0...60_000_000_000).contains(arrival.waited))
      var from = sender.address
      #expect(memcmp(&arrival.from, &from, Int(sender.size)) == 0)
    }
    var (none, arrival) = ([UInt8](repeating: 0, count: 1), linux_arrival())
    #expect(linux_receive(receiver.descriptor, &none, 1, &arrival) == -1 && linux_errno() == EAGAIN)
  }
}
