import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// A host on two links that publishes a service, browses and looks things up, while datagrams come in and time passes.
///
/// The first byte says how far the host is when it begins: even, its links have just come up; odd, all that it publishes is
/// announced. The rest is a script of steps. A step begins with a byte; its upper half says how much time passes before
/// (``pauses``), its lower half what happens: 0 to 11, a datagram, of which two bytes with its length follow and then itself (12 bits at most, cut
/// at the end of the script); above, see ``EngineCase/command(_:)``. What the host then does is checked for bounds:
/// no more is kept than the engine's limits allow, no more is done at once than what came in and what is kept can cause, all
/// that is sent can be read, and no deadline stays in the past.
package struct EngineCase: Sendable {
  /// Milliseconds.
  private static let pauses: [Int64] = [
    0, 1, 5, 20, 60, 120, 250, 500, 1000, 1001, 2000, 10_000, 60_000, 120_000, 3_600_000, 4_500_000,
  ]
  /// Deadlines that are kept within one step; what is due later waits for the next, as on a host that is busy.
  private static let deadlinesPerStep = 4
  private static let steps = 16

  private static let links = [
    MulticastLink(interface: 1, family: .ipv4), MulticastLink(interface: 1, family: .ipv6),
  ]
  private static let own: [IPAddress] = [.ipv4(0x0A4D_0001), .ipv6(high: 0xFE80 << 48, low: 1)]
  private static let neighbours: [IPAddress] = [.ipv4(0x0A4D_0002), .ipv6(high: 0xFE80 << 48, low: 2)]
  private static let strangers: [IPAddress] = [.ipv4(0x0808_0808), .ipv6(high: 0x2001_0DB8 << 32, low: 2)]
  private static let addresses = [
    InterfaceAddress(own[0], prefixLength: 24), InterfaceAddress(own[1], prefixLength: 64),
  ]

  private var engine = MulticastEngine(seed: 24)
  private var now: Duration = .zero
  private var script: ArraySlice<UInt8> = []
  private var lastSent: [UInt8] = []
  private var published = 0
  private var asked: Set<UInt64> = []

  /// Hosts to begin with: most of what an input would otherwise take is to come this far.
  private static let begun = prepared(after: .zero)
  private static let announced = prepared(after: .seconds(10))

  private init() {}

  private static func prepared(after duration: Duration) -> EngineCase {
    var host = EngineCase()
    do throws(Violation) {
      try host.begin()
      try host.pass(duration, deadlines: .max)
    } catch {
      preconditionFailure("a host that nobody speaks to does wrong: \(error)")
    }
    return host
  }

  /// Plays a script.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    var host = bytes.first.map { $0 % 2 == 0 } ?? true ? begun : announced
    host.script = bytes.dropFirst()
    for _ in 0..<Self.steps {
      guard let step = host.script.popFirst() else { break }
      try host.pass(.milliseconds(Self.pauses[Int(step >> 4)]))
      switch step & 0x0F {
      case let place where place < 12: try host.receive(from: place)
      case let command: try host.command(command)
      }
    }
    try host.pass(.seconds(3))
    try host.handle(.shutDown)
  }

  private mutating func begin() throws(Violation) {
    try handle(.setHostName(Self.name("host", "local")))
    try publish()
    try ask(1, Self.type, .ptr)
    try ask(2, Self.instance, .srv)
    try ask(3, Self.instance, .txt)
    try ask(4, Self.name("h2", "local"), .a)
    try ask(5, Self.name("h2", "local"), .any)
    for link in Self.links { try handle(.linkUp(link, addresses: Self.addresses)) }
  }

  // MARK: - Steps

  private mutating func receive(from place: UInt8) throws(Violation) {
    guard let high = script.popFirst(), let low = script.popFirst() else { return }
    let count = Int(high & 0x3F) << 8 | Int(low)
    let bytes = Array(script.prefix(count))
    script = script.dropFirst(count)
    // From a neighbour's port 5353, a neighbour's other port, ourselves, beyond the link, a neighbour to us alone, another
    // port to us alone.
    let link = Int(place % 2)
    let senders = [Self.neighbours, Self.neighbours, Self.own, Self.strangers, Self.neighbours, Self.neighbours]
    let address = senders[Int(place / 2)][link]
    let port: UInt16 = place / 2 == 1 || place / 2 == 5 ? 40_000 : MulticastEngine.port
    let source = MulticastSource(address, port: port, link: Self.links[link])
    try receive(bytes, from: source, to: place >= 8 ? .unicast : .multicast)
  }

  private mutating func receive(
    _ bytes: [UInt8], from source: MulticastSource, to reception: MulticastEngine.Reception
  ) throws(Violation) {
    try handle(.received(bytes, from: source, to: reception), bytes: bytes.count)
  }

  /// 12: a neighbour repeats what we sent last. 13: a link goes, or comes. 14: something is published, updated or withdrawn.
  /// 15: a question is asked or ended, or what is known comes into doubt.
  private mutating func command(_ command: UInt8) throws(Violation) {
    let choice = script.popFirst() ?? 0
    let link = Self.links[Int(choice % 2)]
    switch command {
    case 12:
      let source = MulticastSource(Self.neighbours[Int(choice % 2)], port: MulticastEngine.port, link: link)
      try receive(lastSent, from: source, to: .multicast)
    case 13:
      switch choice / 2 % 3 {
      case 0: try handle(.linkDown(link))
      case 1: try handle(.linkUp(link, addresses: Self.addresses))
      default: try handle(.linkChanged(link, addresses: [Self.addresses[Int(choice) / 6 % 2]]))
      }
    case 14:
      switch choice % 4 {
      case 0: try handle(.withdraw(registration))
      case 1: try handle(.update(registration, Self.records(text: choice)))
      case 2: try handle(.setHostName(Self.name("h2", "local")))
      default:
        try handle(.withdraw(registration))
        try publish()
      }
    default:
      switch choice % 4 {
      case 0: try handle(.reconfirm(Self.type, .ptr, nil))
      case 1: try handle(.flush)
      case 2: try endAsking(UInt64(choice / 4 % 6))
      default: try ask(6, Self.name("_services", "_dns-sd", "_udp", "local"), .ptr)
      }
    }
  }

  private mutating func ask(_ number: UInt64, _ name: DNSName, _ type: DNSType) throws(Violation) {
    guard asked.insert(number).inserted else { return }
    try handle(.ask(MulticastEngine.QueryID(number), name, type))
  }

  private mutating func endAsking(_ number: UInt64) throws(Violation) {
    asked.remove(number)
    try handle(.endAsking(MulticastEngine.QueryID(number)))
  }

  private mutating func publish() throws(Violation) {
    published += 1
    try handle(.publish(registration, Self.records(text: 0)))
  }

  private var registration: MulticastEngine.RegistrationID { MulticastEngine.RegistrationID(UInt64(published)) }

  /// Lets time pass, with what is due meanwhile.
  private mutating func pass(_ duration: Duration, deadlines: Int = deadlinesPerStep) throws(Violation) {
    let end = now + duration
    for _ in 0..<deadlines {
      guard let deadline = engine.nextDeadline, deadline <= end else { break }
      now = max(now, deadline)
      try handle(.timePassed)
      try Violation.unless(
        engine.nextDeadline.map { $0 > now } ?? true, "at \(now) all is done, and yet \(engine.nextDeadline!) is a deadline")
    }
    now = end
  }

  // MARK: - Checks

  private mutating func handle(_ event: MulticastEngine.Event, bytes: Int = 0) throws(Violation) {
    let kept = Self.links.compactMap { engine.load(of: $0)?.records }.reduce(0, +)
    let effects = engine.handle(event, at: now)
    // No record takes less than 11 bytes of a datagram; each is told to every asker, ours, too.
    let records = kept + bytes / 11 + 64
    try Violation.unless(effects.count <= 256 + 2 * (asked.count + 1) * records, "\(effects.count) effects of one event")
    var sent = 0
    for case .send(let packet, _, _) in effects {
      sent += 1
      lastSent = packet
      do throws(DNSMessageError) {
        _ = try DNSMessage(parsing: packet)
      } catch {
        throw Violation("what is sent cannot be read: \(error)")
      }
    }
    try Violation.unless(sent <= 192 + kept / 4, "\(sent) datagrams sent after one event, with \(kept) records kept")
    for link in Self.links {
      guard let load = engine.load(of: link) else { continue }
      let limit = MulticastEngine.Load.limit
      let isWithin = load.records <= limit.records && load.bytes <= limit.bytes && load.deferredQueries <= limit.deferredQueries
      try Violation.unless(isWithin, "more is kept than allowed: \(load)")
    }
  }

  // MARK: - Names

  private static let type = name("_twentyfour", "_tcp", "local")
  private static let instance = name("Ada", "_twentyfour", "_tcp", "local")

  private static func records(text: UInt8) -> [PublishedRecord] {
    let ours = name("Ours", "_twentyfour", "_tcp", "local")
    return [
      PublishedRecord(ours, .serviceOfThisHost(port: 4242), .unique),
      PublishedRecord(ours, .data(.txt([3, 0x76, 0x3D, text])), .unique),
      PublishedRecord(type, .data(.ptr(ours)), .shared),
      PublishedRecord(name("_services", "_dns-sd", "_udp", "local"), .data(.ptr(type)), .shared),
    ]
  }

  private static func name(_ labels: String...) -> DNSName {
    do throws(DNSNameError) {
      return try DNSName(labels: labels.map { Array($0.utf8) })
    } catch {
      preconditionFailure("\(labels) are no name: \(error)")
    }
  }
}
