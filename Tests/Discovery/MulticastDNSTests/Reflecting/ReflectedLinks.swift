import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Links with hosts and reflectors on them, and a manual clock. What is sent arrives a millisecond later, in order.
final class ReflectedLinks {
  /// A datagram, as somebody on a link sees it.
  struct Datagram {
    let time: Duration
    let link: UInt32
    let source: IPAddress
    let port: UInt16
    let bytes: [UInt8]
    /// The host that it is for; nil for the group.
    let destination: MulticastSource?

    var message: DNSMessage? { try? DNSMessage(parsing: bytes) }
  }

  private struct Delivery {
    let due: Duration
    let datagram: Datagram
  }

  private(set) var now: Duration = .seconds(100)
  private(set) var datagrams: [Datagram] = []
  private(set) var reflectors: [Reflector] = []
  private(set) var notes: [Reflector.Note] = []
  private var hosts: [ReflectedHost] = []
  private var deliveries: [Delivery] = []
  /// How late each reflector is.
  private var delays: [Duration] = []

  /// Adds a reflector. Its interfaces have the numbers of the links.
  @discardableResult
  func add(_ rules: ReflectionRules, over families: [IPAddress.Family] = [.ipv4], delay: Duration = .milliseconds(1)) -> Int {
    let number = reflectors.count
    reflectors.append(Reflector(rules))
    delays.append(delay)
    reflectors[number].isTelling = true
    let links = Set(rules.filters.keys.flatMap { [$0.from, $0.to] }).sorted()
    for link in links { for family in families { bringUp(link, family, of: number) } }
    carryOut(reflectors[number].handle(.setHostAddresses(Set(links.map { Self.address(of: number, on: $0) })), at: now), number)
    return number
  }

  private func bringUp(_ link: UInt32, _ family: IPAddress.Family, of number: Int) {
    let addresses = [
      InterfaceAddress(Self.address(of: number, on: link), prefixLength: 24),
      InterfaceAddress(Self.globalAddress(ofHost: 200, on: link), prefixLength: 64),
      InterfaceAddress(Self.localAddress(ofHost: 200), prefixLength: 64),
    ]
    carryOut(
      reflectors[number].handle(
        .linkUp(MulticastLink(interface: link, family: family), addresses: addresses, mtu: 1500), at: now), number)
  }

  func add(_ host: ReflectedHost) { hosts.append(host) }

  func remove(_ host: ReflectedHost) { hosts.removeAll { $0 === host } }

  func removeReflectors() { reflectors = [] }

  static func address(of reflector: Int, on link: UInt32) -> IPAddress { .ipv4(0x0A00_00C8 + link << 8 + UInt32(reflector)) }
  static func address(ofHost number: UInt32, on link: UInt32) -> IPAddress { .ipv4(0x0A00_0000 + link << 8 + number) }
  /// A link-local IPv6 address, and one of the link's own network.
  static func localAddress(ofHost number: UInt32) -> IPAddress { .ipv6(high: 0xFE80 << 48, low: UInt64(number)) }
  static func globalAddress(ofHost number: UInt32, on link: UInt32) -> IPAddress {
    .ipv6(high: 0xFD00 << 48 + UInt64(link), low: UInt64(number))
  }

  // MARK: - Time

  func run(for duration: Duration) {
    let end = now + duration
    while let next = nextEvent, next <= end {
      now = max(now, next)
      for host in hosts { host.advance() }
      for number in reflectors.indices where reflectors[number].nextDeadline.map({ $0 <= now }) == true {
        carryOut(reflectors[number].handle(.timePassed, at: now), number)
      }
      let due = deliveries.filter { $0.due <= now }
      deliveries.removeAll { $0.due <= now }
      for delivery in due { deliver(delivery.datagram) }
    }
    now = end
  }

  private var nextEvent: Duration? {
    (hosts.compactMap { $0.engine.nextDeadline } + reflectors.compactMap(\.nextDeadline) + deliveries.map(\.due)).min()
  }

