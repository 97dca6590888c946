import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// Hosts on the segments of a network, each with an engine, and a clock that is moved by hand. The same seed gives the same course
/// of events.
final class VirtualNetwork {
  /// What the link does to datagrams.
  struct Conditions {
    /// Of a datagram's getting lost on its way to one host.
    var loss = 0.0
    var duplication = 0.0
    /// How long one takes.
    var delay: Duration = .microseconds(500)
    /// Of its being held up, so that others overtake it.
    var holdUp = 0.0
    /// The longest that it is held up for.
    var longestHoldUp: Duration = .milliseconds(40)
    /// How late a host hears its own datagrams, which keep their order.
    var echo: ClosedRange<Duration> = .zero ... .zero
  }

  /// What one host sent: shared by all who receive it.
  private final class Datagram {
    let bytes: [UInt8]
    let source: IPAddress
    let reception: MulticastEngine.Reception
    /// As it is read, once for all.
    var message: DNSMessage?

    init(_ bytes: [UInt8], from source: IPAddress, to reception: MulticastEngine.Reception) {
      self.bytes = bytes
      self.source = source
      self.reception = reception
    }
  }

  /// What happens to a host.
  private struct Happening {
    enum Kind {
      case arrival(Datagram, MulticastLink)
      case deadline
      case timer(() -> Void)
    }

    /// By time, then by host, so that a host takes in at once what arrives at once, then by number.
    struct Order: Comparable {
      /// Microseconds.
      let time: Int64
      let host: Int
      let number: Int

      static func < (one: Order, other: Order) -> Bool {
        (one.time, one.host, one.number) < (other.time, other.host, other.number)
      }
    }

    let order: Order
    let kind: Kind
  }

  /// How many things may happen at one moment: more mean that a host has something to do again and again.
  private static let mostAtOnce = 100_000

  private(set) var now: Duration = .zero
  private(set) var hosts: [VirtualHost] = []
  var conditions = Conditions()
  /// All that was sent by multicast.
  private(set) var wire: [(time: Duration, host: Int, message: DNSMessage, bytes: [UInt8])] = []
  var keepsWire = true
  /// Whether each host reads the bytes of a datagram for itself; else one reads them for all.
  var carriesBytes = true
  /// Hosts in different groups do not hear each other.
  var group: [Int] = []
  /// What else to do with each datagram that is sent.
  var inspect: ((VirtualHost, MulticastLink, DNSMessage, [UInt8], MulticastEngine.Destination) -> Void)?

  private var random: SeededGenerator
  private var happenings = SlotMap<Happening>()
  private var order = IndexedHeap<Happening.Order>()
  private var number = 0
  private var names: Set<DNSName> = []
  /// When the last of each link's own datagrams comes back to a host.
  private var lastEcho: [Int: [MulticastLink: Int64]] = [:]

  init(seed: UInt64 = 1) {
    random = SeededGenerator(seed: seed)
  }

  /// Adds a host with one link.
  ///
  /// - Parameter other: A host whose address it has: then it is another process there.
  @discardableResult
  func addHost(_ name: String? = nil, on other: VirtualHost? = nil) -> VirtualHost {
    let address = other?.interfaces[0].addresses[0] ?? .ipv4(hosts.count + 1, on: 0)
    let host = addHost([VirtualInterface(1, on: 0, addresses: [address])])
    if let name { host.do(.setHostName(DNSName(literal: name))) }
    return host
  }

  func addHost(_ interfaces: [VirtualInterface]) -> VirtualHost {
    let host = VirtualHost(self, index: hosts.count, interfaces: interfaces, seed: random.next())
    hosts.append(host)
    group.append(0)
    host.refreshLinks()
    return host
  }

  /// Lets time pass.
  func run(for duration: Duration) {
    let end = now + duration
    let last = end.microseconds
    var happened = 0
    while let slot = order.popFirst(through: Happening.Order(time: last, host: .max, number: .max)) {
      let first = happenings.remove(slot)
      happened = first.order.time > now.microseconds ? 0 : happened + 1
      if happened > Self.mostAtOnce {
        Issue.record("host \(first.order.host) does not come to rest after \(now)")
        break
      }
      now = max(now, .microseconds(first.order.time))
      let host = hosts[first.order.host]
      guard host.isUp else { continue }
      switch first.kind {
      case .arrival(let datagram, let link):
        if host.backlog == nil {
          take(datagram, at: host, link)
        } else {
          host.keepArrival { [unowned self] in take(datagram, at: host, link) }
        }
      case .deadline:
        if host.backlog == nil { host.wake(at: now) }
      case .timer(let body):
        if host.backlog == nil { body() } else { host.keepTimer(body) }
      }
    }
    now = end
  }

