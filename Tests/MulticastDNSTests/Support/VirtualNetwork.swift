import MulticastDNS

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
    /// Microseconds.
    let time: Int64
    let number: Int
    let host: Int
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

  private var random: SplitMix
  private var happenings: [Happening] = []
  private var number = 0
  private var names: Set<DNSName> = []

  init(seed: UInt64 = 1) {
    random = SplitMix(state: seed)
  }

  /// Adds a host with its link up.
  ///
  /// - Parameter other: A host whose address it has: then it is another process there.
  @discardableResult
  func addHost(_ name: String? = nil, on other: VirtualHost? = nil) -> VirtualHost {
    let number = hosts.count + 1
    let address = other?.address ?? DNSAddress.ipv4(0x0A00_0000 + UInt32(number))
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
    while let first = happenings.first, first.time <= last {
      pop()
      now = max(now, .microseconds(first.time))
      let host = hosts[first.host]
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
    number += 1
    push(Happening(time: time.microseconds, number: number, host: host, datagram: nil))
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

  private func deliver(_ datagram: Datagram, to host: Int, isLocal: Bool) {
    if !isLocal && random.chance(conditions.loss) { return }
    let copies = !isLocal && random.chance(conditions.duplication) ? 2 : 1
    for _ in 0..<copies {
      var delay = isLocal ? 0 : conditions.delay.microseconds
      if !isLocal && random.chance(conditions.holdUp) {
        delay += Int64.random(in: 0...conditions.longestHoldUp.microseconds, using: &random)
      }
      number += 1
      push(Happening(time: now.microseconds + delay, number: number, host: host, datagram: datagram))
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

  // A binary heap by time, then by host, so that what a host gets at once it takes in at once, then by number.
  private func push(_ happening: Happening) {
    happenings.append(happening)
    var index = happenings.count - 1
    while index > 0, Self.precedes(happening, happenings[(index - 1) / 2]) {
      happenings[index] = happenings[(index - 1) / 2]
      index = (index - 1) / 2
    }
    happenings[index] = happening
  }

  private func pop() {
    let last = happenings.removeLast()
    guard !happenings.isEmpty else { return }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < happenings.count else { break }
      if child + 1 < happenings.count, Self.precedes(happenings[child + 1], happenings[child]) { child += 1 }
      guard Self.precedes(happenings[child], last) else { break }
      happenings[index] = happenings[child]
      index = child
    }
    happenings[index] = last
  }

  private static func precedes(_ one: Happening, _ other: Happening) -> Bool {
    if one.time != other.time { return one.time < other.time }
    return one.host == other.host ? one.number < other.number : one.host < other.host
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

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
