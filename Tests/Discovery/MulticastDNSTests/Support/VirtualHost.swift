import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// One host of a ``VirtualNetwork``.
final class VirtualHost {
  private unowned let network: VirtualNetwork
  let index: Int
  let link = MulticastLink(interface: 1, family: .ipv4)
  private(set) var interfaces: [VirtualInterface]
  /// The links that the engine knows, with the addresses that it knows of them.
  private(set) var links: [MulticastLink: [InterfaceAddress]] = [:]
  private(set) var engine: MulticastEngine
  private var deadline: Duration?
  /// A host that is down neither hears nor says anything.
  var isUp = true
  /// What waits for a host that is asleep; nil for one that is awake.
  private(set) var backlog: Backlog?
  /// Whether what the engine sends is dropped.
  private var isMute = false
  private(set) var effects: [(time: Duration, effect: MulticastEngine.Effect)] = []
  /// What is known to answer each question, on each link.
  private var known: [MulticastEngine.QueryID: [MulticastLink: Set<RecordIdentity>]] = [:]
  private(set) var datagramsSent = 0
  private var nextID: UInt64 = 1
  var keepsEffects = true
  /// What else to do with each effect.
  var react: ((MulticastEngine.Effect) -> Void)?
  /// What else to do with each message of another host, once the engine has taken it in.
  var overhear: ((DNSMessage, MulticastLink) -> Void)?

  init(_ network: VirtualNetwork, index: Int, interfaces: [VirtualInterface], seed: UInt64) {
    self.network = network
    self.index = index
    self.interfaces = interfaces
    engine = MulticastEngine(seed: seed)
  }

  /// The first address of the first interface.
  var address: IPAddress { interfaces[0].addresses[0].address }

  func has(_ address: IPAddress) -> Bool {
    interfaces.contains { $0.addresses.contains { $0.address == address } }
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
      case .send(let bytes, let link, let destination):
        guard !isMute else { continue }
        datagramsSent += 1
        network.carry(bytes, from: self, on: link, to: destination)
      case .answer(let id, .added(let record, let link)):
        known[id, default: [:]][link, default: []].insert(RecordIdentity(record))
      case .answer(let id, .removed(let record, let link)):
        known[id, default: [:]][link, default: []].remove(RecordIdentity(record))
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

  // MARK: - Asking and publishing

  func ask(_ name: String, _ type: DNSType) -> MulticastEngine.QueryID {
    nextID += 1
    let id = MulticastEngine.QueryID(nextID)
    self.do(.ask(id, DNSName(literal: name), type))
    return id
  }

  func newRegistration() -> MulticastEngine.RegistrationID {
    nextID += 1
    return MulticastEngine.RegistrationID(nextID)
  }

  /// The identifier that the next service to be published gets.
  var nextRegistration: MulticastEngine.RegistrationID { .init(nextID + 1) }

  /// Publishes a service with its pointer, as DNS-SD has it.
  func publish(_ instance: String, _ type: String = "_x._tcp.local", port: UInt16 = 1, txt: [UInt8] = [0])
    -> MulticastEngine.RegistrationID
  {
    let id = newRegistration()
    self.do(.publish(id, Self.service(instance, type, port: port, txt: txt)))
    return id
  }

  static func service(
    _ instance: String, _ type: String = "_x._tcp.local", port: UInt16 = 1, txt: [UInt8] = [0], isUnique: Bool = true
  )
    -> [PublishedRecord]
  {
    let type = DNSName(literal: type)
    let name = try! type.adding(label: instance)
    return [
      PublishedRecord(name, .serviceOfThisHost(port: port), isUnique ? .unique : .shared),
      PublishedRecord(name, .data(.txt(txt)), isUnique ? .unique : .shared),
      PublishedRecord(type, .data(.ptr(name)), .shared),
      PublishedRecord("_services._dns-sd._udp.local", .data(.ptr(type)), .shared),
    ]
  }

  func was(_ effect: MulticastEngine.Effect) -> Bool { effects.contains { $0.effect == effect } }

  /// When an effect came for the first time.
  func time(of effect: MulticastEngine.Effect) -> Duration? { effects.first { $0.effect == effect }?.time }

  /// What is known to answer each question, on any link.
  var answers: [MulticastEngine.QueryID: Set<RecordIdentity>] {
    known.mapValues { $0.values.reduce(into: []) { $0.formUnion($1) } }
  }

  func answers(_ id: MulticastEngine.QueryID, on link: MulticastLink) -> Set<RecordIdentity> { known[id]?[link] ?? [] }

  /// The names in the data of what is known, for questions about pointers.
  func pointers(_ id: MulticastEngine.QueryID) -> Set<String> {
    Set(answers[id, default: []].compactMap(\.instance))
  }
}

/// Links, as the backend begins and ends them.
extension VirtualHost {
  /// Gives an interface other addresses, or plugs it in or out.
  func change(_ number: UInt32, _ body: (inout VirtualInterface) -> Void) {
    guard let index = interfaces.firstIndex(where: { $0.number == number }) else { return }
    body(&interfaces[index])
    if backlog == nil { refreshLinks() }
  }

