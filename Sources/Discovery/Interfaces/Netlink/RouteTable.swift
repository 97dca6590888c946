import CBonjourishLinux
package import _BonjourishEventLoop

/// Where this machine sends packets, from the kernel.
package enum RouteTable {
  /// The route to an address.
  package enum Route: Hashable, Sendable {
    /// To this machine itself.
    case local
    /// Out of the interface with this index.
    case unicast(interface: UInt32)
    /// None: the kernel knows no route, refuses to send there, or takes the address for a broadcast or multicast address.
    case nowhere
  }

  /// Asks the kernel for the route that it takes to an address. Nothing is sent.
  ///
  /// - Parameter address: 4 or 16 bytes in network order.
  /// - Throws: ``SystemError`` when the kernel cannot be asked; then the same for the next second.
  package static func route(to address: [UInt8]) throws(SystemError) -> Route {
    let request = request(for: address)
    return route(in: try questions.withLock { (questions) throws(SystemError) in try questions.ask(request) })
  }

  private static let questions = Locked(
    RouteQuestions(now: { .now }) { () throws(SystemError) in
      let socket = try NetlinkSocket()
      return { (question) throws(SystemError) in try socket.ask(Int(RTM_GETROUTE), question) }
    })

  /// The body of the question: `struct rtmsg` and the attribute with the address (`linux/rtnetlink.h`).
  private static func request(for address: [UInt8]) -> [UInt8] {
    var body = [UInt8](repeating: 0, count: 12)
    body[0] = UInt8(address.count == 4 ? AF_INET : AF_INET6)
    body[1] = UInt8(8 * address.count)
    let header = [UInt16(4 + address.count), UInt16(RTA_DST.rawValue)]
    return body + header.flatMap { half in withUnsafeBytes(of: half) { Array($0) } } + address
  }

  /// Reads the kernel's answer.
  package static func route(in answer: [UInt8]) -> Route {
    guard let message = NetlinkMessage.all(in: answer).first(where: { $0.type == RTM_NEWROUTE }) else { return .nowhere }
    let start = Array(message.body.bytes.prefix(12))
    guard start.count == 12 else { return .nowhere }
    switch Int(start[7]) {
    case Int(RTN_LOCAL): return .local
    case Int(RTN_UNICAST):
      let interface = message.attribute(Int(RTA_OIF.rawValue), after: 12)?.word(at: 0)
      return interface.map { .unicast(interface: $0) } ?? .nowhere
    default: return .nowhere
    }
  }
}
