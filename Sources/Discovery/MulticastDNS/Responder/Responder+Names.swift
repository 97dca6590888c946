/// The names of claims. Several claims of this host may have one name: the host's own and those of registrations that share names.
extension Responder {
  mutating func beginProbing(_ slot: Int) {
    let names = claims[slot].probedNames
    noteProbing(names, slot)
    claims[slot].lostTieBreaks = 0
    claims[slot].phase = .probing(sent: names.isEmpty ? Claim.probes : 0)
    unscheduled.append(slot)
    guard claims[slot].owner == .host else { return }
    claimReversePointers(of: claims[slot].records)
    updateHostDenial()
  }

  /// Notes that a claim probes for names.
  mutating func noteProbing(_ names: [DNSName], _ slot: Int) {
    for name in names where probed[name]?.insert(slot) == nil { probed[name] = ClaimSet(slot) }
  }

  /// Notes that a claim probes for nothing more.
  mutating func endProbing(_ slot: Int) {
    guard !probed.isEmpty else { return }
    for name in claims[slot].uniqueNames { probed[name] = probed[name]?.without(slot) }
  }

  /// Notes that a claim has no unique records of names any more.
  mutating func leave(_ names: some Sequence<DNSName>, _ slot: Int) {
    for name in names {
      if let emptied = zone.leave(name, claim: slot) { forgetAnswer(emptied) }
    }
  }

  /// While the host's addresses are not published, who has other records of its name must not say that there are none.
  mutating func updateHostDenial() {
    let host = claimSlots[.host].flatMap { claims[$0].isPublished ? nil : claims[$0].records.first?.name }
    if let emptied = zone.setUndenied(host) { forgetAnswer(emptied) }
  }

  /// Records with what others than their claim have published of their unique sets, which is told together (RFC 6762 §10.2).
  func wholeSets(of news: [Int]) -> [Int] {
    guard news.contains(where: { zone[$0].isUnique && zone.names[zone[$0].name]?.slots.count != 1 }) else { return news }
    var seen = Set(news)
    return news
      + news.filter { zone[$0].isUnique }.flatMap { zone.slots(of: zone[$0].name, zone[$0].type) }
      .filter { seen.insert($0).inserted }
  }
}
