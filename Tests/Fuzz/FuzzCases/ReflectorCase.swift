import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// A reflector between two links, while datagrams come in and time passes.
///
/// The first byte chooses the rules: 0, everything crosses but what is denied; 1, one type crosses; 2, it crosses one way. The rest is
/// a script of steps. A step begins with a byte; its upper half says how much time passes before (``pauses``), its lower half what
/// happens: 0 to 11, a datagram, of which two bytes with its length follow and then itself, cut at the end of the script; 12, what was
/// sent last comes back from a neighbour; above, a link goes or comes.
/// What the reflector then does is checked: all that is sent can be read, goes to the other link and has nothing in it that is denied; it
/// is not more than came in can cause; and no deadline stays in the past.
package struct ReflectorCase: Sendable {
  /// Milliseconds.
  private static let pauses: [Int64] = [
    0, 1, 5, 20, 100, 250, 499, 500, 899, 900, 1000, 2000, 10_000, 60_000, 120_000, 4_500_000,
  ]
  private static let steps = 24

  private var reflector: Reflector
  private let isRestricted: Bool
  private var now: Duration = .zero
  private var script: ArraySlice<UInt8>
  private var lastSent: (bytes: [UInt8], link: MulticastLink)?

  private init(_ script: ArraySlice<UInt8>, rules: UInt8) {
    var filter = ReflectionFilter(denials: Self.denials)
    if rules > 0 { filter.types = [Self.type("_ipp")].compactMap { ReflectionFilter.TypePattern($0) } }
    var filters = [ReflectionRules.Direction(from: 1, to: 2): filter]
    if rules < 2 { filters[.init(from: 2, to: 1)] = filter }
    reflector = Reflector(ReflectionRules(filters))
    isRestricted = rules > 0
    self.script = script
  }

  /// Plays a script.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    var one = ReflectorCase(bytes.dropFirst(), rules: (bytes.first ?? 0) % 3)
    for link in Self.links { try one.handle(one.up(link)) }
    try one.handle(.setHostAddresses([.ipv4(0x0A00_01FE), .ipv4(0x0A00_02FE)]))
    for _ in 0..<Self.steps {
      guard let step = one.script.popFirst() else { break }
      try one.pass(.milliseconds(Self.pauses[Int(step >> 4)]))
      switch step & 0x0F {
      case let place where place < 12: try one.receive(from: place)
      case 12:
        guard let last = one.lastSent else { continue }
        try one.hear(last.bytes, on: last.link, host: 7, port: MulticastEngine.port)
      case let command:
        let link = Self.links[Int(one.script.popFirst() ?? 0) % Self.links.count]
        try one.handle(command == 13 ? .linkDown(link) : one.up(link))
      }
    }
    try one.pass(.seconds(3))
  }

  private static let links = [
    MulticastLink(interface: 1, family: .ipv4), MulticastLink(interface: 2, family: .ipv4),
    MulticastLink(interface: 1, family: .ipv6), MulticastLink(interface: 2, family: .ipv6),
  ]

  private func up(_ link: MulticastLink) -> Reflector.Event {
    .linkUp(
      link, addresses: [InterfaceAddress(.ipv4(0x0A00_00FE + link.interface << 8), prefixLength: 24)], mtu: 1500)
  }

  // MARK: - Steps

  private mutating func receive(from place: UInt8) throws(Violation) {
    guard let high = script.popFirst(), let low = script.popFirst() else { return }
    let count = Int(high & 0x3F) << 8 | Int(low)
    let bytes = Array(script.prefix(count))
    script = script.dropFirst(count)
    // Four links; two hosts with port 5353, and one without.
    let port: UInt16 = place / 4 == 2 ? 40_000 : MulticastEngine.port
    try hear(bytes, on: Self.links[Int(place % 4)], host: UInt64(place / 4) + 2, port: port)
  }

  private mutating func hear(_ bytes: [UInt8], on link: MulticastLink, host: UInt64, port: UInt16) throws(Violation) {
    let address: IPAddress =
      link.family == .ipv4
      ? .ipv4(0x0A00_0000 + link.interface << 8 + UInt32(host)) : .ipv6(high: 0xFE80 << 48, low: host)
    try handle(.heard(bytes, from: MulticastSource(address, port: port, link: link)), bytes: bytes.count)
  }

  private mutating func pass(_ duration: Duration) throws(Violation) {
    let end = now + duration
    for _ in 0..<64 {
      guard let deadline = reflector.nextDeadline, deadline <= end else { break }
      now = max(now, deadline)
      try handle(.timePassed)
      try Violation.unless(reflector.nextDeadline.map { $0 > now } ?? true, "at \(now) all is done, and a deadline stays")
    }
    now = end
  }

  // MARK: - Checks

  private mutating func handle(_ event: Reflector.Event, bytes: Int = 0) throws(Violation) {
    let source: UInt32? = if case .heard(_, let source) = event { source.link.interface } else { nil }
    var count = 0
    for case .send(let packet, let link, let destination) in reflector.handle(event, at: now) {
      count += 1
      lastSent = (packet, link)
      try Violation.unless(packet.count <= DNSMessage.maximumBytes, "a datagram of \(packet.count) bytes is sent")
      let message: DNSMessage
      do throws(DNSMessageError) {
        message = try DNSMessage(parsing: packet)
      } catch {
        throw Violation("what is sent cannot be read: \(error)")
      }
      // What waited for known answers may go to any link.
      let isLate = !message.isResponse
      try Violation.unless(source == nil || isLate || link.interface != source, "what was heard goes back to its link")
      try check(message, isForGroup: destination == .multicast)
    }
    // A record takes at least 11 bytes of what came in, and there are waiting queries and askers.
    try Violation.unless(count <= 2 * (bytes / 11) + 4096, "\(count) datagrams after one event")
  }

  private func check(_ message: DNSMessage, isForGroup: Bool) throws(Violation) {
    // A legacy resolver gets its own questions back.
    if isForGroup { for question in message.questions { try check(question.name) } }
    for record in message.answers + message.authorities + message.additionals {
      try check(record.name)
      switch record.data {
      case .ptr(let target), .cname(let target): try check(target)
      case .srv(let service): try check(service.target)
      case .nsec(let next, _): try check(next)
      case .address(let address): try Violation.unless(!address.isLinkLocal, "a link-local address crosses")
      case .txt, .hinfo, .other: break
      }
    }
  }

  private func check(_ name: DNSName) throws(Violation) {
    let labels = name.labels.map { String(decoding: $0, as: UTF8.self).lowercased() }
    try Violation.unless(labels.last == "local", "a name of another domain crosses: \(name)")
    let isService = labels.count > 2 && ["_tcp", "_udp"].contains(labels[labels.count - 2])
    guard isService else { return try Violation.unless(labels != ["hidden", "local"], "a host crosses that is denied") }
    let type = labels[labels.count - 3]
    try Violation.unless(type != "_ssh", "a type crosses that is denied: \(name)")
    try Violation.unless(!isRestricted || type == "_ipp" || type == "_dns-sd", "a type crosses that is not allowed: \(name)")
    try Violation.unless(labels.count != 4 || !labels[0].hasPrefix("secret"), "a service crosses that is denied: \(name)")
  }

  private static let denials: [ReflectionFilter.Denial] = [
    NameGlob("secret*").map { .name($0) }, NameGlob("hidden").map { .host($0) },
    ReflectionFilter.TypePattern(type("_ssh")).map { .type($0) },
  ].compactMap(\.self)

  private static func type(_ name: String) -> DNSName {
    do throws(DNSNameError) {
      return try DNSName("\(name)._tcp.local")
    } catch {
      preconditionFailure("\(name) is no name: \(error)")
    }
  }
}
