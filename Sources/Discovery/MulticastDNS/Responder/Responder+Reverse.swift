import _BonjourishDiscovery

/// Reverse pointers: PTR records from the names of this host's addresses to its name, as avahi-daemon publishes them too.
///
/// They follow the host's claim: each of its addresses has a claim of its own, which probes with the host, is published once the
/// address is, and is withdrawn with it. A pointer that another host or process disputes is given up until the host probes again or
/// its addresses change. Nothing else depends on it.
extension Responder {
  /// Claims the reverse pointers of addresses that have none, and withdraws those of other addresses.
  mutating func updateReversePointers(of records: [ClaimedRecord], _ step: inout Step) {
    releaseReversePointers(except: Set(records.compactMap(\.address)), goodbye: true, &step)
    claimReversePointers(of: records)
  }

  /// Claims the reverse pointers of addresses that have none.
  mutating func claimReversePointers(of records: [ClaimedRecord]) {
    for record in records {
      guard let address = record.address, claimSlots[.reversePointer(address)] == nil else { continue }
      let pointer = ClaimedRecord(name: DNSName(reverseOf: address), data: .ptr(record.name), isUnique: true)
      claim([pointer], for: .reversePointer(address), needsHost: false)
    }
  }

  /// Whether the address of a claimed reverse pointer is published under the host's name. True for other claims.
  func isAddressPublished(ofPointer slot: Int) -> Bool {
    guard case .reversePointer(let address) = claims[slot].owner, case .ptr(let host)? = claims[slot].records.first?.data else {
      return true
    }
    return zone.find(host, .address(address)) != nil
  }

  mutating func releaseReversePointers(except kept: Set<IPAddress> = [], goodbye: Bool, _ step: inout Step) {
    for owner in claims.indices.map({ claims[$0].owner }) {
      if case .reversePointer(let address) = owner, !kept.contains(address) { release(owner, goodbye: goodbye, &step) }
    }
  }

  /// Gives up the reverse pointers that another process on this host probes for with another name. To defend them would make
  /// avahi-daemon, started after us under another name, rename the host again and again.
  mutating func yieldReversePointers(to message: DNSMessage, _ step: inout Step) {
    for record in message.authorities {
      for slot in claimants(of: record.name)
      where claims[slot].owner.isReversePointer && !claims[slot].records.contains(where: { $0.data == record.data }) {
        release(claims[slot].owner, goodbye: false, &step)
      }
    }
  }
}

extension RecordOwner {
  var isReversePointer: Bool {
    switch self {
    case .reversePointer: true
    case .host, .registration: false
    }
  }
}

extension ClaimedRecord {
  fileprivate var address: IPAddress? {
    if case .address(let address) = data { address } else { nil }
  }
}
