import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// One course of events on a network, and what must hold in it. What the network is like, and what happens, depends on the seed.
///
/// First there is a storm of half a minute. Datagrams are lost (up to 30 %), come twice or in another order. Hosts come, up to
/// twenty of them (half of few) wanting the same names; the network is cut in two for ten seconds, and on both sides a service of
/// the same name appears; interfaces lose their cables and addresses for some seconds; hosts sleep; some go, half of these without
/// a word. Then nothing is lost any more, so that nothing that follows is a matter of luck:
///
/// - Who missed something hears of it when it next asks. Questions are asked after ever twice the time (RFC 6762 §5.2): in the
///   first `t` seconds, and once more by `2t + 1`.
/// - Two owners of one name hear each other when somebody asks for it (§9): some host does, as soon as the storm is over. What
///   then gives way probes for other names, for a second each (§8.1).
/// - What hosts had that vanished is known for its time to live (§10): 75 minutes.
/// - What changes is announced (§8.4), or said goodbye to (§10.1): within seconds all know it. Hosts sleep, lose and change
///   addresses, and change their services, one after the other, and each time all must be true soon.
///
/// A small network has a second storm when all that was told in the first is about to expire: then what was lost is asked for
/// with the next question of the series.
///
/// A network of more than fifty hosts is not followed for 75 minutes but for two and a half, until the addresses of hosts that
/// vanished have expired, which live for 120 seconds.
///
/// What hosts know is compared, throughout, with what they have heard: it is kept as long as it lives, and no longer. Each
/// datagram is examined by ``WireRules``.
final class Simulation {
  static let storm: Duration = .seconds(30)
  /// When all must have asked once more since the storm, with three seconds to be answered: to be waited for (§7.2: half a second),
  /// not to be told twice in a second (§6), and to travel.
  private static let settling: Duration = storm * 2 + .seconds(4)
  /// When all have names. A host that met fifteen conflicts within ten seconds waits for five before each further name (§8.1), and
  /// each may be another's: six names in a row take half a minute.
  private static let named = settling + .seconds(40)
  /// When no address or port is left of hosts that vanished.
  static let goodbyes: Duration = storm + .seconds(121)
  /// When nothing at all is left of them.
  static let end: Duration = storm + .seconds(4502)
  /// The second storm: what was heard in the first seconds, and from then on, is asked for again at 80 % of its life.
  private static let secondStorm: ClosedRange<Duration> = .seconds(3590)...(.seconds(3720))
  /// When the questions of the first seconds have been asked for the thirteenth time, and answered.
  private static let secondSettling: Duration = .seconds(4104)
  /// How many hosts a network has at most that has a second storm.
  private static let small = 50
  /// How many hosts are watched closely.
  private static let watched = 20
  static let servicesPerHost = 5
  private static let type: DNSName = "_x._tcp.local"
  static let clonedHostName: DNSName = "same.local"
  static let browsed = Hearing.Subject(name: type, type: .ptr)

  let network: VirtualNetwork
  let mix: SimulationMix
  let count: Int
  var random: SeededGenerator
  var residents: [Resident] = []
  /// What did not hold.
  private(set) var faults: [String] = []
  /// What happened, line by line.
  private(set) var course: [String] = []
  /// What those had who went, slept or were cut off, and what was given up in the storm. Others may know it as long as it lives
  /// since then.
  private var former: [String: Duration] = [:]
  /// Names that more than one wants.
  var disputed: Set<String> = ["Contested"]
  /// What all must know exactly because it changed after the storm.
  var fresh: Set<Hearing.Subject> = []
  /// Records of services that slept when another took their names. Where that one is not, they are known as long as they live.
  var outlived: [Hearing.Subject: Duration] = [:]
  /// Services that took a name while its owner slept when nothing was lost: they keep it.
  var successors: [ResidentService] = []
  private var rules = WireRules()
  /// What is to happen in the storm, in order.
  private var agenda: [(time: Duration, body: () -> Void)] = []

  /// - Parameter carriesBytes: Whether each host reads datagrams for itself.
  init(seed: UInt64, hosts: Int, carriesBytes: Bool) {
    random = SeededGenerator(seed: seed)
    mix = SimulationMix(hosts: hosts, &random)
    network = VirtualNetwork(seed: random.next())
    network.keepsWire = false
    network.carriesBytes = carriesBytes
    network.conditions = mix.conditions
    count = hosts
    network.inspect = { [unowned self] host, link, message, bytes, destination in
      note(rules.faults(of: message, bytes: bytes.count, from: host, on: link, to: destination, at: network.now))
    }
    tell("\(mix)")
  }

  /// Whether 75 minutes pass.
  var isLong: Bool { count <= Self.small }

