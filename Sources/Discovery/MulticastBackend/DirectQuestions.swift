import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

/// Asks single hosts by unicast, which they answer by unicast (RFC 6762 §5.5 and §6.7): so hosts are found that multicast does not
/// reach. Each question has a number, so that lost ones can be counted. All hosts of a link can be asked too, to find one for that.
/// Confined to the loop.
final class DirectQuestions {
  /// Whom a question was for.
  private enum Target: Equatable {
    case host(IPAddress)
    /// All hosts on the interface of this index.
    case group(UInt32)
  }

  private struct Answer: Hashable {
    let host: IPAddress
    let question: Int
  }

  private let descriptor: OwnedDescriptor
  private let answered: (IPAddress, UInt32?) -> Void
  /// What was asked, in the order of the questions' numbers.
  private var questions: [(target: Target, time: ContinuousClock.Instant, isCounted: Bool)] = []
  private var answers: Set<Answer> = []
  private var watch: DescriptorSource?
  private var buffer = [UInt8](repeating: 0, count: 9_216)

  /// Sends the questions from a port of its own, and reports who answers, until ``stop()``.
  ///
  /// - Parameters:
  ///   - hosts: IPv4 addresses.
  ///   - answered: Called with the host, and with the interface if all of its hosts were asked.
  init(on loop: EventLoop, to hosts: [IPAddress], answered: @escaping (IPAddress, UInt32?) -> Void) throws(SystemError) {
    self.answered = answered
    let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = OwnedDescriptor(try systemCall("socket") { socket(AF_INET, type, 0) })
    let number = descriptor.number
    // As RFC 6762 §11 wants it; this machine's own responder is not asked.
    for (option, value) in [(IP_MULTICAST_TTL, CInt(255)), (IP_MULTICAST_LOOP, 0)] {
      var value = value
      try systemCall("setsockopt") { setsockopt(number, CInt(IPPROTO_IP), option, &value, socklen_t(MemoryLayout<CInt>.size)) }
    }
    watch = try loop.watch(number, for: .readable) { [weak self] _ in self?.receive() }
    for host in Set(hosts) { ask(host) }
  }

  deinit {
    assert(watch == nil, "direct questions were not stopped")
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  /// Which of the counted questions to a host alone were answered, in order. A host that has no services answers none of them, but may have
  /// answered one to all.
  ///
  /// - Parameter age: The time after which a question counts that was not answered.
  func answered(by host: IPAddress, after age: Duration = .zero) -> [Bool] {
    let now = ContinuousClock.now
    return questions.indices.compactMap { index in
      let (target, time, isCounted) = questions[index]
      guard isCounted, target == .host(host) else { return nil }
      let isAnswered = answers.contains(Answer(host: host, question: index))
      return isAnswered || now - time >= age ? isAnswered : nil
    }
  }

  /// Whether what was not answered is one gap. Of the programs that share port 5353 of a host one gets what is sent to the host alone: no
  /// answer comes while that is one which does not answer, such as an examination there, and nothing is lost.
  static func hasOneGap(_ answered: [Bool]) -> Bool {
    guard let first = answered.firstIndex(of: false), let last = answered.lastIndex(of: false) else { return false }
    return answered.contains(true) && !answered[first...last].contains(true)
  }

  /// Sends questions to a host. That they cannot be sent says nothing about multicast.
  ///
  /// - Parameter isCounted: Whether to ask one question only: more may be answered by more than one datagram, of which one may be lost
  ///   unnoticed.
  func ask(_ host: IPAddress, isCounted: Bool = false) {
    questions.append((.host(host), .now, isCounted))
    let number = UInt16(truncatingIfNeeded: questions.count)
    send(SurveyQuestions.message(to: isCounted ? nil : host, number: number), to: host, on: 0)
  }

  /// Asks all hosts on an interface for the types of their services.
  ///
  /// - Parameter interface: The kernel's index.
  func askAll(on interface: UInt32) {
    questions.append((.group(interface), .now, false))
    let number = UInt16(truncatingIfNeeded: questions.count)
    send(SurveyQuestions.message(to: nil, number: number), to: .ipv4(0xE000_00FB), on: interface)
  }

  private func send(_ bytes: [UInt8], to host: IPAddress, on interface: UInt32) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = MulticastEngine.port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: host.bytes) }
    withUnsafePointer(to: &address) {
      let pointer = UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = linux_send_on(descriptor.number, bytes, bytes.count, pointer, length, interface)
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
      guard let message = try? DNSMessage(parsing: Array(buffer[..<count])), message.isResponse,
        questions.indices.contains(Int(message.id) - 1)
      else { continue }
      let question = Int(message.id) - 1
      switch questions[question].target {
      case .host(host):
        answers.insert(Answer(host: host, question: question))
        answered(host, nil)
      case .host: continue
      case .group(let interface):
        answers.insert(Answer(host: host, question: question))
        answered(host, interface)
      }
    }
  }
}
