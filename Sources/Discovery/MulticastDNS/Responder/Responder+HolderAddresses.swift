import _BonjourishBase

/// An address of the host that the holder of its name publishes.
struct HolderAddress {
  /// When the holder last told it.
  let heard: Instant
  /// Until when it may be repeated: the holder's record lives no longer, or was replaced then.
  var end: Instant
  /// When the holder or we last multicast it (RFC 6762 §6).
  var sent: Instant
}

/// While this process is a guest, it tells the addresses that the holder publishes beside what leads to the host's name. Otherwise
/// resolvers would have to ask the holder for them (RFC 6763 §12.2).
///
/// They are additional records only, without the cache-flush bit: the holder alone answers, replaces and withdraws them. To it, an
/// identical record is no conflict (RFC 6762 §9). Another one would be, so nothing is told while there is doubt about the holder.
extension Responder {
  /// The addresses of ours that the holder publishes and did not withdraw; none unless we are a guest.
  func holderAddresses(at now: Instant) -> [DNSRecord] {
    guard let slot = claimSlots[.host], claims[slot].phase == .guest(isAsked: false) else { return [] }
    return claims[slot].records.compactMap { record in
      guard let known = claims[slot].ofHolder[record.data], now < known.end else { return nil }
      return DNSRecord(record.name, record.data, timeToLive: record.data.type.timeToLive)
    }
  }

  /// Those that may be multicast now.
  func holderAddressesToMulticast(at now: Instant) -> [DNSRecord] {
    let addresses = holderAddresses(at: now)
    guard !addresses.isEmpty, let slot = claimSlots[.host] else { return [] }
    return addresses.filter { record in claims[slot].ofHolder[record.data].map { $0.sent + 1000 <= now } ?? false }
  }

  /// Takes the addresses if a record leads to their name: they go with one answer of several.
  func take(_ addresses: inout [DNSRecord], beside slot: Int, _ others: [Int]) -> [DNSRecord] {
    // Mostly there are none.
    guard let name = addresses.first?.name, leads(slot, to: name) || others.contains(where: { leads($0, to: name) }) else {
      return []
    }
    defer { addresses = [] }
    return addresses
  }

  /// The same, for what is multicast now.
  mutating func takeToMulticast(
    _ addresses: inout [DNSRecord], beside slot: Int, _ others: [Int], at now: Instant
  ) -> [DNSRecord] {
    let taken = take(&addresses, beside: slot, others)
    guard !taken.isEmpty, let host = claimSlots[.host] else { return [] }
    for record in taken { claims[host].ofHolder[record.data]?.sent = now }
    return taken
  }

  private func leads(_ slot: Int, to host: DNSName) -> Bool {
    switch zone[slot].data {
    case .srv(let service): service.target == host
    case .cname(let target): target == host
    case .ptr, .address, .txt, .nsec, .hinfo, .other: false
    }
  }
}

extension Claim {
  /// Notes what the holder told of the host's addresses.
  mutating func note(holders heard: [DNSRecord], at now: Instant) {
    let live = heard.filter { $0.timeToLive > 0 }
    for record in heard where record.timeToLive == 0 { ofHolder[record.data] = nil }
    // RFC 6762 §10.2: they replace what is older than a second. It is remembered all the same, because avahi-daemon may tell one
    // address of several alone.
    for (data, known) in ofHolder where now - known.heard > 1000 && live.contains(where: { $0.type == data.type }) {
      ofHolder[data]?.end = now
    }
    for record in records where live.contains(where: { $0.data == record.data }) {
      let end = now + Int64(record.data.type.timeToLive) * 1000
      ofHolder[record.data] = HolderAddress(heard: now, end: end, sent: now)
    }
  }
}
