import Discovery
import MulticastDNS

/// One host of a ``VirtualNetwork``.
final class VirtualHost {
  private unowned let network: VirtualNetwork
  let index: Int
  let address: IPAddress
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
  /// What else to do with each message of another host, once the engine has taken it in.
  var overhear: ((DNSMessage) -> Void)?

  init(_ network: VirtualNetwork, index: Int, address: IPAddress, seed: UInt64) {
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
