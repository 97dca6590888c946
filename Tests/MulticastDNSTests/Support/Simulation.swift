import MulticastDNS
import Timing

/// One course of events on a link, and what must hold in it.
///
/// First there is a storm of half a minute. Datagrams are lost (up to 30 %), come twice or in another order. Hosts come, twenty of
/// them (half of few) wanting the same names; the link is cut in two for ten seconds, and on both sides a service of the same name appears; a
/// fifth of the hosts goes, half of these without a word. Then nothing is lost any more, so that nothing that follows is a matter
/// of luck:
///
/// - Who missed something hears of it when it next asks. Questions are asked after ever twice the time (RFC 6762 §5.2): in the
///   first `t` seconds, and once more by `2t + 1`.
/// - Two owners of one name hear each other when somebody asks for it (§9): one host does, as soon as the storm is over. What
///   then gives way probes for other names, for a second each (§8.1).
/// - What hosts had that vanished is known for its time to live (§10): 75 minutes.
///
/// A small link has a second storm when all that was told in the first is about to expire: then what was lost is asked for
/// with the next question of the series.
///
/// A link of more than fifty hosts is not followed for 75 minutes but for two and a half, until the addresses of hosts that
/// vanished have expired, which live for 120 seconds.
///
/// What hosts know is compared, throughout, with what they have heard: it is kept as long as it lives, and no longer.
final class Simulation {
  private static let storm: Duration = .seconds(30)
  /// When all must have asked once more since the storm, with three seconds to be answered: to be waited for (§7.2: half a second),
  /// not to be told twice in a second (§6), and to travel.
  private static let settling: Duration = storm * 2 + .seconds(4)
  /// When no address or port is left of hosts that vanished.
  private static let farewell: Duration = storm + .seconds(121)
  /// When nothing at all is left of them.
  private static let end: Duration = storm + .seconds(4501)
  /// The second storm: what was heard in the first seconds, and from then on, is asked for again at 80 % of its life.
  private static let secondStorm: ClosedRange<Duration> = .seconds(3590)...(.seconds(3720))
  /// When the questions of the first seconds have been asked for the thirteenth time, and answered.
  private static let secondSettling: Duration = .seconds(4104)
  /// How many hosts a link has at most that has a second storm.
  private static let small = 50
  /// How many hosts are watched closely.
  private static let watched = 20
  private static let servicesPerHost = 5
  private static let type: DNSName = "_x._tcp.local"
  private static let browsed = Hearing.Subject(name: type, type: .ptr)

  let network: VirtualNetwork
  /// What did not hold.
  private(set) var faults: [String] = []

  private var random: SeededGenerator
  private var residents: [Resident] = []
  private let count: Int
  /// How many want the same names.
  private var twins: Int { min(20, count / 2) }
  /// Which host has what another asks for.
  private var owners: [Hearing.Subject: Int] = [:]
  /// What those had who went.
  private var former: Set<String> = []
  /// What is lost in a storm.
  private let storminess: Double

  /// - Parameter carriesBytes: Whether each host reads datagrams for itself.
  init(seed: UInt64, hosts: Int, carriesBytes: Bool) {
    random = SeededGenerator(seed: seed)
    network = VirtualNetwork(seed: random.next())
    network.keepsWire = false
    network.carriesBytes = carriesBytes
    count = hosts
    storminess = Double.random(in: 0...0.3, using: &random)
    network.conditions.loss = storminess
    network.conditions.duplication = Double.random(in: 0...0.1, using: &random)
    network.conditions.delay = .microseconds(Int.random(in: 100...20_000, using: &random))
    network.conditions.holdUp = Double.random(in: 0...0.05, using: &random)
  }

  func run() {
    start()
    pass(until: .seconds(8))
    cut()
    pass(until: .seconds(18))
    for index in network.group.indices { network.group[index] = 0 }
    pass(until: .seconds(20))
    loseHosts()
    pass(until: Self.storm)
    network.conditions.loss = 0
    let questions = askForDisputedNames()
    pass(until: Self.settling)
    for question in questions { residents.last!.host.do(.endAsking(question)) }
    check()
    passChecking(until: Self.farewell)
    if count <= Self.small {
      passChecking(until: Self.secondStorm.lowerBound)
      network.conditions.loss = storminess
      pass(until: Self.secondStorm.upperBound)
      network.conditions.loss = 0
      pass(until: Self.secondSettling)
      passChecking(until: Self.end)
    }
    if count <= Self.small { former = [] }
    check()
    checkTraffic()
  }

  /// Starts the hosts within two seconds. Some of them want the same host name, and the same name for a service.
  func start() {
    for number in 0..<count {
      let isWatched = number % max(1, count / Self.watched) == 0
      let resident = Resident(network.addHost(), on: network, isWatched: isWatched)
      residents.append(resident)
      resident.host.do(.setHostName(DNSName(literal: number < twins ? "same.local" : "host-\(number).local")))
      resident.ask(Self.browsed)
      if isWatched { resolve(twins + (number + 1) % (count - twins), by: resident) }
      for service in 0..<Self.servicesPerHost {
        resident.publish(number < twins && service == 0 ? "Same" : "\(number)-\(service)")
      }
      network.run(for: .milliseconds(Int.random(in: 0...(2000 / count), using: &random)))
    }
  }

