import MulticastDNS

/// Hosts on one link, each with an engine, and a clock that is moved by hand. The same seed gives the same course of events.
final class VirtualNetwork {
  /// What the link does to datagrams.
  struct Conditions {
    /// Of a datagram's getting lost on its way to one host.
    var loss = 0.0
    var duplication = 0.0
    /// The longest that one takes; the order changes when it is long.
    var delay: Duration = .milliseconds(1)
  }

  /// A datagram that arrives at a host, or a host's deadline.
  private struct Happening {
    let time: Duration
    let number: Int
    let host: Int
    let datagram: Datagram?
  }

  private struct Datagram {
    let bytes: [UInt8]
    let source: MulticastSource
    let reception: MulticastEngine.Reception
  }

  private(set) var now: Duration = .zero
  private(set) var hosts: [VirtualHost] = []
  var conditions = Conditions()
  /// All that was sent by multicast.
  private(set) var wire: [(time: Duration, host: Int, message: DNSMessage, bytes: [UInt8])] = []
  var keepsWire = true
  /// Hosts in different groups do not hear each other.
  var group: [Int] = []

  private var random: SplitMix
  private var happenings: [Happening] = []
  private var number = 0

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
    while let first = happenings.first, first.time <= end {
      pop()
      now = max(now, first.time)
      let host = hosts[first.host]
      guard host.isUp else { continue }
      if let datagram = first.datagram {
        host.do(.received(datagram.bytes, from: datagram.source, to: datagram.reception))
      } else {
        host.wake(at: now)
      }
    }
    now = end
  }

  func schedule(_ host: Int, at time: Duration) {
    number += 1
    push(Happening(time: time, number: number, host: host, datagram: nil))
  }

  func carry(_ bytes: [UInt8], from sender: VirtualHost, to destination: MulticastEngine.Destination) {
    let source = MulticastSource(sender.address, port: 5353, link: sender.link)
    switch destination {
    case .multicast:
      if keepsWire, let message = try? DNSMessage(parsing: bytes) { wire.append((now, sender.index, message, bytes)) }
      for host in hosts where host.isUp && group[host.index] == group[sender.index] {
        deliver(bytes, to: host.index, from: source, .multicast, isLocal: host === sender)
      }
    case .unicast(let target):
      guard let host = hosts.first(where: { $0.address == target.address }) else { return }
      deliver(bytes, to: host.index, from: source, .unicast, isLocal: false)
    }
  }

  private func deliver(
    _ bytes: [UInt8], to host: Int, from source: MulticastSource, _ reception: MulticastEngine.Reception, isLocal: Bool
  ) {
    if !isLocal && Double.random(in: 0..<1, using: &random) < conditions.loss { return }
    let copies = !isLocal && Double.random(in: 0..<1, using: &random) < conditions.duplication ? 2 : 1
    for _ in 0..<copies {
      let microseconds =
        conditions.delay.components.attoseconds / 1_000_000_000_000 + conditions.delay.components.seconds * 1_000_000
      let delay = isLocal ? 0 : Int64.random(in: 0...microseconds, using: &random)
      number += 1
      let datagram = Datagram(bytes: bytes, source: source, reception: reception)
      push(Happening(time: now + .microseconds(delay), number: number, host: host, datagram: datagram))
    }
  }

  // A binary heap by time, then by number.
  private func push(_ happening: Happening) {
    happenings.append(happening)
    var index = happenings.count - 1
    while index > 0, Self.precedes(happenings[index], happenings[(index - 1) / 2]) {
      happenings.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func pop() {
    let last = happenings.removeLast()
    guard !happenings.isEmpty else { return }
    happenings[0] = last
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < happenings.count else { return }
      if child + 1 < happenings.count, Self.precedes(happenings[child + 1], happenings[child]) { child += 1 }
      guard Self.precedes(happenings[child], happenings[index]) else { return }
      happenings.swapAt(child, index)
      index = child
    }
  }

  private static func precedes(_ one: Happening, _ other: Happening) -> Bool {
    one.time == other.time ? one.number < other.number : one.time < other.time
  }
}

