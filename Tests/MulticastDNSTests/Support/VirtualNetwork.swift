import Discovery
import Timing

@testable import MulticastDNS

/// Hosts on one link, each with an engine, and a clock that is moved by hand. The same seed gives the same course of events.
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
  }

  /// What one host sent: shared by all who receive it.
  private final class Datagram {
    let bytes: [UInt8]
    let source: MulticastSource
    let reception: MulticastEngine.Reception
    /// As it is read, once for all.
    var message: DNSMessage?

    init(_ bytes: [UInt8], from source: MulticastSource, to reception: MulticastEngine.Reception) {
      self.bytes = bytes
      self.source = source
      self.reception = reception
    }
  }

  /// A datagram that arrives at a host, or a host's deadline.
  private struct Happening {
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
    let datagram: Datagram?
  }

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

  private var random: SeededGenerator
  private var happenings = SlotMap<Happening>()
  private var order = IndexedHeap<Happening.Order>()
  private var number = 0
  private var names: Set<DNSName> = []

  init(seed: UInt64 = 1) {
    random = SeededGenerator(seed: seed)
  }

  /// Adds a host with its link up.
  ///
  /// - Parameter other: A host whose address it has: then it is another process there.
  @discardableResult
  func addHost(_ name: String? = nil, on other: VirtualHost? = nil) -> VirtualHost {
    let number = hosts.count + 1
    let address = other?.address ?? IPAddress.ipv4(0x0A00_0000 + UInt32(number))
    let host = VirtualHost(self, index: hosts.count, address: address, seed: random.next())
    hosts.append(host)
    group.append(0)
    host.do(.linkUp(host.link, addresses: [InterfaceAddress(address, prefixLength: 16)]))
    if let name { host.do(.setHostName(DNSName(literal: name))) }
    return host
  }

  /// Lets time pass.
  func run(for duration: Duration) {
    let end = now + duration
    let last = end.microseconds
    while let slot = order.popFirst(through: Happening.Order(time: last, host: .max, number: .max)) {
      let first = happenings.remove(slot)
      now = max(now, .microseconds(first.order.time))
      let host = hosts[first.order.host]
      guard host.isUp else { continue }
      if let datagram = first.datagram {
        take(datagram, at: host)
      } else {
        host.wake(at: now)
      }
    }
    now = end
  }

  func schedule(_ host: Int, at time: Duration) {
    push(nil, to: host, at: time.microseconds)
  }

  func carry(_ bytes: [UInt8], from sender: VirtualHost, to destination: MulticastEngine.Destination) {
    let source = MulticastSource(sender.address, port: 5353, link: sender.link)
    switch destination {
    case .multicast:
      if keepsWire, let message = try? DNSMessage(parsing: bytes) { wire.append((now, sender.index, message, bytes)) }
      let datagram = Datagram(bytes, from: source, to: .multicast)
      for host in hosts where host.isUp && group[host.index] == group[sender.index] {
        deliver(datagram, to: host.index, isLocal: host === sender)
      }
    case .unicast(let target):
      guard let host = hosts.first(where: { $0.address == target.address }) else { return }
      deliver(Datagram(bytes, from: source, to: .unicast), to: host.index, isLocal: false)
    }
  }

  private func push(_ datagram: Datagram?, to host: Int, at time: Int64) {
    number += 1
    let happening = Happening(order: .init(time: time, host: host, number: number), datagram: datagram)
    order.set(happenings.insert(happening), to: happening.order)
  }

  private func deliver(_ datagram: Datagram, to host: Int, isLocal: Bool) {
    if !isLocal && random.chance(conditions.loss) { return }
    let copies = !isLocal && random.chance(conditions.duplication) ? 2 : 1
    for _ in 0..<copies {
      var delay = isLocal ? 0 : conditions.delay.microseconds
      if !isLocal && random.chance(conditions.holdUp) {
        delay += Int64.random(in: 0...conditions.longestHoldUp.microseconds, using: &random)
      }
      push(datagram, to: host, at: now.microseconds + delay)
    }
  }

  private func take(_ datagram: Datagram, at host: VirtualHost) {
    if carriesBytes || datagram.source.address == host.address {
      host.do(.received(datagram.bytes, from: datagram.source, to: datagram.reception))
    } else {
      host.do(.heard(message(of: datagram), from: datagram.source, to: datagram.reception))
    }
    if let overhear = host.overhear, datagram.source.address != host.address { overhear(message(of: datagram)) }
  }

  private func message(of datagram: Datagram) -> DNSMessage {
    if let message = datagram.message { return message }
    var message = try! DNSMessage(parsing: datagram.bytes)
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
