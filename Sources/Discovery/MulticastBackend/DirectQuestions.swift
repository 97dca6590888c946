import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

/// Asks single hosts by unicast, which they answer by unicast (RFC 6762 §5.5 and §6.7): so hosts are found that multicast does not
/// reach. Confined to the loop.
final class DirectQuestions {
  private let descriptor: OwnedDescriptor
  private let hosts: Set<IPAddress>
  private let answered: (IPAddress) -> Void
  private var watch: DescriptorWatch?
  private var buffer = [UInt8](repeating: 0, count: 9_216)

  /// Sends the questions from a port of its own, and reports who answers, until ``stop()``.
  ///
  /// - Parameter hosts: IPv4 addresses.
  init(on loop: EventLoop, to hosts: [IPAddress], answered: @escaping (IPAddress) -> Void) throws(SystemError) {
    self.hosts = Set(hosts)
    self.answered = answered
    let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = OwnedDescriptor(try systemCall("socket") { socket(AF_INET, type, 0) })
    watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.receive() }
    for host in self.hosts { send(to: host) }
  }

  deinit {
    assert(watch == nil, "direct questions were not stopped")
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  /// Sends the questions to a host. That they cannot be sent says nothing about multicast.
  private func send(to host: IPAddress) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = MulticastEngine.port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: host.bytes) }
    let bytes = SurveyQuestions.message(to: host)
    withUnsafePointer(to: &address) {
      let pointer = UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
      _ = sendto(descriptor.number, bytes, bytes.count, CInt(MSG_NOSIGNAL), pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }

  private func receive() {
    for _ in 0..<64 {
      var arrival = linux_arrival()
      // A host without a responder refuses, which is reported as an error of the socket.
      let count = linux_receive(descriptor.number, &buffer, buffer.count, &arrival)
      if count < 0 {
        guard linux_errno() == ECONNREFUSED else { return }
        continue
      }
      let word = withUnsafeBytes(of: &arrival.from) { $0.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr }
      let host = IPAddress.ipv4(UInt32(bigEndian: word))
      guard hosts.contains(host), (try? DNSMessage(parsing: Array(buffer[..<count])))?.isResponse == true else { continue }
      answered(host)
    }
  }
}
