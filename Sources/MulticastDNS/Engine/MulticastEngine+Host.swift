extension MulticastEngine {
  /// Publishes the host's addresses under a name.
  mutating func setHostName(_ name: HostName, _ turn: inout Turn) {
    guard hostName?.wanted != name.wanted else { return }
    hostName = name
    claimHost(&turn)
  }

  /// Takes the next name, since another host has this one (RFC 6762 §9).
  mutating func rename(from name: DNSName, _ turn: inout Turn) {
    guard hostName?.current == name else { return }
    hostName!.takeNext()
    turn.effects.append(.hostName(.renamed(from: name, to: hostName!.current)))
    claimHost(&turn)
  }

  /// Claims the host's name on every link, and lets the services follow it.
  private mutating func claimHost(_ turn: inout Turn) {
    for index in links.indices {
      links[index].release(.host, goodbye: true, &turn)
      claimHost(on: index, &turn)
    }
    tellIfHostEstablished(&turn)
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue }) where registrations[id]!.needsHost {
      let registration = registrations[id]!
      for index in links.indices where registration.concerns(links[index].link) {
        _ = links[index].update(claimed(registration.records), for: .registration(id), needsHost: true, &turn)
      }
    }
  }

  /// The addresses of the link's interface, of both families (RFC 6762 §6.2).
  func hostRecords(on link: LinkState) -> [ClaimedRecord] {
    guard let name = hostName?.current else { return [] }
    var seen: Set<DNSAddress> = []
    return link.addresses.map(\.address).filter { seen.insert($0).inserted }
      .map { ClaimedRecord(name: name, data: .address($0), isUnique: true) }
  }

  mutating func claimHost(on index: Int, _ turn: inout Turn) {
    guard hostName != nil else { return }
    hostName!.unestablished?.insert(links[index].link)
    links[index].claim(hostRecords(on: links[index]), for: .host, needsHost: false, &turn)
  }

  mutating func tellIfHostEstablished(_ turn: inout Turn) {
    guard hostName?.unestablished?.isEmpty == true else { return }
    hostName!.unestablished = nil
    turn.effects.append(.hostName(.established(hostName!.current)))
  }
}