  private func deliver(_ datagram: Datagram) {
    let source = { (interface: UInt32) in
      MulticastSource(
        datagram.source, port: datagram.port, link: MulticastLink(interface: interface, family: datagram.source.family))
    }
    guard datagram.destination == nil else { return }
    for host in hosts where host.link == datagram.link && host.address != datagram.source {
      host.handle(.received(datagram.bytes, from: source(1), to: .multicast))
    }
    for number in reflectors.indices {
      carryOut(reflectors[number].handle(.heard(datagram.bytes, from: source(datagram.link)), at: now), number)
    }
  }

  private func carryOut(_ effects: [Reflector.Effect], _ number: Int) {
    for effect in effects {
      switch effect {
      case .send(let bytes, let link, let destination):
        let target: MulticastSource? = if case .unicast(let source) = destination { source } else { nil }
        send(bytes, on: link.interface, from: Self.address(of: number, on: link.interface), to: target, after: delays[number])
      case .note(let note):
        notes.append(note)
      }
    }
  }

  func send(
    _ bytes: [UInt8], on link: UInt32, from source: IPAddress, port: UInt16 = 5353, to destination: MulticastSource? = nil,
    after delay: Duration = .milliseconds(1)
  ) {
    let datagram = Datagram(
      time: now, link: link, source: source, port: port, bytes: bytes, destination: destination)
    datagrams.append(datagram)
    deliveries.append(Delivery(due: now + delay, datagram: datagram))
  }

  /// Says something on a link, as a host that has no engine, and lets it cross.
  func say(_ message: DNSMessage, on link: UInt32, from number: UInt32 = 9, port: UInt16 = 5353) {
    send(message.written(), on: link, from: Self.address(ofHost: number, on: link), port: port)
    run(for: .milliseconds(20))
  }

  /// Says something from an address, which takes a millisecond.
  func say(_ records: [DNSRecord], on link: UInt32, at address: IPAddress) {
    var message = DNSMessage(isResponse: true)
    message.answers = records
    send(message.written(), on: link, from: address)
    run(for: .milliseconds(1))
  }

  func say(_ records: [DNSRecord], on link: UInt32, from number: UInt32 = 9) {
    var message = DNSMessage(isResponse: true)
    message.answers = records
    say(message, on: link, from: number)
  }

  func ask(
    _ questions: [DNSQuestion], knowing records: [DNSRecord] = [], on link: UInt32, from number: UInt32 = 8,
    port: UInt16 = 5353, id: UInt16 = 0
  ) {
    var message = DNSMessage(isResponse: false)
    (message.id, message.questions, message.answers) = (id, questions, records)
    say(message, on: link, from: number, port: port)
  }

  // MARK: - What was seen

  func clear() { (datagrams, notes) = ([], []) }

  /// The messages that reflectors have sent to the group on a link.
  func crossed(to link: UInt32) -> [DNSMessage] {
    datagrams.filter { $0.link == link && $0.destination == nil && isReflector($0.source, on: link) }.compactMap(\.message)
  }

  func records(on link: UInt32) -> [DNSRecord] { crossed(to: link).flatMap { $0.answers + $0.additionals } }

  func questions(on link: UInt32) -> [DNSQuestion] { crossed(to: link).flatMap(\.questions) }

  private func isReflector(_ source: IPAddress, on link: UInt32) -> Bool {
    (0..<16).contains { Self.address(of: $0, on: link) == source }
  }
}

/// A host with an engine, on one link.
final class ReflectedHost {
  private unowned let links: ReflectedLinks
  let link: UInt32
  let address: IPAddress
  private(set) var engine: MulticastEngine
  private(set) var effects: [MulticastEngine.Effect] = []

  init(_ number: UInt32, on link: UInt32, of links: ReflectedLinks, named name: DNSName? = nil) {
    (self.links, self.link) = (links, link)
    address = ReflectedLinks.address(ofHost: number, on: link)
    engine = MulticastEngine(seed: UInt64(link << 8 + number))
    links.add(self)
    handle(
      .linkUp(
        MulticastLink(interface: 1, family: .ipv4), addresses: [InterfaceAddress(address, prefixLength: 24)]))
    if let name { handle(.setHostName(name)) }
  }

