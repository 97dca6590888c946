extension MulticastEngine {
  mutating func bringUp(_ link: MulticastLink, _ addresses: [InterfaceAddress], _ turn: inout Turn) {
    guard index(of: link) == nil else { return change(link, addresses, &turn) }
    links.append(LinkState(link, addresses: addresses))
    shareAddresses()
    let index = links.count - 1
    claimHost(on: index, &turn)
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue }) where registrations[id]!.concerns(link) {
      claim(id, on: index, &turn)
    }
    for id in queries.keys.sorted(by: { $0.rawValue < $1.rawValue }) where queries[id]!.concerns(link) {
      links[index].ask(queries[id]!.key, for: id, &turn)
    }
  }

  /// RFC 6762 §8.4: addresses that change are announced, under the name that is ours already.
  mutating func change(_ link: MulticastLink, _ addresses: [InterfaceAddress], _ turn: inout Turn) {
    guard let index = index(of: link), links[index].addresses != addresses else { return }
    links[index].addresses = addresses
    shareAddresses()
    guard hostName != nil else { return }
    let isBegun = links[index].update(hostRecords(on: links[index]), for: .host, needsHost: false, &turn)
    if isBegun { hostName!.unestablished?.insert(link) }
  }

  /// RFC 6762 §10.3.
  mutating func takeDown(_ link: MulticastLink, _ turn: inout Turn) {
    guard let index = index(of: link) else { return }
    links[index].forgetAll(&turn)
    links.remove(at: index)
    shareAddresses()
    for id in queries.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      queries[id]!.unsettled?.remove(link)
      tellIfSettled(id, &turn)
    }
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      registrations[id]!.unestablished?.remove(link)
      tellIfEstablished(id, &turn)
    }
    hostName?.unestablished?.remove(link)
    tellIfHostEstablished(&turn)
  }

  /// Lets each link know all addresses of this host.
  private mutating func shareAddresses() {
    let all = Set(links.flatMap { $0.addresses.map(\.address) })
    for index in links.indices { links[index].ownAddresses = all }
  }
}