  func run() {
    start()
    planStorm()
    pass(until: Self.storm)
    network.conditions.loss = 0
    tell("the storm is over")
    for resident in residents { for service in resident.services { mayRemain(service.claimed) } }
    let questions = askForDisputedNames()
    pass(until: Self.settling)
    waitForNames()
    for (resident, question) in questions { resident.host.do(.endAsking(question)) }
    check()
    while network.now < Self.goodbyes - .seconds(20) {
      pass(until: network.now + disturb() + .seconds(6))
      check()
    }
    pass(until: Self.goodbyes)
    check()
    if isLong {
      sleepLong()
      passChecking(until: Self.secondStorm.lowerBound)
      network.conditions.loss = mix.conditions.loss
      pass(until: Self.secondStorm.upperBound)
      network.conditions.loss = 0
      pass(until: Self.secondSettling)
      passChecking(until: Self.end)
    }
    check()
    checkTraffic()
    checkGrowth()
  }

  /// Starts the hosts. Some of them want the same host name, and the same names for services.
  func start() {
    for number in 0..<count {
      let host = network.addHost(mix.interfaces(of: number, &random))
      let isWatched = number % max(1, count / Self.watched) == 0
      let resident = Resident(host, on: network, isWatched: isWatched)
      residents.append(resident)
      let isClone = number < mix.clones
      resident.claim(isClone ? Self.clonedHostName : DNSName(literal: "host-\(number).local"))
      resident.ask(Self.browsed)
      if isWatched { for _ in 0..<2 { resolve(Int.random(in: mix.clones..<count, using: &random), by: resident) } }
      for service in 0..<Self.servicesPerHost {
        let isShared = isClone && service < mix.clonedServices
        let name = isShared ? "Same-\(service)" : "\(number)-\(service)"
        if isShared { disputed.insert(name) }
        resident.publish(name)
      }
      let pause = mix.start.microseconds / Int64(count)
      if pause > 0 { network.run(for: .microseconds(Int64.random(in: 0...pause, using: &random))) }
    }
  }

  /// Asks for a service of another host, whose name nobody disputes, and for that host's addresses.
  private func resolve(_ other: Int, by resident: Resident) {
    let (service, host) = (Self.instance("\(other)-4"), DNSName(literal: "host-\(other).local"))
    for type in [DNSType.srv, .txt] { resident.ask(Hearing.Subject(name: service, type: type)) }
    for type in [DNSType.a, .aaaa] { resident.ask(Hearing.Subject(name: host, type: type)) }
  }

  /// On each medium, has a host ask for all that several may hold.
  private func askForDisputedNames() -> [(Resident, MulticastEngine.QueryID)] {
    let services = Set(residents.flatMap(\.services).filter { isDisputed($0) }.map(\.name))
    let hosts = Set(residents.compactMap(\.hostName).filter { $0.description.hasPrefix("same") })
    let names = (services.map(Self.instance) + hosts).map(\.description).sorted()
    var media: Set<Medium> = []
    var questions: [(Resident, MulticastEngine.QueryID)] = []
    for resident in residents.reversed() where resident.host.media.contains(where: { !media.contains($0.medium) }) {
      media.formUnion(resident.host.media.map(\.medium))
      questions += names.map { (resident, resident.host.ask($0, .any)) }
    }
    return questions
  }

  /// Notes that others may still know names that are no longer told to them.
  func mayRemain(_ names: some Sequence<String>) { for name in names { former[name] = network.now } }

  /// Whether others may still know a name.
  func mayBeKnown(_ name: String) -> Bool { former[name].map { network.now - $0 <= .seconds(4501) } ?? false }

  func isDisputed(_ service: ResidentService) -> Bool { !service.claimed.isDisjoint(with: disputed) }

  static func instance(_ label: String) -> DNSName { try! type.adding(label: label) }

  // MARK: - Time

  /// Has something happen in the storm.
  func plan(_ time: Duration, _ body: @escaping () -> Void) {
    let place = agenda.firstIndex { $0.time > time } ?? agenda.endIndex
    agenda.insert((time, body), at: place)
  }

  /// Lets time pass, and compares all the while what hosts know with what they have heard.
  func pass(until moment: Duration) {
    while network.now < moment {
      let next = min(agenda.first?.time ?? moment, moment, network.now + .milliseconds(1500))
      network.run(for: max(.zero, next - network.now))
      while let first = agenda.first, first.time <= network.now {
        agenda.removeFirst()
        first.body()
      }
      for resident in residents { note(resident.discrepancies()) }
    }
  }

  /// Waits until all have names, and all others have heard of them.
  private func waitForNames() {
    guard residents.contains(where: { !$0.unsettled.isEmpty }) else { return }
    while network.now < Self.named, residents.contains(where: { !$0.unsettled.isEmpty }) {
      pass(until: network.now + .seconds(1))
    }
    pass(until: network.now + .seconds(3))
  }

  /// Lets time pass in which nothing may be lost from sight.
  private func passChecking(until moment: Duration) {
    while network.now < moment {
      network.run(for: min(.seconds(150), moment - network.now))
      check()
    }
  }

  func note(_ faults: [String]) {
    for fault in faults {
      // The first ones tell enough, and a fault may last.
      guard self.faults.count < 100 else { return }
      self.faults.append("after \(network.now): \(fault)")
      tell("FAULT: \(fault)")
    }
  }

  func tell(_ line: String) { course.append("\(network.now): \(line)") }
}