  /// Begins the links that the interfaces have, and ends the others.
  func refreshLinks() {
    let wanted = interfaces.flatMap(\.links)
    for link in links.keys.sorted(by: { $0.order < $1.order }) where !wanted.contains(link) { end(link) }
    for interface in interfaces {
      for link in interface.links where links[link] != interface.addresses {
        let isKnown = links.updateValue(interface.addresses, forKey: link) != nil
        self.do(isKnown ? .linkChanged(link, addresses: interface.addresses) : .linkUp(link, addresses: interface.addresses))
        if !isKnown, interface.mtu != 1500 { self.do(.mtuChanged(link, bytes: interface.mtu)) }
      }
    }
  }

  private func end(_ link: MulticastLink) {
    links[link] = nil
    self.do(.linkDown(link))
  }

  /// Which media it has links on, and which links.
  var media: [(link: MulticastLink, medium: Medium)] {
    interfaces.flatMap { interface in
      interface.links.map { ($0, Medium(segment: interface.segment, family: $0.family)) }
    }
  }
}

/// Sleep: the clock goes on, and nothing is handled.
extension VirtualHost {
  /// What came while a host slept.
  struct Backlog {
    /// How many datagrams the kernel keeps.
    static let maximum = 100

    let since: Duration
    /// Whether the whole machine sleeps, so that the kernel keeps nothing, and not only the process.
    let isOfMachine: Bool
    var datagrams: [() -> Void] = []
    var timers: [() -> Void] = []

    mutating func append(_ datagram: @escaping () -> Void) {
      if !isOfMachine, datagrams.count < Self.maximum { datagrams.append(datagram) }
    }
  }

  func fallAsleep(isOfMachine: Bool) {
    backlog = Backlog(since: network.now, isOfMachine: isOfMachine)
  }

  /// Whether the backend notices that the host slept: by the clocks, or by what it finds late.
  var noticesSleep: Bool {
    backlog.map { network.now - $0.since >= .seconds($0.isOfMachine ? 1 : 5) } ?? false
  }

  func keepArrival(_ body: @escaping () -> Void) { backlog?.append(body) }

  func keepTimer(_ body: @escaping () -> Void) { backlog?.timers.append(body) }

  /// Handles what came meanwhile. After a long sleep all links are ended and begun again instead, as the backend does.
  func wakeUp() {
    guard let kept = backlog else { return }
    let isNoticed = noticesSleep
    backlog = nil
    // It may have passed unnoticed.
    deadline = nil
    if isNoticed {
      restart()
    } else {
      self.do(.timePassed)
      refreshLinks()
      for datagram in kept.datagrams { datagram() }
    }
    for timer in kept.timers { timer() }
  }

  private func restart() {
    isMute = true
    for link in links.keys.sorted(by: { $0.order < $1.order }) { end(link) }
    isMute = false
    refreshLinks()
  }
}

extension MulticastLink {
  fileprivate var order: (UInt32, UInt8) { (interface, family == .ipv4 ? 0 : 1) }
}

/// A record without its time to live.
struct RecordIdentity: Hashable {
  let name: DNSName
  let data: DNSData

  init(_ record: DNSRecord) {
    name = record.name
    data = record.data
  }

  init(_ name: DNSName, _ data: DNSData) {
    self.name = name
    self.data = data
  }
}
