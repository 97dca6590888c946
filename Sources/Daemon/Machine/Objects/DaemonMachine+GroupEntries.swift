import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The records of a name and type that a group has on a link. All of them are unique, or none is (RFC 6762 §10.2).
struct LinkedSet: Hashable {
  let name: DNSName
  let type: DNSType
  let link: ClientLink

  init(_ record: PublishedRecord, on link: ClientLink) {
    self.link = link
    name = record.name
    type =
      switch record.content {
      case .data(let data): data.type
      case .serviceOfThisHost: .srv
      }
  }
}

/// The entries of groups: which may be added, and what is noted of them.
extension DaemonMachine {
  /// Withdraws what is published, and removes the entries.
  mutating func clear(_ id: ObjectID) {
    withdraw(id)
    let group = groups[id]!
    for entry in group.entries {
      forgetNames(of: entry, in: id)
    }
    addEntries(-group.entries.count, in: id)
    addBytes(-group.bytes, in: id)
    groups[id]!.entries = []
    groups[id]!.links = []
    changedLinks[id] = nil
    groups[id]!.sets = [:]
    groups[id]!.services = [:]
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

  /// Whether a group may have an entry besides those that it has.
  private func check(_ entry: EntryGroup.Entry, in id: ObjectID) throws(CallFailure) {
    for record in entry.records {
      let others = groups[id]!.sets[LinkedSet(record, on: entry.link)]
      guard others?.ownership ?? record.ownership == record.ownership else { throw .avahi(.collision) }
    }
    for name in entry.uniqueNames {
      let isTaken = uniqueNames[name, default: [:]].keys.contains { $0.group != id && $0.overlaps(entry.link) }
      guard !isTaken, name != hostName else { throw .avahi(.collision) }
    }
    // A name twice in a group is no conflict, if it is of another type.
    guard case .service(let instance, _, _, _, _, _) = entry.content else { return }
    let isRepeated = groups[id]!.services[instance, default: []].contains {
      NameHolder(group: id, link: $0).overlaps(entry.link)
    }
    guard !isRepeated else { throw .avahi(.collision) }
  }

  private mutating func note(_ entry: EntryGroup.Entry, in id: ObjectID) {
    for name in entry.uniqueNames { uniqueNames[name, default: [:]][NameHolder(group: id, link: entry.link), default: 0] += 1 }
    for record in entry.records {
      groups[id]!.sets[LinkedSet(record, on: entry.link), default: (0, record.ownership)].count += 1
    }
    if case .service(let instance, _, _, _, _, _) = entry.content {
      groups[id]!.services[instance, default: []].insert(entry.link)
    }
  }

  /// Takes back what was noted of an entry.
  private mutating func forget(_ entry: EntryGroup.Entry, in id: ObjectID) {
    forgetNames(of: entry, in: id)
    for record in entry.records {
      let set = LinkedSet(record, on: entry.link)
      groups[id]!.sets[set]?.count -= 1
      if groups[id]!.sets[set]?.count == 0 { groups[id]!.sets[set] = nil }
    }
    if case .service(let instance, _, _, _, _, _) = entry.content {
      groups[id]!.services[instance]?.remove(entry.link)
      if groups[id]!.services[instance]?.isEmpty == true { groups[id]!.services[instance] = nil }
    }
  }

  private mutating func forgetNames(of entry: EntryGroup.Entry, in id: ObjectID) {
    let holder = NameHolder(group: id, link: entry.link)
    for name in entry.uniqueNames {
      uniqueNames[name]?[holder]? -= 1
      if uniqueNames[name]?[holder] == 0 { uniqueNames[name]![holder] = nil }
      if uniqueNames[name]?.isEmpty == true { uniqueNames[name] = nil }
    }
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
