import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The entries of groups: which may be added, and what is noted of them.
extension DaemonMachine {
  /// Withdraws what is published, and removes the entries.
  mutating func clear(_ id: ObjectID) {
    withdraw(id)
    let group = groups[id]!
    for entry in group.entries { forget(entry, in: id) }
    addEntries(-group.entries.count, in: id)
    addBytes(-group.bytes, in: id)
    groups[id]!.entries = []
    groups[id]!.links = []
    changedLinks[id] = nil
  }

  /// Adds an entry to a group that is not committed.
  mutating func add(_ entry: EntryGroup.Entry, to id: ObjectID) throws(CallFailure) {
    let (state, client, count) = (groups[id]!.state, groups[id]!.client, groups[id]!.entries.count)
    guard state == .uncommitted || state == .collision else { throw .avahi(.badState) }
    // Files are the administrator's, and bounded where they are read: no program can use up what they need.
    if !client.isEmpty {
      guard count < settings.limits.entriesPerGroup,
        usersShare(of: client).entries < settings.limits.entries - entryCount
      else { throw .avahi(.tooManyEntries) }
    }
    try makeRoom(for: entry.bytes, of: client)
    // Each link is published on its own.
    guard groups[id]!.links.contains(entry.link) || groups[id]!.links.count < settings.limits.linksPerGroup else {
      throw .avahi(.tooManyEntries)
    }
    try check(entry, in: id)
    note(entry, in: id)
    groups[id]!.links.insert(entry.link)
    groups[id]!.entries.append(entry)
    addBytes(entry.bytes, in: id)
    addEntries(1, in: id)
  }

  /// Checks that a program may publish more bytes.
  private func makeRoom(for bytes: Int, of client: String) throws(CallFailure) {
    guard bytes > 0, let present = clients[client]?.share.bytes else { return }
    guard present + bytes <= settings.limits.bytesPerClient,
      usersShare(of: client).bytes + bytes <= settings.limits.bytes - byteCount
    else { throw .avahi(.tooManyEntries) }
  }

  private mutating func addBytes(_ bytes: Int, in id: ObjectID) {
    groups[id]!.bytes += bytes
    charge(groups[id]!.client, Share(bytes: bytes))
    byteCount += bytes
  }

  private mutating func addEntries(_ count: Int, in id: ObjectID) {
    charge(groups[id]!.client, Share(entries: count))
    entryCount += count
  }

  /// Whether a group may have an entry besides those that there are.
  private func check(_ entry: EntryGroup.Entry, in id: ObjectID) throws(CallFailure) {
    let hasAddresses = settings.publishesAddresses && !settings.disallowsPublishing
    for record in entry.comparedRecords {
      let set = RecordSetName(record)
      // Those of the host itself are unique and allow others.
      let isOfHost = hasAddresses && record.name == hostName && [.a, .aaaa].contains(set.type)
      guard !isOfHost || (record.ownership == .unique && entry.allowsOthers) else { throw .avahi(.collision) }
      guard let present = sets[set] else { continue }
      guard !present.excludes(record, on: entry.link, allowingOthers: entry.allowsOthers) else { throw .avahi(.collision) }
      // A unique set is told as a whole (RFC 6762 §10.2).
      guard record.ownership == .shared || present.unique.count < settings.limits.uniqueRecordsPerSet else {
        throw .avahi(.tooManyEntries)
      }
    }
  }

  private mutating func note(_ entry: EntryGroup.Entry, in id: ObjectID) {
    for record in entry.comparedRecords {
      sets[RecordSetName(record), default: RecordSet()].add(
        record, on: entry.link, of: id, allowingOthers: entry.allowsOthers)
    }
  }

  /// Takes back what was noted of an entry.
  private mutating func forget(_ entry: EntryGroup.Entry, in id: ObjectID) {
    for record in entry.comparedRecords {
      let set = RecordSetName(record)
      sets[set]?.remove(record, on: entry.link, of: id, allowingOthers: entry.allowsOthers)
      if sets[set]?.isEmpty == true { sets[set] = nil }
    }
  }

  /// Whether a client publishes a service.
  func isService(_ instance: DNSName, of client: String?) -> Bool {
    guard let client else { return false }
    return sets[RecordSetName(instance, .srv)]?.unique.contains { groups[$0.group]?.client == client } ?? false
  }

  /// Replaces an entry by another on the same link, and announces what has changed.
  mutating func replaceEntry(_ place: Int, of id: ObjectID, with entry: EntryGroup.Entry) throws(CallFailure) {
    let former = groups[id]!.entries[place]
    try makeRoom(for: entry.bytes - former.bytes, of: groups[id]!.client)
    forget(former, in: id)
    do throws(CallFailure) {
      try check(entry, in: id)
    } catch {
      note(former, in: id)
      throw error
    }
    note(entry, in: id)
    groups[id]!.entries[place] = entry
    addBytes(entry.bytes - former.bytes, in: id)
    republish(id, on: entry.link)
  }
}

extension EntryGroup.Entry {
  /// The records that may be in each other's way. Groups may say different things of an address: to whom it belongs is known to the
  /// network, not to this machine.
  fileprivate var comparedRecords: [PublishedRecord] { records.filter { !$0.name.isForReverseMapping } }
}
