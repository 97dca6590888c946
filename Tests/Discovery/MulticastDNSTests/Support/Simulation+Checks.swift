import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What must hold when nothing has happened for some seconds.
extension Simulation {
  func check() {
    checkNames()
    checkSuccessors()
    var attached: [Medium: [Resident]] = [:]
    for resident in residents {
      note(resident.discrepancies())
      for (_, medium) in resident.host.media { attached[medium, default: []].append(resident) }
    }
    for (medium, residents) in attached.sorted(by: { $0.key.order < $1.key.order }) {
      checkOwners(among: residents, on: medium)
      checkBrowsed(by: residents, on: medium)
      checkResolved(by: residents, on: medium)
    }
  }

  /// All have names, and what nobody else wants keeps its name.
  private func checkNames() {
    for resident in residents {
      let index = resident.host.index
      if !resident.unsettled.isEmpty { note(["host \(index) has not got \(resident.unsettled.joined(separator: ", "))"]) }
      for service in resident.services where service.claimed.count > 1 && !isDisputed(service) {
        note(["host \(index) gave up a name that nobody else wants: \(service.claimed.sorted())"])
      }
      if let name = resident.hostName, name != resident.wantedHostName, resident.wantedHostName != Self.clonedHostName {
        note(["host \(index) is called \(name), though nobody else wants \(resident.wantedHostName!)"])
      }
    }
  }

  /// Who wakes up gives way to who took a name meanwhile.
  private func checkSuccessors() {
    for service in successors where service.claimed.count > 1 {
      note(["a service lost a name to a host that woke up: \(service.claimed.sorted())"])
    }
  }

  /// No name has two owners on a medium.
  private func checkOwners(among residents: [Resident], on medium: Medium) {
    let names = residents.flatMap(\.names)
    for name in Set(names) where names.count(where: { $0 == name }) > 1 {
      note(["two services are called \"\(name)\" on \(medium)"])
    }
    let hosts = residents.compactMap(\.hostName)
    for name in Set(hosts) where hosts.count(where: { $0 == name }) > 1 { note(["two hosts are called \(name) on \(medium)"]) }
  }

  /// Who browses knows all services of the medium, and none that has gone.
  private func checkBrowsed(by residents: [Resident], on medium: Medium) {
    let names = Set(residents.flatMap(\.names))
    let truth = Set(names.map { RecordIdentity(Self.browsed.name, .ptr(Self.instance($0))) })
    for resident in residents {
      for (link, _) in resident.host.media where link.family == medium.family && resident.segment(of: link) == medium.segment {
        let known = resident.known(Self.browsed, on: link)
        guard known != truth else { continue }
        let missing = truth.subtracting(known).map(\.summary).sorted()
        let wrong = known.subtracting(truth).map(\.summary).filter { !mayBeKnown($0) }.sorted()
        if !missing.isEmpty { note(["host \(resident.host.index) misses \(missing) on \(medium)"]) }
        if !wrong.isEmpty { note(["host \(resident.host.index) still has \(wrong) on \(medium)"]) }
      }
    }
  }

  /// Who asks for a service or a host knows the records that it has on the medium.
  private func checkResolved(by residents: [Resident], on medium: Medium) {
    var truths: [Hearing.Subject: Set<RecordIdentity>] = [:]
    for resident in residents {
      for (link, _) in resident.host.media where link.family == medium.family && resident.segment(of: link) == medium.segment {
        for subject in resident.asked.keys where subject != Self.browsed {
          let truth = truths[subject] ?? truth(of: subject, among: residents, on: medium)
          truths[subject] = truth
          let known = resident.known(subject, on: link)
          let isOutlived = truth.isEmpty && outlived[subject].map { network.now < $0 } ?? false
          guard known != truth, (isExact(subject) && !isOutlived) || (known.isEmpty && subject.type == .srv) else { continue }
          note([
            "host \(resident.host.index) knows \(subject.name) \(subject.type.rawValue) as \(known.map(\.data)) on \(medium), which "
              + "is \(truth.map(\.data))"
          ])
        }
      }
    }
  }

  /// Whether nothing can be left of former records.
  private func isExact(_ subject: Hearing.Subject) -> Bool {
    fresh.contains(subject) || network.now >= (subject.type == .txt ? Self.end : Self.goodbyes)
  }

  private func truth(of subject: Hearing.Subject, among residents: [Resident], on medium: Medium) -> Set<RecordIdentity> {
    var truth: Set<RecordIdentity> = []
    for resident in residents {
      switch subject.type {
      case .srv, .txt:
        guard let host = resident.hostName,
          let service = resident.services.first(where: { $0.established.map(Self.instance) == subject.name })
        else { continue }
        let server = DNSService(target: host, port: service.registration.service!.port)
        truth.insert(RecordIdentity(subject.name, subject.type == .srv ? .srv(server) : .txt(service.text)))
      default:
        guard resident.hostName == subject.name else { continue }
        for interface in resident.host.interfaces where interface.segment == medium.segment {
          for address in interface.published where (address.family == .ipv4) == (subject.type == .a) {
            truth.insert(RecordIdentity(subject.name, .address(address)))
          }
        }
      }
    }
    return truth
  }

  // MARK: - Bounds

  func checkTraffic() {
    for resident in residents {
      let most = mostDatagrams(of: resident)
      if resident.host.datagramsSent > most {
        note(["host \(resident.host.index) sent \(resident.host.datagramsSent) datagrams of \(most)"])
      }
    }
  }

  /// How many datagrams a host may send in the whole course.
  private func mostDatagrams(of resident: Resident) -> Int {
    // A question for all services takes with it those that are known, some 50 in a datagram. On the long way there are 13 in the
    // series (RFC 6762 §5.2), and some more since what vanished hosts had is asked for four times before it is let go of.
    let questions = (isLong ? 26 : 8) * (1 + count * Self.servicesPerHost / 50)
    // What a host knows of two others' services and addresses it asks for every 96 s (80 % of 120), and is asked for itself.
    let refreshed = 8 * (isLong ? 47 : 2)
    // Three probes and three announcements (§8.1, §8.3), again for each name that a host does not get.
    let claims = 6 * (1 + mix.clones)
    // Answers go together, and none is given twice in a second (§6): a datagram or so in each second in which anybody asks. That is
    // most of the first two minutes and a half, and of the five in which what is known is asked for lest it expire.
    let answers = isLong ? 450 : 150
    // After each change questions, claims and answers begin anew for some seconds.
    let links = resident.host.interfaces.count * 2
    return links * (questions + refreshed + claims + answers + 60 * resident.changes)
  }

  /// What hosts keep is in proportion to what there is.
  func checkGrowth() {
    // Each service has three records, each host a denial for every name, and addresses; all may have had other names before.
    let most = 4 * count * (4 * (Self.servicesPerHost + 2) + 8)
    for resident in residents {
      for (link, _) in resident.host.media {
        guard let load = resident.host.engine.load(of: link) else {
          note(["host \(resident.host.index) has no \(link)"])
          continue
        }
        if load.records > most { note(["host \(resident.host.index) keeps \(load.records) records on \(link)"]) }
      }
    }
  }
}

extension Resident {
  func segment(of link: MulticastLink) -> Int? { host.interfaces.first { $0.number == link.interface }?.segment }
}

extension Medium: CustomStringConvertible {
  var description: String { "segment \(segment) over \(family)" }
  fileprivate var order: (Int, UInt8) { (segment, family.rawValue) }
}
