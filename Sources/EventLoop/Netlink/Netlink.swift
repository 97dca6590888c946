import CLinux

/// Asks the kernel for its interfaces, addresses and routes (rtnetlink).
enum Netlink {
  /// All of an answer, at most 4 MiB.
  ///
  /// - Parameters:
  ///   - request: `RTM_GETLINK` or `RTM_GETADDR`.
  static func dump(_ request: Int) throws(SystemError) -> [UInt8] {
    try exchange(request, UInt16(NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH), [UInt8](repeating: 0, count: 16)) { part in
      NetlinkMessage.all(in: part).contains { $0.type == NLMSG_ERROR || $0.type == NLMSG_DONE }
    }
  }

  /// The answer to a question about one thing.
  ///
  /// - Parameters:
  ///   - request: The type of the question, such as `RTM_GETROUTE`.
  ///   - body: What follows the header.
  static func ask(_ request: Int, _ body: [UInt8]) throws(SystemError) -> [UInt8] {
    try exchange(request, UInt16(NLM_F_REQUEST), body) { _ in true }
  }

  /// Sends a question, and receives the answer until it is whole.
  private static func exchange(
    _ request: Int, _ flags: UInt16, _ body: [UInt8], _ isWhole: ([UInt8]) -> Bool
  ) throws(SystemError) -> [UInt8] {
    let type = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = try systemCall("socket") { socket(AF_NETLINK, type, CInt(NETLINK_ROUTE)) }
    defer { close(descriptor) }
    // The kernel answers at once; this is for the case that it does not.
    var patience = timeval(tv_sec: 0, tv_usec: 300_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var message = [UInt8](repeating: 0, count: 16) + body
    message.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: UInt32(bytes.count), toByteOffset: 0, as: UInt32.self)
      bytes.storeBytes(of: UInt16(request), toByteOffset: 4, as: UInt16.self)
      bytes.storeBytes(of: flags, toByteOffset: 6, as: UInt16.self)
    }
    _ = try systemCall("send") { send(descriptor, message, message.count, 0) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while answer.count < 4 << 20 {
      let count = try systemCall("recv") { recv(descriptor, &buffer, buffer.count, 0) }
      guard count > 0 else { break }
      let part = Array(buffer[..<count])
      answer += part
      if isWhole(part) { break }
    }
    return answer
  }
}