  /// Asks for a service of another host, whose name nobody disputes, and for that host's address.
  private func resolve(_ other: Int, by resident: Resident) {
    for subject in [
      Hearing.Subject(name: Self.instance("\(other)-4"), type: .srv),
      Hearing.Subject(name: DNSName(literal: "host-\(other).local"), type: .a),
    ] {
      resident.ask(subject)
      owners[subject] = other
    }
  }

  /// Cuts the link in two; on both sides services with one name appear.
  private func cut() {
    for index in network.group.indices { network.group[index] = Int.random(in: 0...1, using: &random) }
    for side in 0...1 {
      guard let index = network.group.firstIndex(of: side) else { continue }
      residents[index].publish("Contested")
    }
  }

  /// Some hosts say goodbye, some just vanish; the last stays.
  private func loseHosts() {
    for resident in residents.dropLast() {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: resident.host.do(.shutDown)
      case 1: break
      default: continue
      }
      former.formUnion(resident.names)
      resident.host.isUp = false
      network.run(for: .milliseconds(Int.random(in: 0...20, using: &random)))
    }
    residents.removeAll { !$0.host.isUp }
  }

  /// Has the last host ask for all that several may hold.
  private func askForDisputedNames() -> [MulticastEngine.QueryID] {
    let disputed = Set(residents.flatMap(\.names)).filter { $0.hasPrefix("Same") || $0.hasPrefix("Contested") }
    let hosts = Set(residents.compactMap(\.hostName).filter { $0.description.hasPrefix("same") })
    return (disputed.map(Self.instance) + hosts).map(\.description).sorted().map { residents.last!.host.ask($0, .any) }
  }

  private static func instance(_ label: String) -> DNSName { try! type.adding(label: label) }

  // MARK: - What must hold

  /// Lets time pass, and compares all the while what hosts know with what they have heard.
  private func pass(until moment: Duration) {
    while network.now < moment {
      network.run(for: min(.milliseconds(1500), moment - network.now))
      for resident in residents { note(resident.discrepancies()) }
    }
  }

  /// Lets time pass in which nothing may be lost from sight.
  private func passChecking(until moment: Duration) {
    while network.now < moment {
      network.run(for: min(.seconds(150), moment - network.now))
      check()
    }
  }

  private func check() {
    for resident in residents where !resident.isSettled { note(["host \(resident.host.index) has not got all its names"]) }
    let all = residents.flatMap(\.names)
    let names = Set(all)
    if names.count != all.count { note(["two services have one name: \(all.sorted())"]) }
    let hosts = residents.compactMap(\.hostName)
    if Set(hosts).count != hosts.count { note(["two hosts have one name: \(hosts.map(\.description).sorted())"]) }
    let truth = Set(names.map { RecordIdentity(DNSRecord(Self.type, .ptr(Self.instance($0)), timeToLive: 0)) })
    for resident in residents {
      note(resident.discrepancies())
      let known = resident.known(Self.browsed)
      guard known != truth else { continue }
      let missing = truth.subtracting(known).map(\.summary).sorted()
      let wrong = Set(known.subtracting(truth).map(\.summary)).subtracting(former).sorted()
      if !missing.isEmpty { note(["host \(resident.host.index) misses \(missing)"]) }
      if !wrong.isEmpty { note(["host \(resident.host.index) still has \(wrong)"]) }
    }
    checkResolved()
  }

  /// Who asks where a service is knows that, as long as the service is there.
  private func checkResolved() {
    let there = Set(residents.map(\.host.index))
    for resident in residents {
      for subject in resident.asked.keys where subject != Self.browsed {
        let owner = owners[subject]!
        let isKnown = !resident.known(subject).isEmpty
        if there.contains(owner), !isKnown { note(["host \(resident.host.index) does not know \(subject.name)"]) }
        if !there.contains(owner), isKnown, network.now >= Self.farewell {
          note(["host \(resident.host.index) still knows \(subject.name)"])
        }
      }
    }
  }

  private func checkTraffic() {
    for resident in residents where resident.host.datagramsSent > datagramsPerHost {
      note(["host \(resident.host.index) sent \(resident.host.datagramsSent) datagrams of \(datagramsPerHost)"])
    }
  }

  /// How many datagrams a host may send in the whole course.
  private var datagramsPerHost: Int {
    let isLong = count <= Self.small
    // A question for all services takes with it those that are known, some 50 in a datagram. On the long way there are 13 in the
    // series (RFC 6762 §5.2), and some more since what vanished hosts had is asked for four times before it is let go of.
    let questions = (isLong ? 26 : 8) * (1 + count * Self.servicesPerHost / 50)
    // What a host knows of another's service and address it asks for every 96 s (80 % of 120), and is asked for itself.
    let refreshed = 4 * (isLong ? 47 : 2)
    // Three probes and three announcements (§8.1, §8.3), again for each name that a host does not get.
    let claims = 6 * (1 + twins)
    // Answers go together, and none is given twice in a second (§6): a datagram or so in each second in which anybody asks. That is
    // most of the first two minutes and a half, and of the five in which what is known is asked for lest it expire.
    let answers = isLong ? 450 : 150
    return questions + refreshed + claims + answers
  }

  private func note(_ faults: [String]) {
    for fault in faults { self.faults.append("after \(network.now): \(fault)") }
  }
}