  func schedule(_ host: Int, at time: Duration) {
    push(.deadline, to: host, at: time.microseconds)
  }

  /// Calls a closure unless the host is down by then. If the host is asleep, the closure waits.
  func schedule(_ host: Int, after delay: Duration, _ body: @escaping () -> Void) {
    push(.timer(body), to: host, at: (now + delay).microseconds)
  }

  func carry(
    _ bytes: [UInt8], from sender: VirtualHost, on link: MulticastLink, to destination: MulticastEngine.Destination
  ) {
    guard let interface = sender.interfaces.first(where: { $0.number == link.interface }), interface.isPluggedIn,
      let source = interface.source(link.family)
    else { return }
    let datagram: Datagram
    switch destination {
    case .multicast:
      if keepsWire, let message = try? DNSMessage(parsing: bytes) { wire.append((now, sender.index, message, bytes)) }
      datagram = Datagram(bytes, from: source, to: .multicast)
    case .unicast:
      datagram = Datagram(bytes, from: source, to: .unicast)
    }
    if let inspect { inspect(sender, link, message(of: datagram), bytes, destination) }
    for host in hosts where host.isUp && group[host.index] == group[sender.index] {
      for other in host.interfaces where other.segment == interface.segment && other.isPluggedIn {
        let target = MulticastLink(interface: other.number, family: link.family)
        switch destination {
        case .multicast:
          guard other.source(link.family) != nil else { continue }
          deliver(datagram, to: host.index, target, isLocal: host === sender && target == link)
        case .unicast(let asker):
          guard other.addresses.contains(where: { $0.address == asker.address }) else { continue }
          deliver(datagram, to: host.index, target, isLocal: false)
          return
        }
      }
    }
  }

  private func push(_ kind: Happening.Kind, to host: Int, at time: Int64) {
    number += 1
    let happening = Happening(order: .init(time: time, host: host, number: number), kind: kind)
    order.set(happenings.insert(happening), to: happening.order)
  }

  private func deliver(_ datagram: Datagram, to host: Int, _ link: MulticastLink, isLocal: Bool) {
    if !isLocal && random.chance(conditions.loss) { return }
    let copies = !isLocal && random.chance(conditions.duplication) ? 2 : 1
    for _ in 0..<copies {
      var delay = isLocal ? 0 : conditions.delay.microseconds
      if !isLocal && random.chance(conditions.holdUp) {
        delay += Int64.random(in: 0...conditions.longestHoldUp.microseconds, using: &random)
      }
      var time = now.microseconds + delay
      if isLocal, conditions.echo.upperBound > .zero {
        let (soonest, latest) = (conditions.echo.lowerBound.microseconds, conditions.echo.upperBound.microseconds)
        time = max(time + Int64.random(in: soonest...latest, using: &random), lastEcho[host]?[link] ?? 0)
        lastEcho[host, default: [:]][link] = time
      }
      push(.arrival(datagram, link), to: host, at: time)
    }
  }

  private func take(_ datagram: Datagram, at host: VirtualHost, _ link: MulticastLink) {
    let source = MulticastSource(datagram.source, port: 5353, link: link)
    let isOwn = host.has(datagram.source)
    if carriesBytes || isOwn {
      host.do(.received(datagram.bytes, from: source, to: datagram.reception))
    } else {
      host.do(.heard(message(of: datagram), from: source, to: datagram.reception))
    }
    if let overhear = host.overhear, !isOwn { overhear(message(of: datagram), link) }
  }

  private func message(of datagram: Datagram) -> DNSMessage {
    if let message = datagram.message { return message }
    guard var message = try? DNSMessage(parsing: datagram.bytes) else {
      Issue.record("what is sent is no message: \(datagram.bytes)")
      return DNSMessage(isResponse: true)
    }
    message.answers = message.answers.map(shared)
    message.additionals = message.additionals.map(shared)
    datagram.message = message
    return message
  }

  /// A record whose names take no room of their own: that they are the same as in the caches is then told without looking.
  private func shared(_ record: DNSRecord) -> DNSRecord {
    let data: DNSData = if case .ptr(let name) = record.data { .ptr(shared(name)) } else { record.data }
    return DNSRecord(shared(record.name), data, timeToLive: record.timeToLive, cacheFlush: record.cacheFlush)
  }

  private func shared(_ name: DNSName) -> DNSName {
    if let index = names.firstIndex(of: name) { return names[index] }
    names.insert(name)
    return name
  }
}

extension SeededGenerator {
  /// Whether something happens that does with a probability.
  mutating func chance(_ probability: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < probability
  }
}

extension Duration {
  var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}

extension DNSName {
  init(literal: String) {
    try! self.init(literal)
  }
}

extension DNSName: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.init(literal: text)
  }
}