/// One host of a ``VirtualNetwork``.
final class VirtualHost {
  private unowned let network: VirtualNetwork
  let index: Int
  let address: DNSAddress
  let link = MulticastLink(interface: 1, family: .ipv4)
  private(set) var engine: MulticastEngine
  private var deadline: Duration?
  /// A host that is down neither hears nor says anything.
  var isUp = true
  private(set) var effects: [(time: Duration, effect: MulticastEngine.Effect)] = []
  /// What is known to answer each question.
  private(set) var answers: [MulticastEngine.QueryID: Set<RecordIdentity>] = [:]
  private(set) var datagramsSent = 0
  private var nextID: UInt64 = 1
  var keepsEffects = true
  /// What else to do with each effect.
  var react: ((MulticastEngine.Effect) -> Void)?

  init(_ network: VirtualNetwork, index: Int, address: DNSAddress, seed: UInt64) {
    self.network = network
    self.index = index
    self.address = address
    engine = MulticastEngine(seed: seed)
  }

  @discardableResult
  func `do`(_ event: MulticastEngine.Event) -> [MulticastEngine.Effect] {
    let effects = engine.handle(event, at: network.now)
    if let next = engine.nextDeadline, next < deadline ?? .seconds(Int64.max) {
      deadline = next
      network.schedule(index, at: next)
    }
    for effect in effects {
      if keepsEffects { self.effects.append((network.now, effect)) }
      switch effect {
      case .send(let bytes, _, let destination):
        datagramsSent += 1
        network.carry(bytes, from: self, to: destination)
      case .answer(let id, .added(let record, _)):
        answers[id, default: []].insert(RecordIdentity(record))
      case .answer(let id, .removed(let record, _)):
        answers[id, default: []].remove(RecordIdentity(record))
      case .answer, .cacheExhausted, .settled, .registration, .hostName:
        break
      }
    }
    if let react { for effect in effects { react(effect) } }
    return effects
  }

  /// Acts on a deadline, unless it was set for something that has been put off since.
  func wake(at now: Duration) {
    guard let planned = deadline, planned <= now else { return }
    deadline = nil
    self.do(.timePassed)
  }

  func ask(_ name: String, _ type: DNSType) -> MulticastEngine.QueryID {
    nextID += 1
    let id = MulticastEngine.QueryID(nextID)
    self.do(.ask(id, DNSName(literal: name), type, interface: nil))
    return id
  }

  /// The identifier that the next service to be published gets.
  var nextRegistration: MulticastEngine.RegistrationID { .init(nextID + 1) }

  /// Publishes a service with its pointer, as DNS-SD has it.
  func publish(_ instance: String, _ type: String = "_x._tcp.local", port: UInt16 = 1, txt: [UInt8] = [0])
    -> MulticastEngine.RegistrationID
  {
    nextID += 1
    let id = MulticastEngine.RegistrationID(nextID)
    self.do(.publish(id, Self.service(instance, type, port: port, txt: txt), interface: nil))
    return id
  }

  static func service(_ instance: String, _ type: String = "_x._tcp.local", port: UInt16 = 1, txt: [UInt8] = [0])
    -> [PublishedRecord]
  {
    let type = DNSName(literal: type)
    let name = try! type.adding(label: instance)
    return [
      PublishedRecord(name, .serviceOfThisHost(port: port), .unique),
      PublishedRecord(name, .data(.txt(txt)), .unique),
      PublishedRecord(type, .data(.ptr(name)), .shared),
      PublishedRecord("_services._dns-sd._udp.local", .data(.ptr(type)), .shared),
    ]
  }

  func was(_ effect: MulticastEngine.Effect) -> Bool { effects.contains { $0.effect == effect } }

  /// When an effect came for the first time.
  func time(of effect: MulticastEngine.Effect) -> Duration? { effects.first { $0.effect == effect }?.time }

  /// The names in the data of what is known, for questions about pointers.
  func pointers(_ id: MulticastEngine.QueryID) -> Set<String> {
    Set(
      answers[id, default: []].compactMap { identity in
        if case .ptr(let name) = identity.data { name.firstLabel } else { nil }
      })
  }
}

/// A record without its time to live.
struct RecordIdentity: Hashable {
  let name: DNSName
  let data: DNSData

  init(_ record: DNSRecord) {
    name = record.name
    data = record.data
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
