package import _BonjourishDiscovery

extension MulticastEngine {
  /// The maximum number of links that are gone whose echoes are still expected.
  private static let maximumFormerLinks = 64

  /// The host that last sent a record on a link; nil for our own records, and when more hosts send than are told apart.
  package func sender(of record: DNSRecord, on link: MulticastLink) -> IPAddress? {
    guard let index = index(of: link), let slot = links[index].querier.cache.find(record.name, record.data) else { return nil }
    return links[index].querier.cache.source(of: slot)
  }

  /// Whether this engine publishes a record on a link.
  package func isOwn(_ record: DNSRecord, on link: MulticastLink) -> Bool {
    guard let index = index(of: link), let slot = links[index].querier.cache.find(record.name, record.data) else {
      return false
    }
    return links[index].querier.cache[slot].standing == .own
  }

  mutating func bringUp(_ link: MulticastLink, _ addresses: [InterfaceAddress], _ step: inout Step) {
    guard index(of: link) == nil else { return change(link, addresses, &step) }
    links.append(LinkState(link, addresses: addresses, echoes: formerEchoes.removeValue(forKey: link) ?? EchoTable()))
    shareAddresses()
    let index = links.count - 1
    claimHost(on: index, &step)
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue })
    where contains(link, in: registrations[id]!.scope) {
      claim(id, on: index, &step)
    }
    for id in queries.keys.sorted(by: { $0.rawValue < $1.rawValue }) where contains(link, in: queries[id]!.scope) {
      links[index].querier.ask(queries[id]!.key, for: id, &step)
    }
  }

  /// Announces changed addresses under the established host name (RFC 6762 §8.4).
  mutating func change(_ link: MulticastLink, _ addresses: [InterfaceAddress], _ step: inout Step) {
    guard let index = index(of: link), links[index].addresses.ofInterface != addresses else { return }
    links[index].addresses.ofInterface = addresses
    shareAddresses()
    guard let hostName, contains(link, in: hostName.scope) else { return }
    let isBegun = links[index].update(hostRecords(on: links[index]), for: .host, needsHost: false, &step)
    if isBegun { self.hostName!.unestablished?.insert(link) }
  }

  /// Removes a link and everything known there (RFC 6762 §10.3).
  mutating func takeDown(_ link: MulticastLink, _ step: inout Step) {
    guard let index = index(of: link) else { return }
    links[index].querier.forgetAll(&step)
    let gone = links.remove(at: index)
    counters += gone.counters
    if formerEchoes.count == Self.maximumFormerLinks { formerEchoes = [:] }
    formerEchoes[link] = gone.echoes
    shareAddresses()
    if !links.contains(where: { $0.link.interface == link.interface }) {
      let departed = Set(gone.addresses.ofInterface.filter(\.isPublished).map(\.address))
      repeatHost(besides: link.interface, withdrawing: departed, at: step.now)
    }
    for id in queries.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      queries[id]!.unsettled?.remove(link)
      tellIfSettled(id, &step)
    }
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      registrations[id]!.unestablished?.remove(link)
      tellIfEstablished(id, &step)
    }
    hostName?.unestablished?.remove(link)
    tellIfHostEstablished(&step)
  }

  /// Gives each link all addresses of this host.
  mutating func shareAddresses() {
    let all = otherAddresses.union(links.flatMap { $0.addresses.ofInterface.map(\.address) })
    for index in links.indices { links[index].addresses.ofHost = all }
  }
}
