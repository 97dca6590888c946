import MulticastDNS

/// One course of events on a link, and what must hold in it.
final class Simulation {
  /// Datagrams that a host may send in the whole course, per service on the link: each is probed for and announced, asked
  /// for and refreshed; most of it is packed.
  static let datagramsPerHost = 400
  private static let type: DNSName = "_x._tcp.local"
  private static let servicesPerHost = 5

  private final class Resident {
    let host: VirtualHost
    var browse = MulticastEngine.QueryID(0)
    /// What each registration wants to be called, and how often it gave way.
    var services: [MulticastEngine.RegistrationID: (wanted: String, number: Int)] = [:]
    var established: Set<MulticastEngine.RegistrationID> = []
    var hostName = ""

    init(_ host: VirtualHost) {
      self.host = host
    }

    var names: [String] { services.filter { established.contains($0.key) }.map { Self.name($0.value) } }

    static func name(_ service: (wanted: String, number: Int)) -> String {
      service.number == 1 ? service.wanted : "\(service.wanted) (\(service.number))"
    }
  }

  let network: VirtualNetwork
  /// What did not hold.
  private(set) var faults: [String] = []
  private var random: SplitMix
  private var residents: [Resident] = []
  private let count: Int
  /// The services that were there the last time.
  private var settled: Set<String> = []

  init(seed: UInt64, hosts: Int) {
    random = SplitMix(state: seed)
    network = VirtualNetwork(seed: random.next())
    network.keepsWire = false
    count = hosts
    network.conditions.loss = Double.random(in: 0...0.3, using: &random)
    network.conditions.duplication = Double.random(in: 0...0.1, using: &random)
    network.conditions.delay = .milliseconds(Int.random(in: 1...40, using: &random))
  }

  func run() {
    start()
    network.run(for: .seconds(280))
    check("at first", ghosts: [])
    splitAndHeal()
    let gone = loseHosts()
    network.run(for: .seconds(280))
    check("after the hosts went", ghosts: gone)
    // By then every pointer has been refreshed or has expired (RFC 6762 §10). With more loss than this it happens that all four
    // questions about one fail, and it is lost until the next question.
    network.conditions.loss = min(network.conditions.loss, 0.1)
    network.run(for: .seconds(4700))
    check("in the end", ghosts: [])
    for resident in residents where resident.host.datagramsSent > Self.datagramsPerHost {
      faults.append("host \(resident.host.index) sent \(resident.host.datagramsSent) datagrams")
    }
  }

  /// Starts the hosts within two seconds. A tenth of them want the same host name, and the same name for a service.
  func start() {
    for number in 0..<count {
      let isTwin = number < max(2, count / 10)
      let host = network.addHost()
      let resident = Resident(host)
      residents.append(resident)
      host.keepsEffects = false
      host.react = { [unowned self, unowned resident] in self.take($0, for: resident) }
      host.do(.setHostName(DNSName(literal: isTwin ? "same.local" : "host-\(number).local")))
      resident.browse = host.ask(Self.type.description, .ptr)
      for service in 0..<Self.servicesPerHost {
        publish((isTwin && service == 0 ? "Same" : "\(number)-\(service)", 1), for: resident)
      }
      network.run(for: .milliseconds(Int.random(in: 0...(2000 / count), using: &random)))
    }
  }

  private func publish(_ service: (wanted: String, number: Int), for resident: Resident) {
    // Noted before the engine can say that the name is taken.
    resident.services[resident.host.nextRegistration] = service
    _ = resident.host.publish(Resident.name(service))
  }

  private func take(_ effect: MulticastEngine.Effect, for resident: Resident) {
    switch effect {
    case .registration(let id, .established):
      resident.established.insert(id)
    case .registration(let id, .conflict):
      guard let (wanted, number) = resident.services.removeValue(forKey: id) else { return }
      resident.established.remove(id)
      publish((wanted, number + 1), for: resident)
    case .hostName(.established(let name)):
      resident.hostName = name.description
    case .hostName(.renamed):
      resident.hostName = ""
    case .send, .answer, .cacheExhausted, .settled:
      break
    }
  }

  /// Cuts the link in two for half a minute; on both sides services with one name appear.
  private func splitAndHeal() {
    for index in network.group.indices { network.group[index] = Int.random(in: 0...1, using: &random) }
    for side in 0...1 {
      guard let index = network.group.firstIndex(of: side) else { continue }
      publish(("Contested", 1), for: residents[index])
    }
    network.run(for: .seconds(30))
    for index in network.group.indices { network.group[index] = 0 }
  }

  /// Some hosts say goodbye, some just vanish; returns what they had.
  private func loseHosts() -> Set<String> {
    var gone: Set<String> = []
    for resident in residents {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: resident.host.do(.shutDown)
      case 1: break
      default: continue
      }
      gone.formUnion(resident.names)
      resident.host.isUp = false
      network.run(for: .milliseconds(Int.random(in: 0...100, using: &random)))
    }
    residents.removeAll { !$0.host.isUp }
    return gone
  }

  private func check(_ moment: String, ghosts: Set<String>) {
    let all = residents.flatMap(\.names)
    let names = Set(all)
    if residents.contains(where: { $0.established.count != $0.services.count }) {
      faults.append("\(moment): not all are established")
    }
    // Halves that were apart may hold one name until they hear each other speak of it.
    if names.count != all.count, moment != "after the hosts went" { faults.append("\(moment): two services have one name") }
    let hosts = residents.map(\.hostName)
    if Set(hosts).count != hosts.count { faults.append("\(moment): two hosts have one name: \(hosts.sorted())") }
    // Who lost every announcement of something new may have to wait for his next question, an hour at most (RFC 6762 §5.2).
    let required = moment == "after the hosts went" ? names.intersection(settled) : names
    settled = names
    for resident in residents {
      let seen = resident.host.pointers(resident.browse)
      let (missing, wrong) = (required.subtracting(seen), seen.subtracting(names).subtracting(ghosts))
      if !missing.isEmpty { faults.append("\(moment): host \(resident.host.index) misses \(missing.sorted())") }
      if !wrong.isEmpty { faults.append("\(moment): host \(resident.host.index) still has \(wrong.sorted())") }
    }
  }
}
