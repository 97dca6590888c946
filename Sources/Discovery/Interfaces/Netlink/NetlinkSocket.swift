import CBonjourishLinux
import _BonjourishEventLoop

/// A socket for questions to the kernel about its interfaces, addresses and routes (rtnetlink).
///
/// After an error it must not be used again: a late answer would be taken for that to the next question.
final class NetlinkSocket {
  private let descriptor: OwnedDescriptor

  init() throws(SystemError) {
    let type = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = OwnedDescriptor(try systemCall("socket") { socket(AF_NETLINK, type, CInt(NETLINK_ROUTE)) })
    // The kernel answers at once; this is for the case that it does not.
    var timeout = timeval(tv_sec: 0, tv_usec: 300_000)
    setsockopt(descriptor.number, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  /// All of an answer, at most 4 MiB.
  ///
  /// - Parameters:
  ///   - request: `RTM_GETLINK` or `RTM_GETADDR`.
  func dump(_ request: Int) throws(SystemError) -> [UInt8] {
    try send(request, UInt16(NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH), [UInt8](repeating: 0, count: 16))
    var answer: [UInt8] = []
    while answer.count < 4 << 20 {
      let part = try receive(atMost: 65_536)
      answer += part
      if part.isEmpty || NetlinkMessage.all(in: part).contains(where: { $0.type == NLMSG_ERROR || $0.type == NLMSG_DONE }) {
        break
      }
    }
    return answer
  }

  /// The answer to a question about one thing, at most 8 KiB.
  ///
  /// - Parameters:
  ///   - request: The type of the question, such as `RTM_GETROUTE`.
  ///   - body: What follows the header.
  func ask(_ request: Int, _ body: [UInt8]) throws(SystemError) -> [UInt8] {
    try send(request, UInt16(NLM_F_REQUEST), body)
    return try receive(atMost: 8_192)
  }

  private func send(_ request: Int, _ flags: UInt16, _ body: [UInt8]) throws(SystemError) {
    var message = [UInt8](repeating: 0, count: 16) + body
    message.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: UInt32(bytes.count), toByteOffset: 0, as: UInt32.self)
      bytes.storeBytes(of: UInt16(request), toByteOffset: 4, as: UInt16.self)
      bytes.storeBytes(of: flags, toByteOffset: 6, as: UInt16.self)
    }
    _ = try systemCall("send") { CBonjourishLinux.send(descriptor.number, message, message.count, 0) }
  }

  private func receive(atMost size: Int) throws(SystemError) -> [UInt8] {
    var part: [UInt8] = []
    try part.append(addingCapacity: size) { (output) throws(SystemError) in
      try output.withUnsafeMutableBufferPointer { (buffer, count) throws(SystemError) in
        count = try systemCall("recv") { recv(descriptor.number, buffer.baseAddress, buffer.count, 0) }
      }
    }
    return part
  }
}
