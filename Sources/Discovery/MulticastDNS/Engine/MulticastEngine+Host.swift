import _BonjourishDiscovery

extension MulticastEngine {
  /// Publishes the host's addresses under a name. One that another host had is tried again.
  mutating func setHostName(_ name: HostName, _ step: inout Step) {
    guard hostName?.wanted != name.wanted || hostName?.current != name.wanted else { return }
    hostName = name
    claimHost(&step)
  }

  /// Takes the next name, because another host has this one (RFC 6762 §9).
  mutating func rename(from name: DNSName, _ step: inout Step) {
    guard hostName?.current == name else { return }
    counters.hostRenames += 1
    hostName!.takeNext(using: &step.random)
    step.effects.append(.hostName(.renamed(from: name, to: hostName!.current)))
    claimHost(&step)
  }

  /// Claims the host's name on every link. The services that refer to it wait until it is announced.
  private mutating func claimHost(_ step: inout Step) {
    for index in links.indices {
      links[index].release(.host, goodbye: true, &step)
      claimHost(on: index, &step)
    }
    tellIfHostEstablished(&step)
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue }) where registrations[id]!.needsHost {
      let registration = registrations[id]!
      for index in links.indices where contains(links[index].link, in: registration.scope) {
        registrations[id]!.unestablished?.insert(links[index].link)
        links[index].renew(claimed(registration.records), for: .registration(id), &step)
      }
    }
  }

  /// The published addresses of the link's interface, of both families (RFC 6762 §6.2).
  func hostRecords(on link: LinkState) -> [ClaimedRecord] {
    guard let name = hostName?.current, let isAssured = hostName?.isAssured, hostName?.hasAddresses == true else { return [] }
    var seen: Set<IPAddress> = []
    return link.addresses.ofInterface.filter(\.isPublished).map(\.address).filter { seen.insert($0).inserted }
      .map { ClaimedRecord(name: name, data: .address($0), isUnique: !isAssured) }
  }

  mutating func claimHost(on index: Int, _ step: inout Step) {
    guard let hostName, contains(links[index].link, in: hostName.scope) else { return }
    self.hostName!.unestablished?.insert(links[index].link)
    links[index].claim(hostRecords(on: links[index]), for: .host, needsHost: false, &step)
  }

  /// Announces the host's addresses again on the links of all other interfaces. One of them may be in the same network as this one:
  /// there, what was just announced has taken the place of the others in caches (RFC 6762 §10.2), or is no longer true.
  ///
  /// - Parameter departed: The addresses that this host no longer has.
  mutating func repeatHost(besides interface: UInt32, withdrawing departed: Set<IPAddress> = [], at now: Instant) {
    for index in links.indices where links[index].link.interface != interface {
      links[index].repeatHost(withdrawing: departed, at: now)
    }
  }

  mutating func tellIfHostEstablished(_ step: inout Step) {
    guard hostName?.unestablished?.isEmpty == true else { return }
    hostName!.settle()
    step.effects.append(.hostName(.established(hostName!.current)))
  }
}