  func handle(_ event: MulticastEngine.Event) {
    for effect in engine.handle(event, at: links.now) {
      effects.append(effect)
      guard case .send(let bytes, _, let destination) = effect else { continue }
      let target: MulticastSource? = if case .unicast(let source) = destination { source } else { nil }
      links.send(bytes, on: link, from: address, to: target)
    }
  }

  func advance() {
    if let next = engine.nextDeadline, next <= links.now { handle(.timePassed) }
  }

  func publish(_ id: UInt64, _ records: [PublishedRecord]) { handle(.publish(MulticastEngine.RegistrationID(id), records)) }

  func withdraw(_ id: UInt64) {
    handle(.withdraw(MulticastEngine.RegistrationID(id)))
    handle(.flush)
  }

  func ask(_ name: DNSName, _ type: DNSType, as id: UInt64 = 1) { handle(.ask(MulticastEngine.QueryID(id), name, type)) }

  /// The records that are known as answers.
  func known(to id: UInt64 = 1) -> Set<DNSData> {
    var known: Set<DNSData> = []
    for case .answer(MulticastEngine.QueryID(id), let change) in effects {
      switch change {
      case .added(let record, _): known.insert(record.data)
      case .removed(let record, _): known.remove(record.data)
      case .leaving, .suspect, .confirmed: break
      }
    }
    return known
  }

  /// The names that other hosts were found to have, and under which nothing is published.
  var conflicts: [DNSName] {
    effects.compactMap {
      if case .registration(_, .conflict(let name)) = $0 { name } else { nil }
    }
  }

  /// The names that the host was given in place of another.
  var renames: [DNSName] {
    effects.compactMap {
      if case .hostName(.renamed(_, let name)) = $0 { name } else { nil }
    }
  }
}

extension ReflectionRules {
  /// The same in both directions between all of these links.
  static func among(_ links: UInt32..., filter: ReflectionFilter = ReflectionFilter()) -> ReflectionRules {
    var rules = ReflectionRules()
    for from in links { for to in links where to != from { rules.filters[Direction(from: from, to: to)] = filter } }
    return rules
  }

  static func oneWay(from: UInt32, to: UInt32, filter: ReflectionFilter = ReflectionFilter()) -> ReflectionRules {
    ReflectionRules([Direction(from: from, to: to): filter])
  }
}

extension ReflectionFilter {
  init(_ types: DNSName..., denials: [Denial] = []) { self.init(types: types.compactMap { TypePattern($0) }, denials: denials) }
}

/// The records of a service.
struct ReflectedService {
  let type: DNSName
  let instance: DNSName
  let host: DNSName

  init(_ label: String, _ type: DNSName, on host: DNSName) {
    (self.type, self.host) = (type, host)
    instance = try! type.adding(label: label)  // A literal of a test.
  }

  var pointer: DNSRecord { DNSRecord(type, .ptr(instance), timeToLive: 4500) }
  var location: DNSRecord {
    DNSRecord(instance, .srv(DNSService(target: host, port: 631)), timeToLive: 120, cacheFlush: true)
  }
  var text: DNSRecord { DNSRecord(instance, .txt([0]), timeToLive: 4500, cacheFlush: true) }
  var address: DNSRecord { address(.ipv4(0x0A00_0109)) }

  func address(_ address: IPAddress) -> DNSRecord { DNSRecord(host, .address(address), timeToLive: 120, cacheFlush: true) }

  var records: [DNSRecord] { [pointer, location, text, address] }
  var published: [PublishedRecord] {
    [
      PublishedRecord(type, .data(.ptr(instance)), .shared),
      PublishedRecord(instance, .serviceOfThisHost(port: 631), .unique),
      PublishedRecord(instance, .data(.txt([0])), .unique),
    ]
  }
}

extension DNSRecord {
  var goodbye: DNSRecord { DNSRecord(name, data, timeToLive: 0, cacheFlush: cacheFlush) }
}
